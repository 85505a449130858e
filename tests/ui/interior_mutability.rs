use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, Mutex, atomic::AtomicU64};

clockrace::simulation! {
    pub model M {
        param a: Arc<Mutex<u64>>;
        state b: Cell<u64> = Cell::new(0);
        state c: Option<RefCell<u64>> = None;
        state d: Rc<u64> = Rc::new(0);
        tally e: Arc<AtomicU64> = Arc::new(AtomicU64::new(0));
    }
}

fn main() {}
