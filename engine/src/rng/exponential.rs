//! Standard exponential draws by the ziggurat method (Marsaglia and Tsang, 2000).
//!
//! The area under e⁻ˣ is covered by 256 layers of equal area. A layer and a point in it come from
//! disjoint bits of one 64-bit number; in 98.9 % of all draws an integer comparison says that the
//! point is under the curve. Everything else stands in a cold function that takes the generator
//! and gives it back, so that the caller can keep it in registers.

use rand::Rng as _;

use super::{Rng, uniform};

const LAYERS: usize = 256;

/// Where the tail begins, and the area of a layer.
const TAIL: f64 = 7.697_117_470_131_05;
const AREA: f64 = 0.003_949_659_822_581_557;

/// Points in a layer: 2⁵³.
const POINTS: f64 = 9_007_199_254_740_992.0;

/// For each layer: its width per point; how many points are under the curve for sure; and e⁻ˣ at its
/// right end.
struct Tables {
    width: [f64; LAYERS],
    inside: [u64; LAYERS],
    height: [f64; LAYERS + 1],
}

static TABLES: Tables = tables();

const fn tables() -> Tables {
    // Layer 0 is the base with the tail; layer i has its right end at edge[i].
    let mut edge = [0.0; LAYERS + 1];
    edge[0] = AREA / exp(-TAIL);
    edge[1] = TAIL;
    let mut i = 2;
    while i < LAYERS {
        edge[i] = -ln(exp(-edge[i - 1]) + AREA / edge[i - 1]);
        i += 1;
    }
    let mut tables = Tables { width: [0.0; LAYERS], inside: [0; LAYERS], height: [0.0; LAYERS + 1] };
    let mut i = 0;
    while i < LAYERS {
        tables.width[i] = edge[i] / POINTS;
        tables.inside[i] = (edge[i + 1] / edge[i] * POINTS) as u64;
        tables.height[i] = exp(-edge[i]);
        i += 1;
    }
    tables.height[LAYERS] = 1.0;
    tables
}

/// A standard exponential draw.
#[inline(always)]
#[must_use]
pub fn exponential(rng: &mut Rng) -> f64 {
    let bits = rng.next_u64();
    let (layer, point) = split(bits);
    if point < TABLES.inside[layer] {
        return point as f64 * TABLES.width[layer];
    }
    let (value, after) = rarely(bits, rng.clone());
    *rng = after;
    value
}

#[inline(always)]
fn split(bits: u64) -> (usize, u64) {
    ((bits & 0xff) as usize, bits >> 11)
}

/// The tail, the wedges at the curve, and new attempts.
#[cold]
#[inline(never)]
fn rarely(mut bits: u64, mut rng: Rng) -> (f64, Rng) {
    loop {
        let (layer, point) = split(bits);
        let value = point as f64 * TABLES.width[layer];
        if point < TABLES.inside[layer] {
            return (value, rng);
        }
        if layer == 0 {
            // The exponential has no memory: its tail is itself, moved.
            let more = -(1.0 - uniform(&mut rng)).ln();
            return (TAIL + more, rng);
        }
        let (low, high) = (TABLES.height[layer], TABLES.height[layer + 1]);
        if low + (high - low) * uniform(&mut rng) < (-value).exp() {
            return (value, rng);
        }
        bits = rng.next_u64();
    }
}

/// eˣ for x in [−710, 0], for tables made at compile time.
const fn exp(x: f64) -> f64 {
    // e^x = (e^(x / 1024))^1024, the inner one by its series.
    let y = x / 1024.0;
    let (mut sum, mut term, mut n) = (1.0, 1.0, 1.0);
    while n < 20.0 {
        term *= y / n;
        sum += term;
        n += 1.0;
    }
    let mut i = 0;
    while i < 10 {
        sum *= sum;
        i += 1;
    }
    sum
}

/// ln x for x in (0, 1], by Newton's method on [`exp`].
const fn ln(x: f64) -> f64 {
    let mut y = 0.0;
    let mut i = 0;
    while i < 60 {
        y += x / exp(y) - 1.0;
        i += 1;
    }
    y
}

#[cfg(test)]
mod tests {
    use super::super::stream;
    use super::*;

    #[test]
    fn functions_for_the_tables_are_accurate() {
        for i in 1..1000 {
            let x = f64::from(i) / 1000.0;
            assert!((ln(x) - x.ln()).abs() < 1e-12 * (1.0 + x.ln().abs()), "ln {x}");
            assert!((exp(-8.0 * x) / (-8.0 * x).exp() - 1.0).abs() < 1e-12, "exp {x}");
        }
    }

    #[test]
    fn layers_close_at_the_top() {
        // The last layer reaches up to the top of the curve, at x = 0.
        let last = TABLES.width[LAYERS - 1] * POINTS;
        assert!((last * (1.0 - (-last).exp()) - AREA).abs() < 1e-10, "{last}");
        assert_eq!(TABLES.inside[LAYERS - 1], 0);
    }

    /// Moments, and the distribution at many points, with bounds of 5 standard errors.
    #[test]
    fn draws_are_exponential() {
        const N: usize = 4_000_000;
        let mut rng = stream(11, 0);
        let draws: Vec<f64> = (0..N).map(|_| exponential(&mut rng)).collect();
        let n = N as f64;
        let mut factorial = 1.0;
        for power in 1..=4 {
            factorial *= f64::from(power);
            let moment = draws.iter().map(|x| x.powi(power)).sum::<f64>() / n;
            let of_square: f64 = (1..=2 * power).map(f64::from).product();
            let error = ((of_square - factorial * factorial) / n).sqrt();
            assert!((moment - factorial).abs() < 5.0 * error, "moment {power}: {moment}");
        }
        for k in 1..160 {
            let x = f64::from(k) * 0.1;
            let above = draws.iter().filter(|&&draw| draw > x).count() as f64 / n;
            let exact = (-x).exp();
            let error = (exact * (1.0 - exact) / n).sqrt().max(1.0 / n);
            assert!((above - exact).abs() < 5.0 * error, "above {x}: {above} for {exact}");
        }
    }
}
