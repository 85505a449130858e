//! The same models as loops written by hand, with the same generator and draws as the engine's.
//!
//! *Plain* is what one writes from the textbook: all rates again for each event, then a cumulative
//! scan. *Good* is what one writes to be fast, for this one model.

pub mod sir {
    use std::hint::black_box;

    use clockrace_bench::Run;
    use clockrace_bench::draws::{exponential, generator, uniform};

    use crate::SIR_END;

    pub fn plain(seed: u64) -> Run {
        let mut rng = generator(seed);
        let (k_inf, k_rec) = black_box((3e-6, 0.1));
        let (mut s, mut i, mut r) = (99_900_u64, 100_u64, 0_u64);
        let (mut t, mut events) = (0.0, 0);
        loop {
            let infection = k_inf * s as f64 * i as f64;
            let recovery = k_rec * i as f64;
            let total = infection + recovery;
            if total <= 0.0 {
                break;
            }
            t += exponential(&mut rng) / total;
            if t > SIR_END {
                break;
            }
            if uniform(&mut rng) * total < infection {
                s -= 1;
                i += 1;
            } else {
                i -= 1;
                r += 1;
            }
            events += 1;
        }
        Run::counted(events, r as f64)
    }

    pub fn good(seed: u64) -> Run {
        let mut rng = generator(seed);
        let (k_inf, k_rec) = black_box((3e-6, 0.1));
        let (s0, i0) = (99_900.0, 100.0);
        let (mut s, mut i) = (s0, i0);
        let (mut t, mut events) = (0.0, 0);
        // Rates for one infected.
        let mut infection = k_inf * s;
        let mut total = infection + k_rec;
        // Drawn ahead, and so not in the way when a branch was guessed wrong.
        let (mut wait, mut choice) = (exponential(&mut rng), uniform(&mut rng));
        while i > 0.0 {
            t += wait / (total * i);
            if t > SIR_END {
                break;
            }
            let infects = choice * total < infection;
            (wait, choice) = (exponential(&mut rng), uniform(&mut rng));
            if infects {
                s -= 1.0;
                i += 1.0;
                infection = k_inf * s;
                total = infection + k_rec;
            } else {
                i -= 1.0;
            }
            events += 1;
        }
        Run::counted(events, s0 + i0 - s - i)
    }
}

pub mod vilar {
    use std::hint::black_box;

    use clockrace_bench::Run;
    use clockrace_bench::draws::{exponential, generator, uniform};

    use crate::VILAR_END;

    struct Params {
        alpha_a: f64,
        alpha_a2: f64,
        alpha_r: f64,
        alpha_r2: f64,
        beta_a: f64,
        beta_r: f64,
        delta_ma: f64,
        delta_mr: f64,
        delta_a: f64,
        delta_r: f64,
        gamma_a: f64,
        gamma_r: f64,
        gamma_c: f64,
        theta_a: f64,
        theta_r: f64,
    }

    const PARAMS: Params = Params {
        alpha_a: 50.0,
        alpha_a2: 500.0,
        alpha_r: 0.01,
        alpha_r2: 50.0,
        beta_a: 50.0,
        beta_r: 5.0,
        delta_ma: 10.0,
        delta_mr: 0.5,
        delta_a: 1.0,
        delta_r: 0.2,
        gamma_a: 1.0,
        gamma_r: 1.0,
        gamma_c: 2.0,
        theta_a: 50.0,
        theta_r: 100.0,
    };

    pub fn plain(seed: u64) -> Run {
        let mut rng = generator(seed);
        let p = black_box(PARAMS);
        let (mut da, mut dr, mut da2, mut dr2) = (1_u64, 1_u64, 0_u64, 0_u64);
        let (mut ma, mut mr, mut a, mut r, mut c) = (0_u64, 0_u64, 0_u64, 0_u64, 0_u64);
        let (mut t, mut events) = (0.0, 0);
        loop {
            let rates = [
                p.gamma_a * da as f64 * a as f64,
                p.gamma_r * dr as f64 * a as f64,
                p.theta_a * da2 as f64,
                p.theta_r * dr2 as f64,
                p.alpha_a * da as f64,
                p.alpha_r * dr as f64,
                p.alpha_a2 * da2 as f64,
                p.alpha_r2 * dr2 as f64,
                p.beta_a * ma as f64,
                p.beta_r * mr as f64,
                p.gamma_c * a as f64 * r as f64,
                p.delta_a * c as f64,
                p.delta_ma * ma as f64,
                p.delta_mr * mr as f64,
                p.delta_a * a as f64,
                p.delta_r * r as f64,
            ];
            let total: f64 = rates.iter().sum();
            if total <= 0.0 {
                break;
            }
            t += exponential(&mut rng) / total;
            if t > VILAR_END {
                break;
            }
            let mut rest = uniform(&mut rng) * total;
            let mut chosen = rates.len() - 1;
            for (k, rate) in rates.iter().enumerate() {
                if rest < *rate {
                    chosen = k;
                    break;
                }
                rest -= rate;
            }
            match chosen {
                0 => (da, a, da2) = (da - 1, a - 1, da2 + 1),
                1 => (dr, a, dr2) = (dr - 1, a - 1, dr2 + 1),
                2 => (da2, da, a) = (da2 - 1, da + 1, a + 1),
                3 => (dr2, dr, a) = (dr2 - 1, dr + 1, a + 1),
                4 | 6 => ma += 1,
                5 | 7 => mr += 1,
                8 => a += 1,
                9 => r += 1,
                10 => (a, r, c) = (a - 1, r - 1, c + 1),
                11 => (c, r) = (c - 1, r + 1),
                12 => ma -= 1,
                13 => mr -= 1,
                14 => a -= 1,
                _ => r -= 1,
            }
            events += 1;
        }
        Run::counted(events, r as f64)
    }

