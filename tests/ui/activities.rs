//! Mistakes with activities.
use clockrace::simulation;

simulation! {
    model Declarations {
        index cell = 0..3;
        state n: i64 = 0;
        activity arrow() => { wait(1.0); }
        activity no_parentheses { wait(1.0); }
        activity no_body();
        activity family[k in cell]() { wait(1.0); }
        activity guarded() if n > 0 { wait(1.0); }
        activity generic<T>(x: T) { wait(1.0); }
        activity untyped(x) { wait(1.0); }
        activity once(), once { wait(1.0); }
        activity option(), speed = 3.0 { wait(1.0); }
        activity twice(), priority = 1, priority = 2 { wait(1.0); }
        activity unfinished() { wait(1.0); n += ; }
        activity missing() { wait(1.0) wait(2.0); }
        activty misspelt() { wait(1.0); }
        line typed: u32;
        line valued = 3;
        line indexed[k in cell];
        activity fine() { wait(1.0); }
    }
}

simulation! {
    model Errors {
        state n: i64 = 0;
        #[on_error(go_on)]
        activity goes_on() -> Result<(), std::num::ParseIntError> { wait(1.0); Ok(()) }
        #[on_error]
        activity bare() -> Result<(), std::num::ParseIntError> { wait(1.0); Ok(()) }
        #[on_error = "stop"]
        activity valued() -> Result<(), std::num::ParseIntError> { wait(1.0); Ok(()) }
    }
}

simulation! {
    model Failures {
        state n: i64 = 0;
        #[on_error(stop)]
        activity cannot_fail() { wait(1.0); }
        #[on_error(stop)]
        #[on_error(stop)]
        activity twice() -> Result<(), std::num::ParseIntError> { wait(1.0); Ok(()) }
    }
}

simulation! {
    model OnAClock {
        state n: i64 = 0;
        #[on_error(stop)]
        clock tick: at(1.0) => { n += 1; }
    }
}

simulation! {
    model Names {
        index cell = 0..3;
        state n: i64 = 0;
        state me: u32 = 0;
        activity same() { wait(1.0); }
        activity same() { wait(2.0); }
        activity ring() { wait(1.0); }
        event ring() => { n += 1; }
        activity tick() { wait(1.0); }
        clock tick: at(1.0) => { n += 1; }
        activity called() { wait(1.0); }
        action called() { n += 1; }
        activity cell() { wait(1.0); }
        activity argument(n: u32) { wait(1.0); }
        activity hides() { let me = 3; wait(1.0); }
    }
}

simulation! {
    model Reserved {
        state n: i64 = 0;
        activity wait() { wait(1.0); }
        action wait_for(x: bool) { n += 1; }
        event wait_until() => { n += 1; }
        line defer;
        event now() => { n += 1; }
        activity rng() { wait(1.0); }
    }
}

simulation! {
    model Priorities {
        state n: i64 = 0;
        activity one(), priority = 1 { wait_for(n > 0); }
        activity two(), priority = (1, 2) { wait_for(n > 0, priority = 3); }
        clock tick: at(1.0) => { n += 1; }
    }
}

simulation! {
    model Over {
        index cell = 0..3;
        state n: i64 = 0;
        activity job() { wait(1.0); }
        state left[k in job]: u64 = 0;
        state moves[k in job]: f64 = 0.0;
        clock tick[k in job]: rate(1.0) => { n += 1; }
        reaction grows[k in job]: -> left[k] @ 1.0;
        event ring[k in job]() => { n += 1; }
        tally count[k in job]: u64 = 0;
        flow moves[k in job] = moves[k] + dt;
        state table[k in job][j in cell]: f64 = 0.0;
        state input[k in job]: f64;
        state before[k in job]: u64 = job.len() as u64;
        event tells(k in job) => { n += 1; }
        activity nurse(k in job) { wait(1.0); left[k] = 0; }
        clock sums: rate(left.iter().sum::<u64>() as f64) => { job.iter_mut(); let j = job; }
        clock pair[k in job][j in cell]: rate(1.0) => { n += 1; }
        clock neighbour[k in job]: rate(left[k + 1] as f64) => { left[(k + 1) % 3] = 0; }
        clock number[k in job]: rate(1.0) => { job.key(k); n = left.len() as i64; }
    }
}

simulation! {
    model Relations {
        index cell = 0..3;
        activity job() { wait(1.0); }
        relation from(i in job) -> cell = [0];
        relation to(i in cell) -> job = [0];
    }
}

simulation! {
    model Whole {
        state n: i64 = 0;
        activity job() { left = 1.0; wait(1.0); }
        state left[k in job]: f64 = 0.0;
        clock tick: at(1.0) => { left[me] = 1.0; }
    }
}

simulation! {
    model Uses {
        state n: i64 = 0;
        line queue;
        activity job(x: u32) { wait(1.0); n += x as i64; }
        activity parent() { job.run(); }
        activity child() { job.run(1, timeout = 1.0); }
        activity joins() { job.join(); }
        activity joins_two() { let k = job.start(1); job.join(k, k); }
        activity joins_for() { let k = job.start(1); job.join(k, timeout = 1.0); }
        activity lines() { wait_for(n > 0, line = queue); let x = queue; }
        activity clears() { wait_for(n > 0, line = queue); queue.clear(); }
        activity counts() { wait_for(n > 0, line = queue); n = queue.len(1) as i64; }
        clock start_few: at(1.0) => { job.start(); }
        clock start_many: at(1.0) => { job.start(1, 2); }
        clock option: at(1.0) => { job.start(1, priority = 3); }
        clock runs: at(1.0) => { job.run(3); }
        clock joined: at(1.0) => { let k = job.start(3); job.join(k); }
        clock abort: at(1.0) => { job.abort(); }
        clock alive: at(1.0) => { if job.alive() { n += 1; } }
        clock method: at(1.0) => { job.stop(); }
        clock after: at(1.0) => { job.after(1.0); }
        clock call: at(1.0) => { job(3); }
        clock value: at(1.0) => { let x = job; }
        clock indexed: at(1.0) => { job[0].start(); }
        clock mine: at(1.0) => { let k = me; }
        event ring() => { let k = me; }
        action acts() { let k = me; }
        observe output = me;
    }
}

simulation! {
    model Pure {
        state n: i64 = 0;
        state key: Key<job> = Key::stale();
        activity job() { wait(1.0); }
        activity waits() { wait_for({ job.start(); n > 0 }); }
        activity speeds() { wait(1.0, speed = { job.start(); n as f64 }); }
        clock in_rate: rate({ job.start(); 1.0 }) => { n += 1; }
        clock in_guard if job.abort(key): rate(1.0) => { n += 1; }
        let defined = { job.start(); 1.0 };
        clock by_definition: rate(defined) => { n += 1; }
        observe output = { job.start(); 1.0 };
        stop far if { job.start(); true };
    }
}

fn main() {}
