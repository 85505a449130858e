clockrace::simulation! {
    pub model M {
        state items: Vec<u64> = Vec::new();
        state best: &'static str = "";
        state name: String = String::new();
        clock a: rate(1.0) => { best = &name; items.push(1); name.push('x'); }
        clock b: rate(1.0) => { let first = &items[0]; items.push(*first); }
    }
}

fn main() {}
