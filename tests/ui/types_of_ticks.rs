//! Ticks are whole numbers.
use clockrace::rand_distr::Exp;
use clockrace::simulation;

simulation! {
    model Fractions {
        time u64;
        param p: u32 = 3;
        index cell = 0..4;
        state n: i64 = 0;
        event ring() => { n += 1; }
        clock after: after(3.5) => { n += 1; }
        clock at: at(3.5) => { n += 1; }
        clock every: every(3.5) => { n += 1; }
        clock family[k in cell]: every(2.0) => { n += 1; }
        clock drawn: after(rng.sample(Exp::new(1.0)?)) => { n += 1; }
        clock signed: after(n) => { n += 1; }
        clock negative: after(-3) => { n += 1; }
        clock narrow: after(p) => { n += 1; }
        clock moment: at(3) => { let x: f64 = now; }
        clock schedules: at(3) => { ring.after(2.5); }
        activity waits() { wait(2.5); }
        activity gives_up() { wait_for(n > 0, timeout = 2.5); }
    }
}

fn main() {}
