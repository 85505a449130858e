//! Choices at random that are always the same.

use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// A source of choices for thing number `number` of a kind.
pub(crate) fn runner(kind: u8, number: usize) -> TestRunner {
    let mut seed = [kind; 32];
    seed[..8].copy_from_slice(&(number as u64).to_le_bytes());
    TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &seed))
}

/// Who makes choices.
pub(crate) trait Chooses {
    fn runner(&mut self) -> &mut TestRunner;

    fn pick<S: Strategy>(&mut self, strategy: S) -> S::Value {
        strategy.new_tree(self.runner()).expect("the strategy rejects nothing").current()
    }

    fn chance(&mut self, of: u32, among: u32) -> bool {
        self.pick(0..among) < of
    }

    /// One of several, in proportion.
    fn choose<T: Clone>(&mut self, options: &[(u32, T)]) -> T {
        let total: u32 = options.iter().map(|(weight, _)| weight).sum();
        let mut at = self.pick(0..total);
        for (weight, option) in options {
            if at < *weight {
                return option.clone();
            }
            at -= weight;
        }
        unreachable!("the weights add up")
    }
}
