//! What rustc says of variables that are kept over waits.
use clockrace::simulation;

simulation! {
    model Kept {
        state n: i64 = 0;
        activity argument(x: u32) { x += 1; wait(1.0); n += x as i64; }
        activity assigned(x: u32) { x = 1; wait(1.0); n += x as i64; }
        activity local() { let x: i64 = 1; wait(1.0); x = 3; n = x; }
        activity moved() { let v: Vec<i64> = vec![1]; wait(1.0); let w = v; wait(1.0); n = v[0]; }
        activity condition() { let mut k: i64 = 3; wait_for(n > { k += 1; k }); n += 1; }
    }
}

fn main() {}
