//! The outputs that are recorded, by name.

use std::ops::Range;
use std::sync::Arc;

use crate::error::{ErrorKind, SimError};
use crate::model::Model;
use crate::view::View;

/// The numeric outputs of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outputs {
    /// As the model declares them: a family once.
    declared: &'static [&'static str],
    /// Of a family, its members one by one.
    names: Arc<[String]>,
}

impl Outputs {
    pub(crate) fn of<M: Model>(view: View<'_, M>) -> Self {
        Outputs { declared: M::OUTPUTS, names: view.output_names().into() }
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Where the output `name` stands.
    pub(crate) fn index(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// Where the members of the family `name` stand; of `s[1]`, those whose first index is 1.
    pub(crate) fn members(&self, name: &str) -> Option<Range<usize>> {
        let is_member = |known: &String| {
            known.strip_prefix(name).is_some_and(|indices| indices.is_empty() || indices.starts_with('['))
        };
        let Some(first) = self.names.iter().position(is_member) else {
            return self.declared.contains(&name).then_some(0..0);
        };
        let count = self.names[first..].iter().take_while(|known| is_member(known)).count();
        Some(first..first + count)
    }

    /// Whether `count` outputs of `M` can be these: all that can be told without their names.
    fn can_be<M: Model>(&self, count: usize) -> bool {
        self.names.len() == count && self.declared == M::OUTPUTS
    }

    /// Whether these are the outputs of `view`.
    pub(crate) fn are_of<M: Model>(&self, view: View<'_, M>) -> bool {
        self.can_be::<M>(view.output_count())
            // Without families, names are what the model declares.
            && (self.names.iter().eq(self.declared) || *self.names == *view.output_names())
    }
}

/// The outputs of the simulation that a recorder follows; none until it has seen one.
#[derive(Clone, Debug, Default)]
pub(super) struct Followed {
    outputs: Option<Outputs>,
    /// Declarations and number of the outputs of the simulation that the recorder saw last; `None`
    /// if the next may be another one.
    last: Option<(&'static [&'static str], usize)>,
}

impl Followed {
    /// What is known by these names, of no simulation.
    pub(super) fn named(names: Vec<String>) -> Self {
        Followed { outputs: Some(Outputs { declared: &[], names: names.into() }), last: None }
    }

    /// Takes the outputs of `view`, or checks that they are the ones already taken; says how many
    /// there are.
    #[inline]
    pub(super) fn follow<M: Model>(&mut self, view: View<'_, M>) -> Result<usize, SimError> {
        let count = view.output_count();
        match self.last {
            // This is asked at every event, and the address is nearly always enough.
            Some((declared, last)) if std::ptr::eq(declared.as_ptr(), M::OUTPUTS.as_ptr()) && last == count => {}
            _ => self.meet(view, count)?,
        }
        Ok(count)
    }

    #[cold]
    fn meet<M: Model>(&mut self, view: View<'_, M>, count: usize) -> Result<(), SimError> {
        let same = match &self.outputs {
            None => {
                self.outputs = Some(Outputs::of(view));
                true
            }
            Some(outputs) if self.last.is_some() => outputs.can_be::<M>(count),
            Some(outputs) => outputs.are_of(view),
        };
        if !same {
            return Err(SimError::new(ErrorKind::User(Arc::new(OtherOutputs)), view.now()));
        }
        self.last = Some((M::OUTPUTS, count));
        Ok(())
    }

    /// Another simulation may follow, if its outputs are the same.
    pub(super) fn part(&mut self) {
        self.last = None;
    }

    pub(super) fn names(&self) -> &[String] {
        self.outputs.as_ref().map_or(&[], Outputs::names)
    }

    pub(super) fn index(&self, name: &str) -> Option<usize> {
        self.outputs.as_ref()?.index(name)
    }

