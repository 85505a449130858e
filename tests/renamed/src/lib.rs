//! Models of a crate that knows `clockrace` as `renamed` only, and that is strict about what it
//! compiles.

#![deny(
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unused,
    rust_2018_idioms,
    elided_lifetimes_in_paths,
    trivial_casts,
    trivial_numeric_casts,
    unused_qualifications,
    clippy::all,
    clippy::pedantic
)]

pub use renamed::{Model, Outcome, SimError};

renamed::simulation! {
    crate = ::renamed;

    /// A queue with one server, of which every item is used and documented.
    #[must_use]
    pub model Queue {
        /// Customers in a unit of time.
        param arrivals: f64 = 1.0 in 0.0..;
        /// How long a service takes.
        param service: f64 = 0.25;
        /// Customers at the start.
        state waiting: u64;
        /// Whether the server is busy.
        state busy: bool = false;
        /// Customers that were served.
        tally served: u64 = 0;
        /// The lot of them.
        let all = waiting + u64::from(busy);
        /// Constant.
        let twice = 2.0 * service;

        init {
            if waiting > 0 {
                begin();
            }
        }

        /// A customer goes to the server.
        action begin() {
            waiting -= 1;
            busy = true;
        }

        /// Somebody comes.
        clock arrival: every(1.0 / arrivals) => {
            waiting += 1;
            if !busy {
                begin();
            }
        }
        /// Somebody goes.
        clock departure if busy: after(twice / 2.0) => {
            busy = false;
            served += 1;
            if waiting > 0 {
                begin();
            }
        }
        /// Somebody goes without having been served.
        reaction renege: waiting -> @ 0.0;

        /// Customers in the system.
        observe customers = all;
        /// Customers that have gone.
        observe gone: u64 = served;
        /// Never in this test.
        invariant bounded: all < 1000;
        /// Too many.
        stop crowded if waiting > 100;
    }
}

renamed::simulation! {
    crate = ::renamed;

    // Without a doc comment of its own.
    pub model Configured<T: Copy + core::fmt::Debug> {
        param step: T;
        state last: Option<T> = None;
        state n: u64 = 0;
        #[cfg(all())]
        clock on: every(1.0) => {
            last = Some(step);
            n += 1;
        }
        #[cfg(not(all()))]
        clock off: every(1.0) => { n += 100; }
        observe n = n;
    }
}
