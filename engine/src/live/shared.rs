//! What the loop and other threads tell each other.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use super::pace::Frame;

/// Messages have been sent.
pub(super) const MAIL: u32 = 1;
/// The run is to end.
pub(super) const STOP: u32 = 1 << 1;
/// Somebody has subscribed, or has gone.
pub(super) const SUBSCRIPTIONS: u32 = 1 << 2;
/// The speed has changed.
pub(super) const SPEED: u32 = 1 << 3;
/// What the loop looks at before every event.
pub(super) const CALLS: u32 = MAIL | STOP | SUBSCRIPTIONS | SPEED;
/// The last injector is gone.
pub(super) const ALONE: u32 = 1 << 4;
/// There is room in a subscription that the loop waits for.
pub(super) const ROOM: u32 = 1 << 5;
/// The loop waits.
const WAITING: u32 = 1 << 6;

/// The sign of the time, which is never negative: the time goes on with the wall clock, and is to be computed.
const MOVES: u64 = 1 << 63;

/// A value that shares its cache lines with no other: what one side writes all the time does not slow down who reads
/// something else.
#[repr(align(128))]
struct Apart<T>(T);

/// What the loop and other threads tell each other.
pub(super) struct Shared {
    signals: Apart<AtomicU32>,
    /// The bits of the simulated time, with [`MOVES`].
    time: Apart<AtomicU64>,
    /// How the time moves while the loop waits. Whoever wakes the loop has had this lock since it began to wait.
    frame: Mutex<Option<Frame>>,
    bell: Condvar,
    /// The bits of the speed that was asked for last.
    speed: AtomicU64,
    /// How many injectors there are.
    injectors: AtomicUsize,
    /// How many messages the queue holds.
    capacity: AtomicUsize,
    /// Whether late messages are refused.
    refuses_late: AtomicBool,
    /// The thread of the run.
    runner: OnceLock<ThreadId>,
    pub(super) tally: Tally,
}

/// Counters behind [`Counts`].
#[derive(Default)]
pub(super) struct Tally {
    pub(super) injected: AtomicU64,
    pub(super) from_sources: AtomicU64,
    pub(super) late_refused: AtomicU64,
    pub(super) late_moved: AtomicU64,
    pub(super) spilled: AtomicU64,
    pub(super) lost: AtomicU64,
    pub(super) panicked: AtomicU64,
    pub(super) undelivered: AtomicU64,
}

/// What a live run has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Messages of injectors that were scheduled.
    pub injected: u64,
    /// Items of sources that were scheduled.
    pub from_sources: u64,
    /// Messages and items that came too late and were refused.
    pub late_refused: u64,
    /// Messages and items that came too late and were scheduled at the time it was; they are also counted as injected,
    /// or as from sources.
    pub late_moved: u64,
    /// Messages that found the queue full and went beyond its capacity.
    pub spilled: u64,
    /// What subscriptions have dropped because nobody read them.
    pub lost: u64,
    /// Subscriptions that ended in a panic of their closure.
    pub panicked: u64,
    /// Messages that were accepted and that a run, because it failed, has not scheduled.
    pub undelivered: u64,
}

impl Tally {
    pub(super) fn counts(&self) -> Counts {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            injected: of(&self.injected),
            from_sources: of(&self.from_sources),
            late_refused: of(&self.late_refused),
            late_moved: of(&self.late_moved),
            spilled: of(&self.spilled),
            lost: of(&self.lost),
            panicked: of(&self.panicked),
            undelivered: of(&self.undelivered),
        }
    }
}

/// Counts.
pub(super) fn count(counter: &AtomicU64, more: u64) {
    if more > 0 {
        counter.fetch_add(more, Ordering::Relaxed);
    }
}

/// Locks a mutex. Nothing that can panic runs under the locks of this module, so that what they guard is whole.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The bits of a time, without a sign: −0 is 0.
fn bits(time: f64) -> u64 {
    (time + 0.0).to_bits()
}

impl Shared {
    /// At this time, as fast as possible.
    pub(super) fn new(time: f64) -> Self {
        Shared {
            signals: Apart(AtomicU32::new(0)),
            time: Apart(AtomicU64::new(bits(time))),
            frame: Mutex::new(None),
            bell: Condvar::new(),
            speed: AtomicU64::new(f64::INFINITY.to_bits()),
            injectors: AtomicUsize::new(0),
            capacity: AtomicUsize::new(1024),
            refuses_late: AtomicBool::new(true),
            runner: OnceLock::new(),
            tally: Tally::default(),
        }
    }

    /// The run begins, in this thread.
    pub(super) fn begin(&self) {
        self.runner.get_or_init(|| thread::current().id());
    }