    /// Rates in four groups that change together, added up again where they changed; the branches
    /// that find the reaction end in what it does.
    pub fn good(seed: u64) -> Run {
        let mut rng = generator(seed);
        let p = black_box(PARAMS);
        let (mut da, mut dr, mut da2, mut dr2) = (1.0, 1.0, 0.0, 0.0);
        let (mut ma, mut mr, mut a, mut r, mut c) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let (mut t, mut events) = (0.0, 0);

        let (mut bind_a, mut bind_r, mut lose_a, mut join, mut of_a);
        macro_rules! a_changed {
            () => {
                bind_a = p.gamma_a * da * a;
                bind_r = p.gamma_r * dr * a;
                lose_a = p.delta_a * a;
                join = p.gamma_c * a * r;
                of_a = (join + lose_a) + (bind_r + bind_a);
            };
        }
        let (mut part, mut lose_r, mut of_r);
        macro_rules! r_or_c_changed {
            () => {
                part = p.delta_a * c;
                lose_r = p.delta_r * r;
                of_r = part + lose_r;
            };
        }
        let (mut make_a, mut lose_ma, mut make_r, mut lose_mr, mut of_m);
        macro_rules! m_changed {
            () => {
                make_a = p.beta_a * ma;
                lose_ma = p.delta_ma * ma;
                make_r = p.beta_r * mr;
                lose_mr = p.delta_mr * mr;
                of_m = (make_a + lose_ma) + (make_r + lose_mr);
            };
        }
        let (mut write_a, mut write_a2, mut write_r, mut write_r2, mut free_a, mut free_r, mut of_d);
        macro_rules! d_changed {
            () => {
                write_a = p.alpha_a * da;
                write_a2 = p.alpha_a2 * da2;
                write_r = p.alpha_r * dr;
                write_r2 = p.alpha_r2 * dr2;
                free_a = p.theta_a * da2;
                free_r = p.theta_r * dr2;
                of_d = (write_a + write_a2) + (write_r + write_r2) + (free_a + free_r);
            };
        }
        a_changed!();
        r_or_c_changed!();
        m_changed!();
        d_changed!();
        // Drawn ahead, and so not in the way when a branch was guessed wrong.
        let (mut wait, mut choice) = (exponential(&mut rng), uniform(&mut rng));
        loop {
            let low = of_a + of_r;
            let total = low + (of_m + of_d);
            if total <= 0.0 {
                break;
            }
            t += wait / total;
            if t > VILAR_END {
                break;
            }
            events += 1;
            let x = choice * total;
            (wait, choice) = (exponential(&mut rng), uniform(&mut rng));
            if x < low {
                if x < of_a {
                    if x < join {
                        (a, r, c) = (a - 1.0, r - 1.0, c + 1.0);
                        r_or_c_changed!();
                    } else if x < join + lose_a {
                        a -= 1.0;
                    } else if x < join + lose_a + bind_r {
                        (dr, a, dr2) = (dr - 1.0, a - 1.0, dr2 + 1.0);
                        d_changed!();
                    } else {
                        (da, a, da2) = (da - 1.0, a - 1.0, da2 + 1.0);
                        d_changed!();
                    }
                    a_changed!();
                } else {
                    if x < of_a + part {
                        (c, r) = (c - 1.0, r + 1.0);
                    } else {
                        r -= 1.0;
                    }
                    r_or_c_changed!();
                    a_changed!();
                }
            } else {
                let x = x - low;
                if x < of_m {
                    if x < make_a + lose_ma {
                        if x < make_a {
                            a += 1.0;
                            a_changed!();
                        } else {
                            ma -= 1.0;
                            m_changed!();
                        }
                    } else if x < make_a + lose_ma + make_r {
                        r += 1.0;
                        r_or_c_changed!();
                        a_changed!();
                    } else {
                        mr -= 1.0;
                        m_changed!();
                    }
                } else {
                    let x = x - of_m;
                    if x < write_a + write_a2 {
                        ma += 1.0;
                        m_changed!();
                    } else if x < (write_a + write_a2) + (write_r + write_r2) {
                        mr += 1.0;
                        m_changed!();
                    } else {
                        if x < (write_a + write_a2) + (write_r + write_r2) + free_a {
                            (da2, da, a) = (da2 - 1.0, da + 1.0, a + 1.0);
                        } else {
                            (dr2, dr, a) = (dr2 - 1.0, dr + 1.0, a + 1.0);
                        }
                        d_changed!();
                        a_changed!();
                    }
                }
            }
        }
        Run::counted(events, r)
    }
}

