//! Time in ticks.
use clockrace::simulation;

simulation! {
    model Width {
        time u32;
    }
}

simulation! {
    model Float {
        time f64;
    }
}

simulation! {
    model Nothing {
        time;
        time: u64;
    }
}

simulation! {
    model Twice {
        time u64;
        time u64;
    }
}

simulation! {
    model Continuous {
        time u64;
        state n: u64 = 0;
        state x: f64 = 0.0;
        flow x = x + dt;
        clock by_rate: rate(1.0) => { n += 1; }
        clock by_hazard: hazard(affine(1.0, 2.0)) => { n += 1; }
        clock by_bound: hazard(|s| 1.0, bound = 1.0) => { n += 1; }
        clock crossing: crosses(x - 3.0, up) => { n += 1; }
        clock shared: after(3, speed(2.0)) => { n += 1; }
        clock resumed if n > 0: after(3, resume) => { n += 1; }
        reaction grows: -> n @ 1.0;
    }
}

simulation! {
    model Speeds {
        time u64;
        state n: u64 = 0;
        activity waits() { wait(3, speed = n); }
        activity constant() { wait(3, speed = 2); }
        clock tick: at(3) => { n += 1; }
    }
}

fn main() {}
