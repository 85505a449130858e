type Amount = f64;

clockrace::simulation! {
    pub model M {
        state a: Amount = 0.0;
        reaction r: a -> @ 1.0;
    }
}

fn main() {}
