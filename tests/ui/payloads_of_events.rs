//! Arguments of events are kept until it happens, and their handler owns them.
use clockrace::simulation;

simulation! {
    model Changed {
        state n: i64 = 0;
        event changed(x: i64) => { x += 1; n += x; }
        event assigned(x: i64) => { n += x; x = 1; n += x; }
        event fine(mut x: i64) => { x += 1; n += x; }
    }
}

fn main() {}
