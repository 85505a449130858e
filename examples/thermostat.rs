//! A thermostat with a hysteresis.
//!
//! A room loses heat to the outside, and a heater is switched on when it is too cold and off when it
//! is too warm. The wider the band between these temperatures, the more rarely it switches.
//!
//! Between two switches the temperature goes exponentially to where it would end, with the time
//! constant τ. From T₁ to T₂ towards E takes τ ln((E − T₁)/(E − T₂)), which gives the length of a cycle;
//! and as E − T = τ dT/dt, the mean temperature of a cycle is the mean of E.
//!
//! `cargo run --release --example thermostat`

use clockrace::record::Path;
use clockrace::{SimError, Simulation, simulation};
use clockrace_examples::{Failure, Figure, output_folder};

/// Cycles that are measured.
const CYCLES: u32 = 100;

simulation! {
    /// Temperatures are in °C, times in hours.
    model Thermostat {
        param wanted: f64 = 20.0;
        /// Between the temperatures at which the heater is switched on and off.
        param band: f64 = 1.0 in 0.0..;
        /// Where the temperature ends without the heater, and with it.
        param outside: f64 = 5.0;
        param heated: f64 = 30.0;
        /// Time constant.
        param tau: f64 = 3.0;

        state temperature: f64 = wanted;
        state heating: bool = true;

        let end = if heating { heated } else { outside };
        flow temperature = end + (temperature - end) * (-dt / tau).exp();

        let low = wanted - band / 2.0;
        let high = wanted + band / 2.0;
        clock on  if !heating: crosses(temperature - low, down, step = tau) => { heating = true; }
        clock off if heating:  crosses(temperature - high, up, step = tau)  => { heating = false; }
    }
}

/// How long the heater is on in a cycle, and off.
fn exact(model: &Thermostat) -> (f64, f64) {
    let (low, high) = (model.wanted - model.band / 2.0, model.wanted + model.band / 2.0);
    let on = model.tau * ((model.heated - low) / (model.heated - high)).ln();
    let off = model.tau * ((model.outside - high) / (model.outside - low)).ln();
    (on, off)
}

/// Runs until the heater is switched on or off for the next `times` times; gives when that is.
fn switches(sim: &mut Simulation<Thermostat>, times: u32) -> Result<f64, SimError> {
    for _ in 0..times {
        sim.step()?;
    }
    Ok(sim.now())
}

fn main() -> Result<(), Failure> {
    let folder = output_folder()?;
    println!("{:<6}{:^25}   {:^25}   {:^25}", "", "cycle, h", "on for, h", "mean temperature, °C");
    let pair = format!("{:>12}{:>13}", "exact", "found");
    println!("{:<6}{pair}   {pair}   {pair}", "band");
    let mut figure = Figure::new("A thermostat with a hysteresis", "time, h", "temperature, °C");
    for (number, band) in [0.5, 1.0, 2.0, 3.0, 6.0].into_iter().enumerate() {
        let model = Thermostat { band, ..Thermostat::default() };
        let mut sim = model.clone().start(0)?;
        // From where the heater goes on for the first time.
        let start = switches(&mut sim, 2)?;
        let mut ahead = sim.clone();
        let mut heated = 0.0;
        for _ in 0..CYCLES {
            let on = ahead.now();
            heated += switches(&mut ahead, 1)? - on;
            switches(&mut ahead, 1)?;
        }
        let mut path = Path::of(["temperature"]);
        sim.run_with(&mut path, ahead.now())?;
        let found = [
            (ahead.now() - start) / f64::from(CYCLES),
            heated / f64::from(CYCLES),
            path.mean("temperature").unwrap_or(f64::NAN),
        ];
        let (on, off) = exact(&model);
        let mean = (on * model.heated + off * model.outside) / (on + off);
        let pairs = [(on + off, found[0]), (on, found[1]), (mean, found[2])];
        let [cycle, heated, temperature] = pairs.map(|(exact, found)| format!("{exact:>12.9}{found:>13.9}"));
        println!("{band:<6}{cycle}   {heated}   {temperature}");
        if [1.0, 6.0].contains(&band) {
            let grid = path.on_grid(0.02)?;
            let line = grid.times().iter().zip(grid.values("temperature").ok_or("no such coordinate")?);
            let line = line.map(|(time, value)| (time - start, value)).take_while(|(time, _)| *time < 12.0);
            figure = figure.colour(1 + number / 2).line(&format!("band of {band} °C"), line);
        }
    }
    let picture = folder.join("thermostat.svg");
    figure.save(&picture)?;
    println!("\nWritten: {}", picture.display());
    Ok(())
}
