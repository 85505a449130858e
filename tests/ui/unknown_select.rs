clockrace::simulation! {
    #[select(fastest)]
    pub model M {
        state x: u64 = 0;
        clock a: rate(1.0) => { x += 1; }
    }
}

fn main() {}
