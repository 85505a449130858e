#[allow(unused_macros)]
macro_rules! odd {
    ($($t:tt)*) => {};
}

clockrace::simulation! {
    pub model M {
        state x: u64 = 0;
        clock a: rate(1.0) => { let mut f = move || { x += 1; }; f(); }
        clock c: rate(1.0) => { odd!(=> "{x}" =>); x += 1; }
    }
}

fn main() {}
