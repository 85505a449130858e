//! The same models by rebop's macro.
//!
//! It does not count events. A twin with a species that every reaction makes one more of has the
//! same rates, takes the same random numbers, and so counts the events of the uncounted run.

#![allow(clippy::too_many_arguments, reason = "a constructor that the macro generates")]

use std::hint::black_box;

use clockrace_bench::Run;

use crate::{SIR_END, VILAR_END};

macro_rules! sir {
    ($name:ident, $run:ident, $result:expr) => {
        pub fn $run(seed: u64) -> Run {
            let mut system = $name::with_parameters(black_box(3e-6), black_box(0.1));
            system.seed(seed);
            system.s = 99_900;
            system.i = 100;
            system.advance_until(SIR_END);
            $result(&system)
        }
    };
}

mod plain_sir {
    rebop::define_system! {
        k_inf k_rec;
        Sir { s, i, r }
        infection : s + i => 2 i @ k_inf
        recovery  : i => r       @ k_rec
    }
    use super::*;
    sir!(Sir, sir, |system: &Sir| Run::uncounted(system.r as f64));
}

mod counted_sir {
    rebop::define_system! {
        k_inf k_rec;
        Sir { s, i, r, events }
        infection : s + i => 2 i + events @ k_inf
        recovery  : i => r + events       @ k_rec
    }
    use super::*;
    sir!(Sir, sir_counted, |system: &Sir| Run::counted(system.events as u64, system.r as f64));
}

macro_rules! vilar {
    ($name:ident, $run:ident, $result:expr) => {
        pub fn $run(seed: u64) -> Run {
            let [p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14] =
                black_box([50.0, 500.0, 0.01, 50.0, 50.0, 5.0, 10.0, 0.5, 1.0, 0.2, 1.0, 1.0, 2.0, 50.0, 100.0]);
            let mut system = $name::with_parameters(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14);
            system.seed(seed);
            system.da = 1;
            system.dr = 1;
            system.advance_until(VILAR_END);
            $result(&system)
        }
    };
}

mod plain_vilar {
    rebop::define_system! {
        alpha_a alpha_a2 alpha_r alpha_r2 beta_a beta_r delta_ma delta_mr delta_a delta_r
        gamma_a gamma_r gamma_c theta_a theta_r;
        Vilar { da, dr, da2, dr2, ma, mr, a, r, c }
        bind_a       : da + a => da2   @ gamma_a
        bind_r       : dr + a => dr2   @ gamma_r
        free_a       : da2 => da + a   @ theta_a
        free_r       : dr2 => dr + a   @ theta_r
        write_a      : da => da + ma   @ alpha_a
        write_r      : dr => dr + mr   @ alpha_r
        write_a2     : da2 => da2 + ma @ alpha_a2
        write_r2     : dr2 => dr2 + mr @ alpha_r2
        make_a       : ma => ma + a    @ beta_a
        make_r       : mr => mr + r    @ beta_r
        join         : a + r => c      @ gamma_c
        part         : c => r          @ delta_a
        lose_ma      : ma =>           @ delta_ma
        lose_mr      : mr =>           @ delta_mr
        lose_a       : a =>            @ delta_a
        lose_r       : r =>            @ delta_r
    }
    use super::*;
    vilar!(Vilar, vilar, |system: &Vilar| Run::uncounted(system.r as f64));
}

mod counted_vilar {
    rebop::define_system! {
        alpha_a alpha_a2 alpha_r alpha_r2 beta_a beta_r delta_ma delta_mr delta_a delta_r
        gamma_a gamma_r gamma_c theta_a theta_r;
        Vilar { da, dr, da2, dr2, ma, mr, a, r, c, events }
        bind_a       : da + a => da2 + events   @ gamma_a
        bind_r       : dr + a => dr2 + events   @ gamma_r
        free_a       : da2 => da + a + events   @ theta_a
        free_r       : dr2 => dr + a + events   @ theta_r
        write_a      : da => da + ma + events   @ alpha_a
        write_r      : dr => dr + mr + events   @ alpha_r
        write_a2     : da2 => da2 + ma + events @ alpha_a2
        write_r2     : dr2 => dr2 + mr + events @ alpha_r2
        make_a       : ma => ma + a + events    @ beta_a
        make_r       : mr => mr + r + events    @ beta_r
        join         : a + r => c + events      @ gamma_c
        part         : c => r + events          @ delta_a
        lose_ma      : ma => events             @ delta_ma
        lose_mr      : mr => events             @ delta_mr
        lose_a       : a => events              @ delta_a
        lose_r       : r => events              @ delta_r
    }
    use super::*;
    vilar!(Vilar, vilar_counted, |system: &Vilar| Run::counted(system.events as u64, system.r as f64));
}

pub use counted_sir::sir_counted;
pub use counted_vilar::vilar_counted;
pub use plain_sir::sir;
pub use plain_vilar::vilar;
