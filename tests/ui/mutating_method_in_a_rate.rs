clockrace::simulation! {
    pub model M {
        state list: Vec<u64> = Vec::new();
        clock a: rate(list.pop().unwrap() as f64) => { list.push(1); }
    }
}

fn main() {}
