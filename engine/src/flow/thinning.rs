//! What a clock with any hazard remembers: thinning under a bound.

use super::affine::{Affine, unusable};
use crate::error::{ErrorKind, Fault};
use crate::moment::Moment;
use crate::rng::{Rng, exponential, uniform};
use crate::timing;

/// `hazard(|s| E, bound = B, until = h)`: proposals come with the hazard of the bound, and are
/// accepted with probability rate / bound (Lewis and Shedler, 1979).
#[derive(Clone, Debug)]
pub struct Thinning {
    /// The last refresh: `s` is counted from here.
    since: Moment,
    /// Where the bound was evaluated last: its own argument is counted from here.
    from: Moment,
    /// The bound, times `factor`.
    bound: Affine,
    /// How long the bound holds, counted from `from`.
    ends: f64,
    /// Whether the clock waits for the end of the bound.
    expires: bool,
    /// What the bounds of the model are multiplied with.
    factor: f64,
    /// How often a rate was above its bound.
    broken: u64,
    /// How long after the last one a look comes, if that is what the clock waits for; 0 otherwise.
    look: f64,
}

/// A bound that never proposes anything would never be found to be broken. So the hazard is looked at under it: after
/// this time, and then each time after so many times as long.
const FIRST_LOOK: f64 = 1e-6;
const LOOKS: f64 = 32.0;

/// How far a rate may be above its bound by rounding, relative to what the bound is added up from.
const ROUNDING: f64 = 1e-9;

/// How much higher than it would have had to be a bound becomes that did not hold.
const RESERVE: f64 = 1.25;

impl Thinning {
    /// Nothing proposed.
    pub const OFF: Thinning = Thinning {
        since: Moment::NEVER,
        from: Moment::NEVER,
        bound: Affine::ZERO,
        ends: f64::INFINITY,
        expires: false,
        factor: 1.0,
        broken: 0,
        look: 0.0,
    };

    /// What the clock reads was written: `s` is 0 at `now`. Gives the time of the next proposal, or of
    /// the end of the bound.
    ///
    /// # Errors
    /// If `until` is not positive.
    #[inline]
    pub fn refresh(
        &mut self,
        bound: Affine,
        until: Option<f64>,
        looks: bool,
        now: Moment,
        rng: &mut Rng,
    ) -> Result<Moment, Fault> {
        self.since = now;
        self.renew(bound, until, looks, now, rng)
    }

    /// The bound was evaluated again at `now`, while `s` runs on. Gives the time of the next proposal, or
    /// of the end of the bound.
    ///
    /// # Errors
    /// If `until` is not positive.
    #[inline]
    pub fn renew(
        &mut self,
        bound: Affine,
        until: Option<f64>,
        looks: bool,
        now: Moment,
        rng: &mut Rng,
    ) -> Result<Moment, Fault> {
        let ends = until.unwrap_or(f64::INFINITY);
        if ends.is_nan() || ends <= 0.0 {
            return Err(unusable("until", ends));
        }
        self.start(bound, ends, now);
        Ok(self.propose(looks, now, rng))
    }

    /// The constant `bound` joins the race of the exponential clocks from `now` on: gives its rate, and
    /// draws nothing.
    #[inline]
    pub fn hold(&mut self, bound: Affine, now: Moment) -> f64 {
        self.since = now;
        self.start(bound, f64::INFINITY, now);
        self.rate()
    }

    #[inline(always)]
    fn start(&mut self, bound: Affine, ends: f64, now: Moment) {
        self.from = now;
        self.bound = if self.factor == 1.0 { bound } else { bound.scaled(self.factor) };
        self.ends = ends;
        self.expires = false;
        self.look = 0.0;
    }

