clockrace::simulation! {
    pub model M {
        state x: u64 = 0;
        init { x = 1; }
        init { x = 2; }
    }
    pub model N {}
}

clockrace::simulation! {
    struct S;
}

clockrace::simulation! {}

fn main() {}
