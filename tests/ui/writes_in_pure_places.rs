clockrace::simulation! {
    pub model M {
        param k: f64 = 1.0;
        state x: u64 = 0;
        state list: Vec<u64> = Vec::new();
        let d = { x += 1; x };
        clock a if { x = 1; true }: rate({ x += 1; k }) => { x += 1; }
        clock b: at({ x -= 1; 1.0 }) => { list.clear(); }
        clock c: after({ bump(); 1.0 }) => { k = 2.0; k += 1.0; d = 3; }
        action bump() { x += 1; }
        observe o = { let y = &mut x; *y as f64 };
        invariant i: { x = 2; true };
        stop s if { x = 2; true };
    }
}

fn main() {}
