//! A method that is taken to read only, and wants to write, is no stale clock but an error.
#[derive(Clone, Debug)]
pub struct Sneaky(u64);

impl Sneaky {
    /// Looks harmless.
    pub fn get(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }
}

clockrace::simulation! {
    pub model M {
        state sneaky: Sneaky = Sneaky(0);
        clock a: rate(1.0) => { sneaky.get(); }
    }
}

fn main() {}
