//! What rustc says of events: at the user's tokens.
use clockrace::simulation;

struct Plain;

simulation! {
    model Types {
        state n: i64 = 0;
        event ring(x: u32) => { n += x as i64; }
        event other() => { n += 1; }
        event pair(x: u32, y: f64) => { n += 1; }
        clock payload: at(1.0) => { ring.at(2.0, "text"); }
        clock delay: at(1.0) => { ring.after("soon", 1); }
        clock priority: at(1.0) => { ring.at(2.0, 1, priority = 1.5); }
        clock key: at(1.0) => { let k = other.after(1.0); ring.cancel(k); }
        clock number: at(1.0) => { ring.cancel(3); }
        clock question: at(1.0) => { let k: Key<other> = other.after(1.0)?; other.cancel(k); }
        clock taken: at(1.0) => { let k = pair.after(1.0, 1, 2.0); let x: Option<u32> = pair.cancel(k); n += x.map_or(0, i64::from); }
    }
}

simulation! {
    model Payload {
        state n: i64 = 0;
        event plain(x: Plain) => { n += 1; }
    }
}

fn main() {}
