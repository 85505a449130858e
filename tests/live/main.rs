//! Runs that other threads send events to, watch, pace and stop.

#![allow(unreachable_pub, reason = "test code")]

mod desk;
mod ends;
mod events;
mod facts;
mod pacing;
mod queue;
mod sinks;
mod sources;
mod stress;
mod ticks;