pub mod mm1 {
    use std::cmp::Ordering;
    use std::collections::BinaryHeap;
    use std::hint::black_box;

    use clockrace_bench::Run;
    use clockrace_bench::draws::{exponential, generator, uniform};

    use crate::MM1_END;

    const RATES: (f64, f64) = (0.9, 1.0);

    /// Two rates, one race.
    pub fn rates(seed: u64) -> Run {
        let mut rng = generator(seed);
        let (lambda, mu) = black_box(RATES);
        let mut n = 0_u64;
        let (mut t, mut events) = (0.0, 0);
        loop {
            let service = if n > 0 { mu } else { 0.0 };
            let total = lambda + service;
            t += exponential(&mut rng) / total;
            if t > MM1_END {
                break;
            }
            if uniform(&mut rng) * total < lambda {
                n += 1;
            } else {
                n -= 1;
            }
            events += 1;
        }
        Run::counted(events, n as f64)
    }

    /// Two ring times, the smaller one next.
    pub fn times(seed: u64) -> Run {
        let mut rng = generator(seed);
        let (lambda, mu) = black_box(RATES);
        let (between, lasting) = (1.0 / lambda, 1.0 / mu);
        let mut n = 0_u64;
        let mut events = 0;
        let mut arrival = exponential(&mut rng) * between;
        let mut service = f64::INFINITY;
        loop {
            // Drawn ahead, and so not in the way when a branch was guessed wrong.
            let wait = exponential(&mut rng);
            if arrival <= service {
                if arrival > MM1_END {
                    break;
                }
                if n == 0 {
                    service = arrival + exponential(&mut rng) * lasting;
                }
                n += 1;
                arrival += wait * between;
            } else {
                if service > MM1_END {
                    break;
                }
                n -= 1;
                service = if n > 0 { service + wait * lasting } else { f64::INFINITY };
            }
            events += 1;
        }
        Run::counted(events, n as f64)
    }

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Kind {
        Arrival,
        Service,
    }

    #[derive(Clone, Copy)]
    struct Pending {
        time: f64,
        kind: Kind,
    }

    impl Ord for Pending {
        fn cmp(&self, other: &Self) -> Ordering {
            other.time.total_cmp(&self.time)
        }
    }

    impl PartialOrd for Pending {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    impl PartialEq for Pending {
        fn eq(&self, other: &Self) -> bool {
            self.cmp(other).is_eq()
        }
    }

    impl Eq for Pending {}

    /// A queue of events.
    pub fn heap(seed: u64) -> Run {
        let mut rng = generator(seed);
        let (lambda, mu) = black_box(RATES);
        let (between, lasting) = (1.0 / lambda, 1.0 / mu);
        let mut n = 0_u64;
        let mut events = 0;
        let mut pending = BinaryHeap::new();
        pending.push(Pending { time: exponential(&mut rng) * between, kind: Kind::Arrival });
        while let Some(Pending { time: now, kind }) = pending.pop() {
            if now > MM1_END {
                break;
            }
            match kind {
                Kind::Arrival => {
                    if n == 0 {
                        let time = now + exponential(&mut rng) * lasting;
                        pending.push(Pending { time, kind: Kind::Service });
                    }
                    n += 1;
                    let time = now + exponential(&mut rng) * between;
                    pending.push(Pending { time, kind: Kind::Arrival });
                }
                Kind::Service => {
                    n -= 1;
                    if n > 0 {
                        let time = now + exponential(&mut rng) * lasting;
                        pending.push(Pending { time, kind: Kind::Service });
                    }
                }
            }
            events += 1;
        }
        Run::counted(events, n as f64)
    }
}
