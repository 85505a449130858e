//! With an error in a block its types and methods are still there: one mistake, one message.
clockrace::simulation! {
    pub model M {
        param a: f64 = 1.0;
        state x: u64;
        tally t: u64 = 0;
        clock tick: rate(now) => { x += 1; t += 1; }
        observe o = x;
        stop s if x > 3;
    }
}

fn main() -> Result<(), clockrace::SimError> {
    let mut sim = M { a: 2.0, x: 3 }.start(1)?;
    sim.run_until(3.0)?;
    let _: MEvent = MEvent::Tick;
    let _: f64 = sim.observe()?.o;
    let _: u64 = sim.state().x + sim.tallies().t;
    println!("{}", M::graph());
    Ok(())
}