    /// Whether this is the thread of the run, which waits for nobody but itself.
    pub(super) fn is_runner(&self) -> bool {
        self.runner.get() == Some(&thread::current().id())
    }

    /// Whether the loop is called: the only thing that an event costs without traffic.
    #[inline(always)]
    pub(super) fn called(&self) -> bool {
        self.signals.0.load(Ordering::Relaxed) & CALLS != 0
    }

    /// The calls until now. That to stop stays.
    pub(super) fn answer(&self) -> u32 {
        self.signals.0.fetch_and(!(CALLS & !STOP), Ordering::SeqCst) & CALLS
    }

    /// Signals to the loop, and wakes it if it waits.
    pub(super) fn call(&self, signal: u32) {
        if self.signal(signal) {
            self.ring();
        }
    }

    /// Signals to the loop. If it waits, it must be [woken](Shared::ring).
    pub(super) fn signal(&self, signal: u32) -> bool {
        self.signals.0.fetch_or(signal, Ordering::SeqCst) & WAITING != 0
    }

    /// Wakes the loop.
    pub(super) fn ring(&self) {
        // The loop says that it waits, looks at the signals and begins to wait under one lock: it either sees a signal, or
        // hears the bell.
        drop(lock(&self.frame));
        self.bell.notify_one();
    }

    /// Takes a signal back.
    pub(super) fn forget(&self, signal: u32) {
        self.signals.0.fetch_and(!signal, Ordering::SeqCst);
    }

    /// Whether the run is to end.
    pub(super) fn stopped(&self) -> bool {
        self.signals.0.load(Ordering::SeqCst) & STOP != 0
    }

    /// The loop waits for one of `signals`, or until `deadline`. Meanwhile the time moves in `frame`, and it stays where it is
    /// then.
    pub(super) fn wait(&self, signals: u32, deadline: Option<Instant>, frame: Option<Frame>) {
        /// Longer waits are made of several: not every system takes any length.
        const LONGEST: Duration = Duration::from_secs(3600);

        let mut open = lock(&self.frame);
        let mut seen = self.signals.0.fetch_or(WAITING, Ordering::SeqCst);
        if seen & signals == 0 && frame.is_some() {
            *open = frame;
            self.time.0.fetch_or(MOVES, Ordering::Release);
        }
        while seen & signals == 0 {
            let wait = match deadline {
                None => LONGEST,
                Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            };
            if wait.is_zero() {
                break;
            }
            let rung = self.bell.wait_timeout(open, wait.min(LONGEST));
            open = rung.unwrap_or_else(std::sync::PoisonError::into_inner).0;
            seen = self.signals.0.load(Ordering::SeqCst);
        }
        if let Some(frame) = open.take() {
            self.time.0.store(bits(frame.time(Instant::now())), Ordering::Release);
        }
        self.signals.0.fetch_and(!WAITING, Ordering::SeqCst);
    }

    /// The loop says what time it is.
    #[inline(always)]
    pub(super) fn show(&self, time: f64) {
        self.time.0.store(bits(time), Ordering::Relaxed);
    }

    /// The time at least: exact while the loop does not wait.
    pub(super) fn time_so_far(&self) -> f64 {
        f64::from_bits(self.time.0.load(Ordering::Acquire) & !MOVES)
    }

    /// The simulated time.
    pub(super) fn time(&self) -> f64 {
        let bits = self.time.0.load(Ordering::Acquire);
        if bits & MOVES == 0 {
            return f64::from_bits(bits);
        }
        // Under the lock the wall clock is read in one order by all, and the frame stays open.
        match &*lock(&self.frame) {
            Some(frame) => frame.time(Instant::now()),
            None => self.time_so_far(),
        }
    }

    pub(super) fn speed(&self) -> f64 {
        f64::from_bits(self.speed.load(Ordering::Relaxed))
    }

    pub(super) fn set_speed(&self, speed: f64) {
        self.speed.store(speed.to_bits(), Ordering::Relaxed);
        self.call(SPEED);
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity.load(Ordering::Relaxed)
    }

    pub(super) fn set_capacity(&self, messages: usize) {
        self.capacity.store(messages.max(1), Ordering::Relaxed);
    }

    pub(super) fn refuses_late(&self) -> bool {
        self.refuses_late.load(Ordering::Relaxed)
    }

    pub(super) fn refuse_late(&self, refuse: bool) {
        self.refuses_late.store(refuse, Ordering::Relaxed);
    }

    pub(super) fn injector_made(&self) {
        self.injectors.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn injector_gone(&self) {
        // What it has sent comes before.
        if self.injectors.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.call(ALONE);
        }
    }

    /// Whether nothing can be sent any more.
    pub(super) fn alone(&self) -> bool {
        self.injectors.load(Ordering::SeqCst) == 0
    }
}
