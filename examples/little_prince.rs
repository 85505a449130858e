//! The little prince watches the sunset and feels happy: ranks and sequences.
//!
//! Much happens at one moment, and in an order. *Ranks* say what comes first if it happens: at each sunset the
//! sun sets, then the prince looks, and the baobab grows in any case. A *sequence* says what depends on what:
//! the prince feels happy after he has watched, and only then. In the second evening there are clouds. He
//! cannot watch, so the rest of his evening does not take place; the baobab doesn't mind.
//!
//! `cargo run --release --example little_prince`

use clockrace::{Model, simulation};
use clockrace_examples::Failure;

simulation! {
    /// Asteroid B 612. Lower ranks come first, and missing parts count as 0.
    model Asteroid {
        state clouds: bool = false;
        state mood: &'static str = "thoughtful";
        /// Leaves of the baobab.
        state leaves: u32 = 2;
        state story: Vec<String> = Vec::new();

        init { weather.at(84.0, true); weather.at(126.0, false); }

        // Declared against the order of their ranks, which alone decides.
        clock baobab: every(42.0), priority = (2, 1) => {
            leaves += 1;
            story.push(format!("the baobab has {leaves} leaves"));
        }
        activity prince() -> Result<(), &'static str>, priority = (2,) {
            story.push("the prince moves his chair".to_owned());
            watch(clouds)?;
            story.push("he watches the sunset".to_owned());
            // Another step at this moment and rank, before the baobab's.
            wait(0.0);
            mood = "happy";
            story.push("he feels happy".to_owned());
            wait(10.0);
            mood = "thoughtful";
            story.push("he thinks of his rose".to_owned());
            Ok(())
        }
        clock sunset: every(42.0), priority = (1,) => {
            story.push("the sun sets".to_owned());
            prince.start();
        }
        event weather(cloudy: bool) => {
            clouds = cloudy;
            story.push(if cloudy { "clouds come".to_owned() } else { "the clouds are gone".to_owned() });
        }
    }
}

/// What can go wrong in an evening.
fn watch(clouds: bool) -> Result<(), &'static str> {
    if clouds { Err("there are clouds before the sun") } else { Ok(()) }
}

fn main() -> Result<(), Failure> {
    let mut told = 0;
    Asteroid {}.start(1)?.run_each(150.0, |view, event| {
        let state = view.state();
        for line in &state.story[told..] {
            println!("{:>4}  {line:<28}  {:<8}  ({})", view.now(), state.mood, Asteroid::event_name(event));
        }
        told = state.story.len();
    })?;
    Ok(())
}
