//! What rustc says of activities and waits: at the user's tokens.
use std::num::ParseIntError;

use clockrace::simulation;

struct Plain;

simulation! {
    model Results {
        state n: i64 = 0;
        activity missing() -> u32 { wait(1.0); n += 1; }
        activity only_a_wait() -> u32 { wait(1.0); }
        activity in_a_branch() -> u32 { if n > 0 { return 3; } wait(1.0); }
        activity missing_ok() -> Result<(), ParseIntError> { let x: i64 = "3".parse()?; wait(1.0); n = x; }
        activity text() -> u32 { wait(1.0); "three" }
        activity returned() -> u32 { wait(1.0); return "three"; }
        activity returned_nothing() -> u32 { wait(1.0); return; }
        activity unexpected() { wait(1.0); 3 }
        activity unexpectedly_returned() { wait(1.0); return 3; }
    }
}

simulation! {
    model Errors {
        state n: i64 = 0;
        activity converted() -> Result<(), ParseIntError> { wait(1.0); std::fs::read("x")?; Ok(()) }
        activity no_error() -> Result<(), Plain> { wait(1.0); Err(Plain) }
        activity local_error() -> Result<(), Box<dyn std::error::Error>> { wait(1.0); Ok(()) }
    }
}

simulation! {
    model Keys {
        state n: i64 = 0;
        state left[k in job]: f64 = 0.0;
        activity job(x: u32) { wait(1.0); n += x as i64; }
        activity other() { left[me] = 1.0; wait(1.0); }
        activity number() { left[3] = 1.0; wait(1.0); }
        activity index(k: usize) { left[k] = 1.0; wait(1.0); }
        activity joins() { let k = other.start(); job.join(k); }
        activity value() { let k = other.start(); let x: u32 = other.join(k); n = x as i64; }
        activity condition() { let k = other.start(); if other.join(k) { n += 1; } }
        clock start: at(1.0) => { job.start("x"); }
        clock alive: at(1.0) => { let k = other.start(); if job.alive(k) { n += 1; } }
        clock question: at(1.0) => { let k: Key<other> = other.start()?; }
    }
}

simulation! {
    model Waits {
        state n: i64 = 0;
        activity delay() { wait("soon"); }
        activity integer() { wait(n); }
        activity condition() { wait_for(n); }
        activity unless() { wait(1.0, unless = n); }
        activity timeout() { wait(1.0, timeout = "x"); }
        activity speed() { wait(1.0, speed = n); }
        activity priority() { wait_for(n > 0, priority = 1.5); }
        activity own_priority(x: f64), priority = x { wait(1.0); }
        activity long() { wait_for(n > 0, priority = (1, 2, 3, 4, 5)); }
        activity long_by_itself(), priority = (1, 2, 3, 4, 5) { wait(1.0); }
        activity pattern() { let (x, y) = wait(1.0, unless = n > 3); n += 1; }
        activity wait_gives() { if wait(1.0) { n += 1; } }
        activity wait_for_gives() { if wait_for(n > 0) { n += 1; } }
        activity left_is_no_bool() { if wait(1.0, unless = n > 0) { n += 1; } }
        activity let_gives() { let x: bool = wait_for(n > 0); n += x as i64; }
        activity question() { wait_for(n.checked_add(1)? > 3); n += 1; }
    }
}

fn main() {}
