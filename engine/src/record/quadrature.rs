//! Gauss-Legendre quadrature.

/// Nodes in (−1, 1) and weights that add up to 1: a mean over an interval, exact for polynomials of
/// degree 2N − 1 (Abramowitz and Stegun, 25.4.30).
pub(super) struct Rule<const N: usize> {
    pub(super) nodes: [f64; N],
    weights: [f64; N],
}

impl<const N: usize> Rule<N> {
    /// The nodes of the interval from `from` to `until`.
    #[inline]
    pub(super) fn times(&self, from: f64, until: f64) -> [f64; N] {
        let half = 0.5 * (until - from);
        self.nodes.map(|node| from + half * (1.0 + node))
    }

    /// The mean over an interval of what has these values at its nodes; without rounding if all are
    /// equal.
    #[inline]
    pub(super) fn mean(&self, values: impl IntoIterator<Item = f64>) -> f64 {
        let mut values = values.into_iter().zip(&self.weights);
        let Some((first, _)) = values.next() else { return f64::NAN };
        // Infinities have no difference.
        first + values.map(|(value, weight)| if value == first { 0.0 } else { weight * (value - first) }).sum::<f64>()
    }
}

/// Exact for polynomials of degree 9.
pub(super) const FIVE: Rule<5> = Rule {
    nodes: [-0.906_179_845_938_664, -0.538_469_310_105_683_1, 0.0, 0.538_469_310_105_683_1, 0.906_179_845_938_664],
    weights: [
        0.118_463_442_528_094_54,
        0.239_314_335_249_683_24,
        0.284_444_444_444_444_44,
        0.239_314_335_249_683_24,
        0.118_463_442_528_094_54,
    ],
};

/// Exact for polynomials of degree 15.
pub(super) const EIGHT: Rule<8> = Rule {
    nodes: [
        -0.960_289_856_497_536_3,
        -0.796_666_477_413_626_7,
        -0.525_532_409_916_329,
        -0.183_434_642_495_649_8,
        0.183_434_642_495_649_8,
        0.525_532_409_916_329,
        0.796_666_477_413_626_7,
        0.960_289_856_497_536_3,
    ],
    weights: [
        0.050_614_268_145_188_13,
        0.111_190_517_226_687_24,
        0.156_853_322_938_943_63,
        0.181_341_891_689_181,
        0.181_341_891_689_181,
        0.156_853_322_938_943_63,
        0.111_190_517_226_687_24,
        0.050_614_268_145_188_13,
    ],
};

/// Exact for polynomials of degree 23.
pub(super) const TWELVE: Rule<12> = Rule {
    nodes: [
        -0.981_560_634_246_719_2,
        -0.904_117_256_370_474_9,
        -0.769_902_674_194_304_7,
        -0.587_317_954_286_617_5,
        -0.367_831_498_998_180_2,
        -0.125_233_408_511_468_9,
        0.125_233_408_511_468_9,
        0.367_831_498_998_180_2,
        0.587_317_954_286_617_5,
        0.769_902_674_194_304_7,
        0.904_117_256_370_474_9,
        0.981_560_634_246_719_2,
    ],
    weights: [
        0.023_587_668_193_255_914,
        0.053_469_662_997_659_21,
        0.080_039_164_271_673_11,
        0.101_583_713_361_532_96,
        0.116_746_268_269_177_4,
        0.124_573_522_906_701_39,
        0.124_573_522_906_701_39,
        0.116_746_268_269_177_4,
        0.101_583_713_361_532_96,
        0.080_039_164_271_673_11,
        0.053_469_662_997_659_21,
        0.023_587_668_193_255_914,
    ],
};

/// The polynomial of degree 11 through `values` at the nodes of [`TWELVE`], at `place`: the
/// barycentric formula, whose weights for these nodes are (−1)ʲ √((1 − xⱼ²) wⱼ) up to a factor
/// (Wang and Xiang, 2012).
#[inline]
pub(super) fn interpolate(values: &[f64; 12], place: f64) -> f64 {
    const WEIGHTS: [f64; 12] = [
        0.083_837_612_280_754_98,
        -0.282_156_797_772_088_24,
        0.515_586_425_553_626_4,
        -0.736_667_512_185_065_8,
        0.907_348_141_304_766,
        -1.0,
        1.0,
        -0.907_348_141_304_766,
        0.736_667_512_185_065_8,
        -0.515_586_425_553_626_4,
        0.282_156_797_772_088_24,
        -0.083_837_612_280_754_98,
    ];
    let (mut above, mut below) = (0.0, 0.0);
    for ((node, weight), value) in TWELVE.nodes.iter().zip(WEIGHTS).zip(values) {
        let distance = place - node;
        if distance == 0.0 {
            return *value;
        }
        // Distances from one of the values: none of them, no rounding.
        above += weight / distance * (value - values[0]);
        below += weight / distance;
    }
    values[0] + above / below
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact<const N: usize>(rule: &Rule<N>) {
        let (from, until) = (1.0, 3.5);
        let times = rule.times(from, until);
        for degree in 0..2 * N as i32 {
            let mean = rule.mean(times.map(|t| t.powi(degree)));
            let power = f64::from(degree + 1);
            let integral = (until.powf(power) - from.powf(power)) / power;
            assert!((mean * (until - from) / integral - 1.0).abs() < 1e-14, "{N} {degree}");
        }
        // And for no higher degree: on (−1, 1), where the even ones are missed by most.
        let missed = rule.mean(rule.nodes.map(|x| x.powi(2 * N as i32))) * (2 * N + 1) as f64;
        assert!((missed - 1.0).abs() > 1e-9, "{N}");
    }

    #[test]
    fn polynomials_are_exact() {
        exact(&FIVE);
        exact(&EIGHT);
        exact(&TWELVE);
    }

    #[test]
    fn what_does_not_change_is_its_own_mean() {
        for value in [0.1, 1.0 / 3.0, -7e300, f64::INFINITY] {
            assert_eq!(FIVE.mean([value; 5]), value);
            assert_eq!(TWELVE.mean([value; 12]), value);
        }
        assert_eq!(interpolate(&[0.1; 12], 0.3), 0.1);
    }

    #[test]
    fn interpolation_of_polynomials_of_degree_11() {
        for degree in 0..12 {
            let values = TWELVE.nodes.map(|x| x.powi(degree));
            for place in [-1.0, -0.93, TWELVE.nodes[4], 0.0, 0.011, 0.6, 1.0] {
                assert!((interpolate(&values, place) - place.powi(degree)).abs() < 4e-15, "{degree} {place}");
            }
        }
    }
}
