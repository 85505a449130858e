//! Goodness of fit. Each function panics when the data would come out so badly with a
//! probability below 10⁻⁵.

use std::fmt::Display;

/// Upper 10⁻⁵ quantile of the normal law.
const NORMAL: f64 = 4.265;
/// √(−ln(α/2)/2) for α = 10⁻⁵.
const KOLMOGOROV: f64 = 2.471;
/// Fewer expected counts than this are put together.
const FEWEST: f64 = 10.0;

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn float(n: usize) -> f64 {
    n as f64
}

/// Upper 10⁻⁵ quantile of χ², after Wilson and Hilferty: 7 % too large for 2 degrees of freedom,
/// 1 % for 20.
fn critical(freedom: usize) -> f64 {
    let k = float(freedom);
    let spread = 2.0 / (9.0 * k);
    k * (1.0 - spread + NORMAL * spread.sqrt()).powi(3)
}

fn judge(what: impl Display, statistic: f64, cells: usize) {
    assert!(cells > 1, "{what}: nothing to compare");
    let limit = critical(cells - 1);
    assert!(statistic < limit, "{what}: χ² = {statistic} in {cells} cells, limit {limit}");
}

/// Draws of non-negative integers come from the law with these probabilities.
///
/// # Panics
/// If they do not fit.
pub fn chi_square(what: impl Display, draws: &[usize], law: &[f64]) {
    let mut counts = vec![0.0; law.len()];
    for &draw in draws {
        assert!(draw < law.len(), "{what}: {draw} cannot happen");
        counts[draw] += 1.0;
    }
    let total = float(draws.len());
    let (mut statistic, mut cells) = (0.0, 0);
    let (mut count, mut expected, mut rest) = (0.0, 0.0, total);
    for (c, p) in counts.iter().zip(law) {
        assert!(*p > 0.0 || *c == 0.0, "{what}: something impossible happened");
        count += c;
        expected += p * total;
        // The last cell takes the whole tail.
        if expected >= FEWEST && rest - expected >= FEWEST {
            statistic += (count - expected).powi(2) / expected;
            rest -= expected;
            cells += 1;
            (count, expected) = (0.0, 0.0);
        }
    }
    statistic += (count - expected).powi(2) / expected;
    judge(what, statistic, cells + 1);
}

/// Two samples of non-negative integers come from one law.
///
/// # Panics
/// If they differ.
pub fn chi_square_two(what: impl Display, left: &[usize], right: &[usize]) {
    let largest = left.iter().chain(right).copied().max().unwrap_or(0);
    let mut counts = vec![[0.0, 0.0]; largest + 1];
    for (side, sample) in [left, right].into_iter().enumerate() {
        for &draw in sample {
            counts[draw][side] += 1.0;
        }
    }
    let (l, r) = (float(left.len()), float(right.len()));
    let mut cells: Vec<[f64; 2]> = Vec::new();
    let mut open = [0.0, 0.0];
    for count in counts {
        open = [open[0] + count[0], open[1] + count[1]];
        if open[0] + open[1] >= 2.0 * FEWEST {
            cells.push(std::mem::take(&mut open));
        }
    }
    if let Some(last) = cells.last_mut() {
        *last = [last[0] + open[0], last[1] + open[1]];
    }
    let statistic = cells.iter().map(|[a, b]| (a * (r / l).sqrt() - b * (l / r).sqrt()).powi(2) / (a + b)).sum();
    judge(what, statistic, cells.len());
}

/// A sample comes from the continuous law with this distribution function.
///
/// # Panics
/// If it does not.
pub fn kolmogorov(what: impl Display, sample: &mut [f64], law: impl Fn(f64) -> f64) {
    sample.sort_by(f64::total_cmp);
    let n = float(sample.len());
    let distance = sample
        .iter()
        .enumerate()
        .map(|(i, &x)| (law(x) - float(i) / n).max(float(i + 1) / n - law(x)))
        .fold(0.0, f64::max);
    let limit = KOLMOGOROV / n.sqrt();
    assert!(distance < limit, "{what}: distance {distance}, limit {limit}");
}

/// Two samples come from one continuous law.
///
/// # Panics
/// If they differ.
pub fn kolmogorov_two(what: impl Display, left: &mut [f64], right: &mut [f64]) {
    left.sort_by(f64::total_cmp);
    right.sort_by(f64::total_cmp);
    let (l, r) = (float(left.len()), float(right.len()));
    let (mut i, mut j, mut distance) = (0, 0, 0.0_f64);
    while i < left.len() && j < right.len() {
        let next = left[i].min(right[j]);
        i += left[i..].iter().take_while(|&&x| x == next).count();
        j += right[j..].iter().take_while(|&&x| x == next).count();
        distance = distance.max((float(i) / l - float(j) / r).abs());
    }
    let limit = KOLMOGOROV * ((l + r) / (l * r)).sqrt();
    assert!(distance < limit, "{what}: distance {distance}, limit {limit}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use clockrace::rand::{RngExt, SeedableRng};

    fn uniform(n: usize) -> Vec<f64> {
        let mut rng = clockrace::Rng::seed_from_u64(1);
        (0..n).map(|_| rng.random()).collect()
    }

    fn dice(n: usize, sides: f64) -> Vec<usize> {
        uniform(n).into_iter().map(|x| (x * sides) as usize).collect()
    }

    #[test]
    fn critical_values_are_those_of_tables() {
        for (freedom, exact) in [(2, 23.026), (5, 30.856), (20, 59.045), (100, 172.099)] {
            let excess = critical(freedom) / exact - 1.0;
            assert!((0.0..0.2 / freedom as f64).contains(&excess), "{freedom}: {excess}");
        }
    }

    #[test]
    fn the_right_law_passes() {
        chi_square("die", &dice(10_000, 6.0), &[1.0 / 6.0; 6]);
        chi_square_two("dice", &dice(10_000, 6.0), &dice(9_000, 6.0));
        kolmogorov("uniform", &mut uniform(10_000), |x| x);
        kolmogorov_two("uniform", &mut uniform(10_000), &mut uniform(9_000));
    }

    #[test]
    #[should_panic(expected = "χ²")]
    fn another_law_fails() {
        chi_square("die", &dice(10_000, 6.0), &[0.13, 0.17, 0.17, 0.17, 0.17, 0.19]);
    }

    #[test]
    #[should_panic(expected = "χ²")]
    fn two_laws_differ() {
        chi_square_two("dice", &dice(10_000, 6.0), &dice(10_000, 6.3));
    }

    #[test]
    #[should_panic(expected = "distance")]
    fn a_shifted_sample_fails() {
        kolmogorov("shifted", &mut uniform(10_000), |x| x * 0.95);
    }

    #[test]
    #[should_panic(expected = "distance")]
    fn a_shifted_sample_differs() {
        let mut shifted: Vec<f64> = uniform(10_000).iter().map(|x| x * 0.95).collect();
        kolmogorov_two("shifted", &mut uniform(10_000), &mut shifted);
    }
}
