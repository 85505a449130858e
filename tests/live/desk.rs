//! What is run live here: people come to a desk and leave it, all of them from outside.

use clockrace::{Simulation, simulation};

simulation! {
    pub model Desk {
        state came: Vec<(f64, u64)> = Vec::new();
        state left: Vec<(f64, u64)> = Vec::new();
        event arrive(who: u64) => { came.push((now, who)); }
        event leave(who: u64) => { left.push((now, who)); }
    }
}

/// A desk at time 0.
pub(crate) fn desk() -> Simulation<Desk> {
    Desk {}.start(1).expect("the model is sound")
}

/// Who came, in their order.
pub(crate) fn who(list: &[(f64, u64)]) -> Vec<u64> {
    list.iter().map(|&(_, who)| who).collect()
}

/// When they came, in their order.
pub(crate) fn when(list: &[(f64, u64)]) -> Vec<f64> {
    list.iter().map(|&(when, _)| when).collect()
}

impl PartialEq for DeskMessage {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (DeskMessage::Arrive(a), DeskMessage::Arrive(b)) | (DeskMessage::Leave(a), DeskMessage::Leave(b)) => a == b,
            _ => false,
        }
    }
}
