use clockrace::simulation;

simulation! {
    model Flows {
        param p: f64;
        index point = 0..3;
        index other = 0..3;
        state x: f64 = 0.0;
        state y: f64 = 0.0;
        state z: f64 = 0.0;
        state still: f64 = 0.0;
        state u[k in point]: f64 = 0.0;
        state w[k in point]: f64 = 0.0;
        tally count: u64 = 0;
        flow x = x + y * dt;
        flow y = y - x * dt;
        flow z = z + now;
        flow x = x + dt;
        flow p = p + dt;
        flow count = count + dt;
        flow nothing = nothing + dt;
        flow still = still + 1.0;
        flow u = u + dt;
        flow u[k in other] = u[k] + dt;
        flow u[k in point] = u[k + 1] + rng.random_range(0.0..1.0) * dt;
        clock wrong: at(dt) => { x = 1.0; }
    }
}

simulation! {
    model Targets {
        index point = 0..3;
        state w[k in point]: f64 = 0.0;
        state y: f64 = 0.0;
        flow (w[j]) [k in point] = w[k] + dt;
        flow (w[k], y + 1.0) [k in point] = (w[k] + dt, y);
        flow y;
    }
}

simulation! {
    model Stale {
        state x: f64 = 0.0;
        state n: u64 = 0;
        flow x = x + dt;
        let twice = 2.0 * x;
        clock rate if x > 1.0: rate(x) => { n += 1; }
        clock inlined: rate(twice) => { n += 1; }
        clock speed: after(1.0, speed(x)) => { n += 1; }
        stop far if x > 3.0;
    }
}

simulation! {
    model Pairs {
        index node = 0..4;
        state relation near(i in node) -> node = std::iter::empty();
        state x[(i, j) in near]: f64 = 0.0;
        flow x[(i, j) in near] = x[(i, j)] + dt;
    }
}

fn main() {}
