//! Observers: static calls while a simulation runs.

use crate::error::SimError;
use crate::model::Model;
use crate::view::View;

/// Sees a run as it happens. Calls are static, and `()` costs nothing at all.
///
/// Observers compose as tuples: `sim.run_with(&mut (&mut log, &mut averages), 100.0)`, or
/// `&mut (log, averages)` if they are not needed afterwards. An error that a method returns ends the run.
pub trait Observer<M: Model> {
    /// Whether anything is observed.
    const ACTIVE: bool = true;

    /// Time is about to move from `view.now()` to `until`; nothing happens in between. The state
    /// in `view` holds from `view.now()`, included, to `until`, excluded; what flows meanwhile is seen
    /// by [`View::at`].
    ///
    /// # Errors
    /// Whatever should end the run.
    fn advance(&mut self, view: View<'_, M>, until: f64) -> Result<(), SimError> {
        let _ = (view, until);
        Ok(())
    }

    /// `event` has happened; `view` shows the state after it.
    ///
    /// # Errors
    /// Whatever should end the run.
    fn event(&mut self, view: View<'_, M>, event: M::Event) -> Result<(), SimError> {
        let _ = (view, event);
        Ok(())
    }

    /// Something is about to happen at `time`, or is proposed by thinning; `view` shows the state before, at
    /// the time of the last event. Everything until the next [`after_instant`](Observer::after_instant) happens at this time.
    ///
    /// # Errors
    /// Whatever should end the run.
    fn before_instant(&mut self, view: View<'_, M>, time: f64) -> Result<(), SimError> {
        let _ = (view, time);
        Ok(())
    }

    /// Everything of this instant has happened, or the run ends in the middle of it because a `stop` holds.
    ///
    /// # Errors
    /// Whatever should end the run.
    fn after_instant(&mut self, view: View<'_, M>) -> Result<(), SimError> {
        let _ = view;
        Ok(())
    }

    /// An instance of an activity that gives a `Result` has failed in `event`, which has just happened: it has ended, and
    /// nothing else has.
    ///
    /// # Errors
    /// Whatever should end the run.
    fn failed(&mut self, view: View<'_, M>, event: M::Event, error: &SimError) -> Result<(), SimError> {
        let _ = (view, event, error);
        Ok(())
    }

    /// A run is over, at `view.now()`. It may be continued.
    ///
    /// # Errors
    /// Whatever should be reported.
    fn finish(&mut self, view: View<'_, M>) -> Result<(), SimError> {
        let _ = view;
        Ok(())
    }
}

impl<M: Model, O: Observer<M>> Observer<M> for &mut O {
    const ACTIVE: bool = O::ACTIVE;

    fn advance(&mut self, view: View<'_, M>, until: f64) -> Result<(), SimError> {
        (**self).advance(view, until)
    }

    fn event(&mut self, view: View<'_, M>, event: M::Event) -> Result<(), SimError> {
        (**self).event(view, event)
    }

    fn before_instant(&mut self, view: View<'_, M>, time: f64) -> Result<(), SimError> {
        (**self).before_instant(view, time)
    }

    fn after_instant(&mut self, view: View<'_, M>) -> Result<(), SimError> {
        (**self).after_instant(view)
    }

    fn failed(&mut self, view: View<'_, M>, event: M::Event, error: &SimError) -> Result<(), SimError> {
        (**self).failed(view, event, error)
    }

    fn finish(&mut self, view: View<'_, M>) -> Result<(), SimError> {
        (**self).finish(view)
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<M: Model, $($name: Observer<M>),*> Observer<M> for ($($name,)*) {
            const ACTIVE: bool = false $(|| $name::ACTIVE)*;

            #[allow(unused_variables, non_snake_case)]
            fn advance(&mut self, view: View<'_, M>, until: f64) -> Result<(), SimError> {
                let ($($name,)*) = self;
                $($name.advance(view, until)?;)*
                Ok(())
            }

            #[allow(unused_variables, non_snake_case)]
            fn event(&mut self, view: View<'_, M>, event: M::Event) -> Result<(), SimError> {
                let ($($name,)*) = self;
                $($name.event(view, event)?;)*
                Ok(())
            }

            #[allow(unused_variables, non_snake_case)]
            fn before_instant(&mut self, view: View<'_, M>, time: f64) -> Result<(), SimError> {
                let ($($name,)*) = self;
                $($name.before_instant(view, time)?;)*
                Ok(())
            }

            #[allow(unused_variables, non_snake_case)]
            fn after_instant(&mut self, view: View<'_, M>) -> Result<(), SimError> {
                let ($($name,)*) = self;
                $($name.after_instant(view)?;)*
                Ok(())
            }

            #[allow(unused_variables, non_snake_case)]
            fn failed(&mut self, view: View<'_, M>, event: M::Event, error: &SimError) -> Result<(), SimError> {
                let ($($name,)*) = self;
                $($name.failed(view, event, error)?;)*
                Ok(())
            }

            #[allow(unused_variables, non_snake_case)]
            fn finish(&mut self, view: View<'_, M>) -> Result<(), SimError> {
                let ($($name,)*) = self;
                $($name.finish(view)?;)*
                Ok(())
            }
        }
    };
}

tuples!();
tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);

/// A closure as an observer: it is called after every event.
///
/// [`Simulation::run_each`](crate::Simulation::run_each) takes the closure directly.
pub fn on_event<M: Model, F: FnMut(View<'_, M>, M::Event)>(each: F) -> OnEvent<F> {
    OnEvent(each)
}

/// See [`on_event`].
#[derive(Clone, Debug)]
pub struct OnEvent<F>(F);

impl<M: Model, F: FnMut(View<'_, M>, M::Event)> Observer<M> for OnEvent<F> {
    fn event(&mut self, view: View<'_, M>, event: M::Event) -> Result<(), SimError> {
        (self.0)(view, event);
        Ok(())
    }
}
