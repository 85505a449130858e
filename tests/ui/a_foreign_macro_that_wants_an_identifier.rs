macro_rules! name_of {
    ($name:ident) => {
        stringify!($name)
    };
}

clockrace::simulation! {
    pub model M {
        state x: u64 = 0;
        clock b: rate(1.0) => { name_of!(x); x += 1; }
    }
}

fn main() {}
