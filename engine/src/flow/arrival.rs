//! What a clock with an affine hazard remembers.

use super::affine::Affine;
use crate::moment::Moment;
use crate::rng::{Rng, exponential};

/// `hazard(affine(a, b, c))`: drawn anew at every refresh, which is exact because the exponential
/// that a hazard adds up to has no memory.
#[derive(Clone, Debug)]
pub struct Arrival;

impl Arrival {
    /// Nothing drawn.
    pub const OFF: Arrival = Arrival;

    /// The clock has rung.
    #[inline(always)]
    pub fn rang(&mut self) {}

    /// When the clock rings if its hazard is `hazard` from `now` on. A hazard that is 0 for ever draws
    /// nothing.
    #[inline]
    pub fn refresh(&mut self, hazard: Affine, now: Moment, rng: &mut Rng) -> Moment {
        if hazard.is_zero() { Moment::NEVER } else { now.after(hazard.arrival(exponential(rng))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::stream;

    #[test]
    fn a_hazard_of_zero_draws_nothing() {
        let mut rng = stream(1, 0);
        let untouched = rng.clone();
        for (a, b) in [(0.0, 0.0), (-1.0, 0.0), (0.0, -1.0), (-2.0, -3.0)] {
            let hazard = Affine::new(a, b, 0.0).unwrap();
            let mut clock = Arrival::OFF;
            assert_eq!(clock.refresh(hazard, Moment::at(2.0), &mut rng), Moment::NEVER);
        }
        assert_eq!(rng, untouched);
    }

    #[test]
    fn refreshing_on_the_way_leaves_the_law_as_it_is() {
        // 1 − s/2 from 0 on, looked at again at 0.3 and at 0.9: it adds up to 1, so that e⁻¹ never ring.
        const RUNS: u32 = 40_000;
        for seed in 0..5 {
            let mut rng = stream(seed, 0);
            let (mut early, mut never) = (0.0, 0.0);
            for _ in 0..RUNS {
                let hazard = Affine::new(1.0, -0.5, 0.0).unwrap();
                let mut clock = Arrival::OFF;
                let mut ring = clock.refresh(hazard, Moment::at(0.0), &mut rng);
                for look in [0.3, 0.9] {
                    if ring.time > look {
                        ring = clock.refresh(hazard.later(look), Moment::at(look), &mut rng);
                    }
                }
                clock.rang();
                early += f64::from(u8::from(ring.time <= 1.0));
                never += f64::from(u8::from(ring == Moment::NEVER));
            }
            let check = |count: f64, p: f64| {
                let error = (p * (1.0 - p) / f64::from(RUNS)).sqrt();
                assert!((count / f64::from(RUNS) - p).abs() < 5.0 * error, "{count} of {RUNS}, expected {p}");
            };
            check(early, 1.0 - (-0.75_f64).exp());
            check(never, (-1.0_f64).exp());
        }
    }
}
