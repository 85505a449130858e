clockrace::simulation! {
    pub model M {
        state x: u64 = 0;
        action restock(a: u64, b: u64) { x += a + b; }
        action none() { x += 1; }
        clock a: rate(1.0) => restock(1);
        clock b: rate(1.0) => { restock(1, 2, 3); none(4); let f = none; }
        clock c: rate(1.0) => restock;
    }
}

fn main() {}
