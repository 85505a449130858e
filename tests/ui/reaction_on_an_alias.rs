type Amount = f64;

clockrace::simulation! {
    pub model M {
        state a: Amount = 0.0;
        state b: u64 = 0;
        reaction r: a -> a + b @ 1.0;
    }
}

fn main() {}
