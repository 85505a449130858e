//! The progress bar, or nothing in its place.

#[cfg(feature = "progress")]
use indicatif::{ProgressBar, ProgressStyle};

/// Counts the replicates that are done.
pub(super) struct Progress {
    #[cfg(feature = "progress")]
    bar: ProgressBar,
}

#[cfg(feature = "progress")]
impl Progress {
    pub(super) fn new(show: bool, replicates: usize) -> Self {
        if !show {
            return Progress { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::new(replicates as u64);
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {human_pos} of {human_len} replicates, {eta} left")
        {
            bar.set_style(style);
        }
        Progress { bar }
    }

    pub(super) fn one_more(&self) {
        self.bar.inc(1);
    }

    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(not(feature = "progress"))]
impl Progress {
    pub(super) fn new(_show: bool, _replicates: usize) -> Self {
        Progress {}
    }

    pub(super) fn one_more(&self) {}

    pub(super) fn end(&self) {}
}
