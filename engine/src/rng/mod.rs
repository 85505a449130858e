//! The random generator of a run.

mod exponential;

use rand::{Rng as _, SeedableRng};

pub use exponential::exponential;

/// The generator of every run: xoshiro256++ (Blackman and Vigna, 2019), 256 bits of state and
/// period 2²⁵⁶ − 1.
///
/// In a block it is `rng`, with the methods of `rand::RngExt` in scope.
pub type Rng = rand_xoshiro::Xoshiro256PlusPlus;

/// The generator of replicate `stream` under `seed`.
///
/// The 256 bits are drawn from SplitMix64 (Steele, Lea and Flood, 2014) started at a mix of both
/// numbers, so that neighbouring seeds and neighbouring replicates share nothing.
#[must_use]
pub fn stream(seed: u64, stream: u64) -> Rng {
    let mut state = mix(seed.wrapping_add(GAMMA)) ^ mix(stream.wrapping_mul(GAMMA) ^ 0xd1b5_4a32_d192_ed03);
    let mut bytes = [0; 32];
    for chunk in bytes.chunks_exact_mut(8) {
        state = state.wrapping_add(GAMMA);
        chunk.copy_from_slice(&mix(state).to_le_bytes());
    }
    Rng::from_seed(bytes)
}

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A uniform draw from [0, 1) with 53 bits.
#[inline]
pub(crate) fn uniform(rng: &mut Rng) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    let bits = (rng.next_u64() >> 11) as f64;
    bits * (1.0 / 9_007_199_254_740_992.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_and_seeds_differ() {
        let mut first: Vec<u64> = (0..40).flat_map(|seed| (0..40).map(move |s| stream(seed, s).next_u64())).collect();
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), 1600);
    }

    #[test]
    fn a_stream_is_repeatable() {
        assert_eq!(stream(7, 3), stream(7, 3));
    }
}