    pub(super) fn members(&self, name: &str) -> Option<Range<usize>> {
        self.outputs.as_ref()?.members(name)
    }
}

#[derive(Debug, thiserror::Error)]
#[error(
    "this recorder follows a simulation with other outputs, of another model or of another size; \
     use a new one for each simulation"
)]
struct OtherOutputs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::testing::{Sites, Steps};
    use crate::record::{BatchMeans, Grid, TimeAverage};
    use crate::simulation::Simulation;

    #[test]
    fn members_stand_one_by_one_in_the_order_of_declaration() {
        let sim = Sites::of(2, 2);
        let names = [
            "sum",
            "profile[0]",
            "profile[1]",
            "last",
            "s[0][0]",
            "s[0][1]",
            "s[0][2]",
            "s[1][0]",
            "s[1][1]",
            "s[1][2]",
        ];
        assert_eq!(sim.view().output_names(), names);
        assert_eq!(sim.view().output_count(), 10);
        let outputs = Outputs::of(sim.view());
        for (k, name) in names.iter().enumerate() {
            assert_eq!(outputs.index(name), Some(k));
            assert_eq!(outputs.members(name), Some(k..k + 1));
        }
        assert_eq!(outputs.members("profile"), Some(1..3));
        assert_eq!(outputs.members("s"), Some(4..10));
        assert_eq!(outputs.members("s[1]"), Some(7..10));
        for other in ["", "su", "profil", "profile[", "profile[2]", "profile[0]]", "s[2]", "s[1", "s[", "other"] {
            assert_eq!(outputs.members(other), None, "{other}");
            assert_eq!(outputs.index(other), None, "{other}");
        }
        assert_eq!(outputs.index("profile"), None);
    }

    #[test]
    fn a_family_may_have_no_members() {
        let sim = Sites::of(0, 0);
        let outputs = Outputs::of(sim.view());
        assert_eq!(outputs.names(), ["sum", "last"]);
        assert_eq!((outputs.members("profile"), outputs.members("last")), (Some(0..0), Some(1..2)));
        let mut average = TimeAverage::new();
        Sites::of(0, 0).run_with(&mut average, 1.0).unwrap();
        assert_eq!(average.means_of("profile"), Some(Vec::new()));
        assert_eq!(average.means_of("sum"), Some(vec![0.0]));
    }

    /// Whether a recorder that has seen `first` refuses `second`, and stays as it was.
    fn refuses<A: Model, B: Model>(first: impl Fn() -> Simulation<A>, second: impl Fn() -> Simulation<B>) -> bool {
        let mut grid = Grid::every(1.0).unwrap();
        let mut average = TimeAverage::new();
        let mut batches = BatchMeans::between(0.0, 1.0, 1).unwrap();
        first().run_with(&mut (&mut grid, &mut average, &mut batches), 1.0).unwrap();
        let known = |grid: &Grid, average: &TimeAverage, batches: &BatchMeans| {
            let names = [grid.outputs(), average.outputs(), batches.outputs()].map(<[String]>::to_vec);
            let last = names[0].last().unwrap();
            let means = (average.mean(last), batches.sample(last).map(|sample| sample.mean()));
            (grid.row(1).map(<[f64]>::to_vec), means, names)
        };
        let before = known(&grid, &average, &batches);

        let mut late = second();
        late.run_until(1.0).unwrap();
        let errors = [
            late.run_with(&mut grid, 2.0).err(),
            late.run_with(&mut average, 2.0).err(),
            late.run_with(&mut batches, 2.0).err(),
        ];
        let refused = errors.each_ref().map(|error| {
            error.as_ref().is_some_and(|error| {
                assert!(matches!(error.kind(), ErrorKind::User(_)), "{error}");
                assert!(error.to_string().contains("other outputs"), "{error}");
                true
            })
        });
        assert!(refused.windows(2).all(|two| two[0] == two[1]), "{errors:?}");
        if refused[0] {
            assert_eq!(before, known(&grid, &average, &batches));
        }
        refused[0]
    }

    #[test]
    fn another_model_or_another_size_is_refused() {
        assert!(refuses(|| Sites::of(3, 2), || Sites::of(4, 2)));
        assert!(refuses(|| Sites::of(4, 2), || Sites::of(3, 2)));
        assert!(refuses(|| Sites::of(0, 2), || Sites::of(1, 2)));
        assert!(refuses(|| Sites::of(3, 2), || Steps::at([]).run()));
        assert!(refuses(|| Steps::at([]).run(), || Sites::of(3, 2)));
        assert!(!refuses(|| Sites::of(3, 2), || Sites::of(3, 2)));
        assert!(!refuses(|| Steps::at([]).run(), || Steps::at([]).run()));
    }

    #[test]
    fn after_a_reset_names_are_compared() {
        for (rows, same) in [(2, true), (3, false)] {
            let mut average = TimeAverage::new();
            Sites::of(3, 2).run_with(&mut average, 1.0).unwrap();
            average.reset();
            // As many outputs, but others.
            let mut sim = Sites::of(3, rows);
            assert_eq!(sim.run_with(&mut average, 1.0).is_ok(), same);
            assert_eq!(average.outputs().len(), 11);
            assert_eq!(average.mean("s[1][2]").is_some(), same);
        }
    }

    #[test]
    fn names_are_shared_between_clones() {
        let mut grid = Grid::every(1.0).unwrap();
        let mut sim = Sites::of(3, 2);
        sim.run_with(&mut grid, 1.0).unwrap();
        let address = |grid: &Grid| grid.outputs().as_ptr();
        let before = address(&grid);
        sim.run_with(&mut grid, 2.0).unwrap();
        assert_eq!([address(&grid), address(&grid.clone())], [before; 2]);
    }

    #[test]
    fn one_output_of_a_view() {
        let mut sim = Sites::of(3, 2);
        sim.run_until(4.5).unwrap();
        let output = |name: &str| sim.view().output(name).unwrap();
        assert_eq!([0, 1, 2].map(|k| output(&format!("profile[{k}]"))), [Some(4.0), Some(2.0), Some(1.0)]);
        assert_eq!((output("sum"), output("last"), output("s[1][2]")), (Some(7.0), Some(1.0), Some(712.0)));
        assert_eq!((output("profile"), output("profile[3]"), output("u[0]")), (None, None, None));
        let mut all = vec![f64::NAN; sim.view().output_count()];
        sim.view().outputs(&mut all).unwrap();
        assert_eq!(all, [7.0, 4.0, 2.0, 1.0, 1.0, 700.0, 701.0, 702.0, 710.0, 711.0, 712.0]);
    }
}