    /// The rate of a bound that is constant, as a broken one has raised it.
    #[inline]
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.bound.at(0.0)
    }

    /// Whether the time that was given last is the end of the bound, and not a proposal.
    #[inline]
    #[must_use]
    pub fn expired(&self) -> bool {
        self.expires
    }

    /// How long ago the last refresh was: the `s` of the hazard.
    #[inline]
    #[must_use]
    pub fn elapsed(&self, now: Moment) -> f64 {
        now.since(self.since).max(0.0)
    }

    /// Whether a proposal at `now` is accepted, where the hazard is `rate`. With `adapt` a bound that did
    /// not hold is raised, and the proposal accepted.
    ///
    /// # Errors
    /// If the rate is negative, NaN or infinite, or above the bound by more than rounding (with `adapt`: if
    /// no factor makes the bound hold).
    #[inline]
    pub fn accept(&mut self, rate: f64, adapt: bool, now: Moment, rng: &mut Rng) -> Result<bool, Fault> {
        let rate = timing::rate(rate)?;
        let s = now.since(self.from);
        let bound = self.bound.at(s);
        if rate >= bound {
            if rate > bound {
                self.above(rate, bound, s, adapt, now)?;
            }
            return Ok(rate > 0.0);
        }
        Ok(uniform(rng) * bound < rate)
    }

    /// A rate is above its bound, perhaps by rounding.
    #[cold]
    fn above(&mut self, rate: f64, bound: f64, s: f64, adapt: bool, now: Moment) -> Result<(), Fault> {
        // Flowing state is evaluated at a rounded time, and may be ahead of the bound by that much.
        let late = 2.0 * f64::EPSILON * now.time.abs() * self.bound.slope();
        if rate <= bound + ROUNDING * self.bound.size_at(s) + late {
            return Ok(());
        }
        let growth = RESERVE * (rate / bound);
        let factor = self.factor * growth;
        if !adapt || !factor.is_finite() {
            return Err(Fault::new(ErrorKind::Bound { rate, bound }));
        }
        self.broken += 1;
        self.factor = factor;
        self.bound = self.bound.scaled(growth);
        Ok(())
    }

    /// Whether the time that was given last is that of a look: nothing is proposed, and the hazard must not be above
    /// the bound.
    #[inline]
    #[must_use]
    pub fn looks(&self) -> bool {
        self.look > 0.0
    }

    /// Looks at a hazard of `rate` at `now`. Gives the time of the next look.
    ///
    /// # Errors
    /// As [`accept`](Thinning::accept).
    pub fn look(&mut self, rate: f64, adapt: bool, now: Moment) -> Result<Moment, Fault> {
        let rate = timing::rate(rate)?;
        let s = now.since(self.from);
        let bound = self.bound.at(s);
        if rate > bound {
            self.above(rate, bound, s, adapt, now)?;
        }
        self.look *= LOOKS;
        Ok(now.after(self.look))
    }

    /// The next proposal after one that was rejected at `now`, or the end of the bound. If there is neither, and with
    /// `looks`, a look.
    #[inline]
    pub fn propose(&mut self, looks: bool, now: Moment, rng: &mut Rng) -> Moment {
        let rest = self.bound.later(now.since(self.from));
        let next = if rest.is_zero() { Moment::NEVER } else { now.after(rest.arrival(exponential(rng))) };
        let end = self.from.after(self.ends);
        self.expires = end.before(next);
        if looks && next == Moment::NEVER && !self.expires {
            self.look = FIRST_LOOK;
            now.after(FIRST_LOOK)
        } else if !self.expires {
            next
        } else if end.before(now) {
            now
        } else {
            end
        }
    }

    /// The clock has rung: its proposal is used up.
    #[inline]
    pub fn rang(&mut self) {
        self.disable();
    }

    /// The clock is disabled: nothing is proposed. What was learnt about the bound stays.
    #[inline]
    pub fn disable(&mut self) {
        *self = Thinning { factor: self.factor, broken: self.broken, ..Thinning::OFF };
    }

    /// How often a rate was above its bound, with `adapt`.
    #[inline]
    #[must_use]
    pub fn broken(&self) -> u64 {
        self.broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::stream;

    fn affine(a: f64, b: f64, c: f64) -> Affine {
        Affine::new(a, b, c).unwrap()
    }

    fn constant(bound: f64) -> Affine {
        Affine::constant(bound).unwrap()
    }

    fn kind(fault: Fault) -> ErrorKind {
        fault.at(0.0, "clock", &[]).kind().clone()
    }

    /// The hazard of the laws, and what it adds up to.
    fn hazard(t: f64) -> f64 {
        1.0 + 0.8 * (3.0 * t).sin()
    }

    fn total(t: f64) -> f64 {
        t + 0.8 / 3.0 * (1.0 - (3.0 * t).cos())
    }

    /// Rings once after `start`; bounds are evaluated anew when they end, and at `looks`.
    fn ring(bound: impl Fn(f64) -> (Affine, Option<f64>), start: f64, looks: &[f64], rng: &mut Rng) -> f64 {
        let mut clock = Thinning::OFF;
        let mut now = Moment::at(start);
        let mut looks = looks.iter().map(|look| start + look);
        let mut look = looks.next();
        let (first, until) = bound(start);
        let mut at = clock.refresh(first, until, false, now, rng).unwrap();
        loop {
            if let Some(time) = look.filter(|&time| time < at.time) {
                now = Moment::at(time);
                look = looks.next();
                let (bound, until) = bound(time);
                at = clock.refresh(bound, until, false, now, rng).unwrap();
                assert_eq!(clock.elapsed(now), 0.0);
                continue;
            }
            assert!(!at.before(now));
            now = at;
            if clock.expired() {
                let (bound, until) = bound(now.time);
                at = clock.renew(bound, until, false, now, rng).unwrap();
            } else if clock.accept(hazard(now.time), false, now, rng).unwrap() {
                return now.time;
            } else {
                at = clock.propose(false, now, rng);
            }
        }
    }

    /// Survival at the times of `RUNS` rings must be uniform.
    fn follows_the_law(name: &str, mut ring: impl FnMut(f64, &mut Rng) -> f64) {
        const RUNS: usize = 20_000;
        for seed in 0..4 {
            let mut rng = stream(seed, 0);
            let start = 0.7 * seed as f64;
            let mut survival: Vec<f64> =
                (0..RUNS).map(|_| (total(start) - total(ring(start, &mut rng))).exp()).collect();
            survival.sort_unstable_by(f64::total_cmp);
            let worst = survival
                .iter()
                .enumerate()
                .map(|(k, value)| ((k + 1) as f64 / RUNS as f64 - value).abs())
                .fold(0.0, f64::max);
            // Dvoretzky, Kiefer and Wolfowitz, with the constant of Massart (1990): 1 in 10⁶.
            let bound = (0.5 * 2e6_f64.ln() / RUNS as f64).sqrt() + 1.0 / RUNS as f64;
            assert!(worst < bound, "{name}, seed {seed}: {worst} is not below {bound}");
        }
    }

    #[test]
    fn thinning_under_a_constant_or_an_affine_bound_follows_the_law() {
        follows_the_law("constant", |start, rng| ring(|_| (constant(1.8), None), start, &[], rng));
        follows_the_law("high", |start, rng| ring(|_| (constant(5.0), None), start, &[0.2, 0.5, 0.51], rng));
        // The slope is 2.4 at most.
        let affine_bound = |t: f64| (affine(hazard(t), 2.4, 0.0), Some(0.5));
        follows_the_law("affine", |start, rng| ring(affine_bound, start, &[], rng));
        follows_the_law("looks", |start, rng| ring(affine_bound, start, &[0.1, 0.3, 2.0], rng));
        // Over half a period, from curvature and slope.
        let short = |t: f64| (affine(0.0, 2.4 * (3.0 * t).cos() + 3.6 * 0.3, hazard(t)), Some(0.3));
        follows_the_law("short", |start, rng| ring(short, start, &[], rng));
    }

    #[test]
    fn a_random_intensity_without_bias_follows_the_law() {
        follows_the_law("random", |start, rng| {
            let mut clock = Thinning::OFF;
            let mut now = clock.refresh(constant(5.4), None, false, Moment::at(start), rng).unwrap();
            loop {
                let rate = if uniform(rng) < 1.0 / 3.0 { 3.0 * hazard(now.time) } else { 0.0 };
                if clock.accept(rate, false, now, rng).unwrap() {
                    return now.time;
                }
                now = clock.propose(false, now, rng);
            }
        });
    }

    #[test]
    fn a_bound_that_adapts_rejects_less_and_then_follows_the_law() {
        let mut clock = Thinning::OFF;
        // Until the bound holds everywhere.
        let mut rng = stream(5, 0);
        let mut now = clock.refresh(constant(0.2), None, false, Moment::at(0.0), &mut rng).unwrap();
        while now.time < 1e3 {
            clock.accept(hazard(now.time), true, now, &mut rng).unwrap();
            now = clock.propose(false, now, &mut rng);
        }
        assert!(clock.broken() > 0 && clock.broken() < 20);
        assert!(clock.rate() > 1.8 * 0.999 && clock.rate() < 1.8 * 1.25 * 1.001);
        follows_the_law("adapted", |start, rng| {
            clock.rang();
            let mut now = clock.refresh(constant(0.2), None, false, Moment::at(start), rng).unwrap();
            while !clock.accept(hazard(now.time), true, now, rng).unwrap() {
                now = clock.propose(false, now, rng);
            }
            now.time
        });
    }

    #[test]
    fn a_bound_that_is_met_exactly_is_not_broken_by_rounding() {
        // A Gaussian: rate (v·x)⁺ with x(t) = x₀ + v t, evaluated at rounded times, under the same bound.
        for (seed, start) in [(0, 0.0), (1, 1.0), (2, 1e6), (3, 1e9), (4, 1e12)] {
            let mut rng = stream(seed, 0);
            for round in 0..2_000 {
                let v: f64 = if round % 2 == 0 { 1.0 } else { -3.7 };
                let x: f64 = 200.0 * (uniform(&mut rng) - 0.5);
                let mut clock = Thinning::OFF;
                let anchor = start;
                let mut now = Moment::at(start);
                let mut at = clock.refresh(affine(v * x, v * v, 0.0), Some(0.25), false, now, &mut rng).unwrap();
                for _ in 0..20 {
                    now = at;
                    let position = x + v * (now.time - anchor);
                    if clock.expired() {
                        at = clock.renew(affine(v * position, v * v, 0.0), Some(0.25), false, now, &mut rng).unwrap();
                    } else {
                        clock.accept((v * position).max(0.0), false, now, &mut rng).unwrap();
                        at = clock.propose(false, now, &mut rng);
                    }
                }
            }
        }
    }

    #[test]
    fn a_rate_that_equals_its_bound_is_always_accepted_and_zero_never() {
        let mut rng = stream(2, 0);
        let now = Moment::at(1.0);
        let mut clock = Thinning::OFF;
        for bound in [1e-300, 0.1, 1.0, 3e200] {
            clock.hold(constant(bound), now);
            for _ in 0..1000 {
                assert!(clock.accept(bound, false, now, &mut rng).unwrap());
                assert!(!clock.accept(0.0, false, now, &mut rng).unwrap());
                assert!(!clock.accept(-0.0, true, now, &mut rng).unwrap());
            }
        }
        assert_eq!(clock.hold(constant(0.0), now), 0.0);
        assert!(!clock.accept(0.0, false, now, &mut rng).unwrap());
        assert_eq!(clock.broken(), 0);
    }

    #[test]
    fn a_broken_bound_is_an_error_that_says_by_what() {
        let mut rng = stream(3, 0);
        let mut clock = Thinning::OFF;
        clock.refresh(affine(1.0, 2.0, 0.5), None, false, Moment::at(3.0), &mut rng).unwrap();
        let now = Moment::at(4.0);
        assert!(clock.accept(3.5, false, now, &mut rng).unwrap());
        match kind(clock.accept(3.500_001, false, now, &mut rng).unwrap_err()) {
            ErrorKind::Bound { rate, bound } => assert_eq!((rate, bound), (3.500_001, 3.5)),
            other => panic!("{other}"),
        }
        for rate in [-1.0, f64::NAN, f64::INFINITY] {
            let kind = kind(clock.accept(rate, true, now, &mut rng).unwrap_err());
            assert!(matches!(kind, ErrorKind::Rate { .. }), "{kind}");
        }
        // A bound of 0 cannot adapt.
        clock.hold(constant(0.0), now);
        assert!(matches!(kind(clock.accept(1.0, true, now, &mut rng).unwrap_err()), ErrorKind::Bound { .. }));
        for until in [0.0, -1.0, f64::NAN] {
            match kind(clock.refresh(constant(1.0), Some(until), false, now, &mut rng).unwrap_err()) {
                ErrorKind::Hazard { part: "until", value } => assert_eq!(value.to_bits(), until.to_bits()),
                other => panic!("{other}"),
            }
        }
    }

    #[test]
    fn what_was_learnt_survives_rings_and_guards() {
        let mut rng = stream(4, 0);
        let mut clock = Thinning::OFF;
        let now = Moment::at(1.0);
        assert_eq!(clock.hold(constant(2.0), now), 2.0);
        assert!(clock.accept(4.0, true, now, &mut rng).unwrap());
        assert_eq!((clock.rate(), clock.broken()), (5.0, 1));
        clock.disable();
        assert_eq!((clock.rate(), clock.broken(), clock.elapsed(now)), (0.0, 1, 0.0));
        assert_eq!(clock.hold(constant(2.0), now), 5.0);
        clock.rang();
        assert_eq!(clock.hold(constant(1.0), now), 2.5);
        assert!(clock.accept(2.5, false, now, &mut rng).unwrap());
    }

    #[test]
    fn a_bound_ends_when_it_says_and_the_argument_runs_on() {
        let mut rng = stream(6, 0);
        let mut clock = Thinning::OFF;
        let start = Moment::at(10.0);
        // Nothing to propose, so that it waits for the ends.
        let untouched = rng.clone();
        assert_eq!(clock.refresh(constant(0.0), Some(0.5), false, start, &mut rng).unwrap(), Moment::at(10.5));
        assert!(clock.expired());
        assert_eq!(
            clock.renew(constant(0.0), Some(0.25), false, Moment::at(10.5), &mut rng).unwrap(),
            Moment::at(10.75)
        );
        assert!(clock.expired());
        assert_eq!(clock.elapsed(Moment::at(10.75)), 0.75);
        assert_eq!(clock.renew(constant(0.0), None, false, Moment::at(10.75), &mut rng).unwrap(), Moment::NEVER);
        assert!(!clock.expired());
        assert_eq!(rng, untouched);
        // A proposal that falls beyond the end is none.
        let mut ends = 0;
        for _ in 0..1000 {
            let at = clock.refresh(constant(2.0), Some(0.5), false, start, &mut rng).unwrap();
            assert!(at.time <= 10.5);
            assert_eq!(clock.expired(), at.time == 10.5);
            ends += u32::from(clock.expired());
        }
        // One in e, give or take five standard errors.
        assert!((f64::from(ends) / 1000.0 - (-1.0_f64).exp()).abs() < 5.0 * 0.0153);
    }

    #[test]
    fn a_bound_under_which_nothing_is_proposed_is_looked_at() {
        let mut rng = stream(1, 0);
        let now = Moment::at(2.0);
        let mut clock = Thinning::OFF;
        assert_eq!(clock.refresh(affine(-1.0, 0.0, 0.0), None, false, now, &mut rng).unwrap(), Moment::NEVER);
        assert!(!clock.looks());
        let first = clock.refresh(affine(-1.0, 0.0, 0.0), None, true, now, &mut rng).unwrap();
        assert!(clock.looks() && now.before(first) && first.time < 2.1);
        let second = clock.look(0.0, false, first).unwrap();
        assert!(clock.looks() && second.since(first) > 10.0 * first.since(now));
        let broken = clock.look(0.5, true, second).unwrap_err();
        assert!(matches!(kind(broken), ErrorKind::Bound { rate: 0.5, bound: 0.0 }));
        // Looks come to an end, and one that has ended says so.
        let mut at = second;
        for _ in 0..1000 {
            at = if at.time < f64::INFINITY { clock.look(0.0, false, at).unwrap() } else { at };
        }
        assert_eq!(at, Moment::NEVER);
        let ended = clock.refresh(affine(0.0, 0.0, 0.0), Some(1.0), true, now, &mut rng).unwrap();
        assert!(ended == Moment::at(3.0) && clock.expired() && !clock.looks());
    }
}
