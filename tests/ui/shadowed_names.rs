clockrace::simulation! {
    pub model M {
        param k: f64 = 1.0;
        state x: u64 = 0;
        state list: Vec<u64> = Vec::new();
        let twice = 2 * x;
        clock a: rate(k) => {
            let x = 3;
            let now = 1.0;
            for k in 0..3 {}
            list.iter().for_each(|twice| drop(twice));
            if let Some(list) = list.first() {}
        }
        action b(x: u64) { b(1); }
    }
}

fn main() {}
