clockrace::simulation! {
    pub model M {
        param x: f64 = 1.0;
        state x: u64 = 0;
        let x = 3.0;
        clock tick: rate(1.0) => { }
        reaction tick: -> @ 1.0;
        clock a_b: rate(1.0) => { }
        clock aB: rate(1.0) => { }
        observe out = 1.0;
        observe out = 2.0;
    }
}

fn main() {}
