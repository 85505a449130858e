clockrace::simulation! {
    pub model M {
        state x: u64 = 0;
        clock a: after(1.0), priority = (1, 2) => { x += 1; }
        clock b: after(1.0), priority = 3 => { x += 1; }
        clock c: after(1.0) => { x += 1; }
        reaction d: -> x @ 1.0, priority = -1;
    }
}

fn main() {}
