//! An unknown item, a missing semicolon and a broken body: each costs only itself.
clockrace::simulation! {
    pub model M {
        params a: f64;
        state x: u64 = 0
        state y: u64 = 0;
        clock tick: rate(1.0) => { x + ; }
        clock tack: rate(1.0) => { y += 1; }
        flow z = 1.0;
        pub state w: u64 = 0;
        tally t: u64;
        stop x == 3;
        /// belongs to nothing
    }
}

fn main() {
    let _ = MState { x: 0, y: 0 };
}
