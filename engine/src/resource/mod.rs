//! Resources to hold in the state of a model, with statistics of their use and of the queues for them.
//!
//! | type | is |
//! |---|---|
//! | [`Resource`] | a number of equal units that are held for a while: servers, machines, beds |
//! | [`Preemptive`] | the same, whose holders can lose their unit to the more urgent |
//! | [`Store`] | items that are put and taken |
//! | [`Container`] | a quantity that is put and taken, with a level |
//! | [`Gate`] | open or closed |
//! | [`Queue`] | those who wait for anything else |
//! | [`TimeWeighted`] | the statistics over time of a value that changes by steps |
//! | [`Tally`] | the statistics of values that come one by one |
//!
//! They are plain values that know nothing of a simulation. They have *conditions*, which an activity waits for
//! (`is_free`, `admits`, `has`, …) and which only look; *changes*, which take the time; and statistics. Who waits, in
//! which order they go on, and that each sees what the one before left, is the business of the model's activities.
//!
//! ```
//! use clockrace::resource::Resource;
//! use clockrace::simulation;
//!
//! simulation! {
//!     /// A desk with two clerks.
//!     model Desk {
//!         state desk: Resource = Resource::new(2);
//!         /// When those came who wait.
//!         state line: std::collections::VecDeque<f64> = Default::default();
//!
//!         clock arrival: rate(3.0) => { line.push_back(desk.ask(now)?); }
//!         clock begin if desk.is_free() && !line.is_empty(): after(0.0) => {
//!             if let Some(asked) = line.pop_front() {
//!                 desk.seize(asked, now)?;
//!             }
//!         }
//!         clock end: rate(2.0 * desk.busy() as f64) => { desk.release(now)?; }
//!         clock warm: at(1_000.0) => { desk.reset(now)?; }
//!
//!         observe waiting = desk.queue().len();
//!         observe utilisation = desk.utilisation(now);
//!     }
//! }
//!
//! # fn main() -> Result<(), clockrace::SimError> {
//! let mut sim = Desk {}.start(1)?;
//! sim.run_until(20_000.0)?;
//! let desk = &sim.state().desk;
//! // On average 3/4 of the clerks are busy and, by Erlang's delay formula, 27/14 wait.
//! assert!((desk.utilisation(sim.now()) - 0.75).abs() < 0.02);
//! assert!((desk.queue().mean_length(sim.now()) - 27.0 / 14.0).abs() < 0.4);
//! # Ok(())
//! # }
//! ```
//!
//! # Time
//!
//! Every change is given the time, `now`, which must not decrease; by no more than rounding (a few units in the last
//! place) it may, as everywhere, and counts as the latest time then. Statistics over time are asked for with the time
//! until which they should go. What lasts no time, such as a wait that is over in the instant in which it began, is in
//! no mean and no maximum over time.
//!
//! They begin at time 0, or where `since` says. `reset` ends a warm-up: statistics are forgotten, and nothing of the
//! state is; in particular those who wait go on waiting, and are counted.
//!
//! # Errors
//!
//! What cannot be done – to release what is not held, to take what is not there, a time that goes back – is a
//! [`ResourceError`], and changes nothing. Conditions and statistics cannot fail; what is not defined is NaN.

mod container;
mod counted;
mod error;
mod gate;
mod preemptive;
mod queue;
mod store;
mod sum;
mod tally;
#[cfg(test)]
mod tests;
mod time_weighted;
mod weighted;

pub use container::Container;
pub use counted::Resource;
pub use error::ResourceError;
pub use gate::Gate;
pub use preemptive::Preemptive;
pub use queue::Queue;
pub use store::Store;
pub use tally::Tally;
pub use time_weighted::TimeWeighted;
