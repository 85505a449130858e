//! Dynamic events, activities, lines and time in ticks.

mod activities;
mod ancestors;
mod events;
mod members;
mod peers;
mod ticks;
