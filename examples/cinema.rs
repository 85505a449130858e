//! A cinema with three films and one queue for tickets, which empties by a third whenever a film is sold out.
//!
//! Everybody queues for some tickets to one film. When that is sold out, all who wait for it leave at once.
//! Who wants more tickets than are left is refused; a single seat is never sold. Whatever happens in the queue,
//! those who come to the counter for one film want 1 to 6 tickets, equally often. So how often a seat stays
//! empty, and how many have bought tickets or were refused until a film is sold out, is known exactly.
//!
//! `cargo run --release --example cinema`

use clockrace::record::Sample;
use clockrace::resource::Resource;
use clockrace::{Ensemble, simulation};
use clockrace_examples::{COMPARED, Failure, compared};

/// The most tickets that anybody wants.
const TICKETS: u32 = 6;

simulation! {
    /// Time is in minutes.
    model Cinema {
        param films: usize;
        param seats: u32;
        /// People who come in a minute.
        param arrivals: f64;

        index film = 0..films;
        state counter: Resource = Resource::new(1);
        state seats_left[f in film]: u32 = seats;
        state bought[f in film]: u32 = 0;
        state refused[f in film]: u32 = 0;
        /// Who left the queue because the film was sold out, and when that was.
        state left[f in film]: u32 = 0;
        state closed[f in film]: f64 = f64::INFINITY;
        /// How many groups waited then.
        state waiting[f in film]: usize = 0;
        tally late: u32 = 0;

        let sold_out[f in film] = seats_left[f] < 2;

        clock arrival: rate(arrivals) => {
            let f = rng.random_range(0..films);
            if !sold_out[f] {
                moviegoer.start(f, rng.random_range(1..=TICKETS));
            }
        }
        activity moviegoer(f in film, tickets: u32) {
            let asked = counter.ask(now)?;
            if !wait_for(counter.is_free(), unless = sold_out[f]) {
                counter.renege(asked, now)?;
                left[f] += 1;
                if now > closed[f] {
                    late += 1;
                }
                return;
            }
            counter.seize(asked, now)?;
            if tickets <= seats_left[f] {
                seats_left[f] -= tickets;
                bought[f] += 1;
                if sold_out[f] {
                    closed[f] = now;
                    waiting[f] = counter.queue().len();
                }
                wait(1.0);
            } else {
                refused[f] += 1;
                wait(0.5);
            }
            counter.release(now)?;
        }

        stop over if (0..films).all(|f| sold_out[f]) && moviegoer.is_empty();
    }
}

/// The mean number of seats that stay empty, of groups that buy and of groups that are refused, of a film with
/// 0, 1, … seats.
fn exact(seats: u32) -> [f64; 3] {
    let mut means = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    for seats in 2..=seats {
        // This many of the six wishes can be fulfilled; until one comes, all others are refused.
        let fits = seats.min(TICKETS);
        let mean = |of: usize| (1..=fits).map(|k| means[(seats - k) as usize][of]).sum::<f64>() / f64::from(fits);
        let refused = f64::from(TICKETS - fits) / f64::from(fits);
        means.push([mean(0), mean(1) + 1.0, mean(2) + refused]);
    }
    means[seats as usize]
}

fn main() -> Result<(), Failure> {
    let cinema = Cinema { films: 3, seats: 50, arrivals: 2.0 };
    println!("One evening\n\n film  sold out at  in the queue  leave");
    let mut evening = cinema.clone().start(1)?;
    evening.run_until(f64::INFINITY)?;
    let state = evening.state();
    for (film, time) in state.closed.iter().enumerate() {
        println!("{:>5}  {time:>11.1}  {:>12}  {:>5}", film + 1, state.waiting[film], state.left[film]);
    }

    let evenings = 2_000;
    let runs = Ensemble::new(&cinema).replicates(evenings).seed(1).map(|mut sim| {
        sim.run_until(f64::INFINITY)?;
        let state = sim.state();
        let counts = [&state.seats_left, &state.bought, &state.refused];
        // The films are alike, but not independent: the mean of an evening is one value.
        let means = counts.map(|of| f64::from(of.iter().sum::<u32>()) / of.len() as f64);
        Ok((means, state.left.iter().sum::<u32>(), sim.tallies().late))
    })?;
    println!("\n{:<22}{COMPARED}", format!("{evenings} evenings, a film"));
    for ((of, name), exact) in
        ["seats empty", "groups with tickets", "groups refused"].iter().enumerate().zip(exact(50))
    {
        let found: Sample = runs.iter().map(|(means, ..)| means[of]).collect();
        println!("  {name:<20}{}", compared(exact, &found, 3));
    }
    let left: u32 = runs.iter().map(|(_, left, _)| left).sum();
    let late: u32 = runs.iter().map(|(.., late)| late).sum();
    println!("\n{left} groups left the queue when their film was sold out, {late} of them not at that moment");
    Ok(())
}
