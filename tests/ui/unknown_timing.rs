clockrace::simulation! {
    pub model M {
        state x: u64 = 0;
        clock a: hazard(1.0) => { x += 1; }
        clock b: after(1.0, resum) => { x += 1; }
        clock c: every(1.0, phase = 0.5) => { x += 1; }
        clock d: rate(1.0, redraw) => { x += 1; }
        clock e: after(1.0, redraw, resume) => { x += 1; }
        clock f: after(1.0, priority = 1) => { x += 1; }
        clock g: after(1.0), prio = 1 => { x += 1; }
        clock h: rate() => { x += 1; }
        clock i: after(1.0), priority = 1.5 => { x += 1; }
    }
}

fn main() {}
