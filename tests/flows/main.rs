//! Flows, hazards that change between events, and crossings.

#![allow(missing_docs)]

mod language;
mod places;
