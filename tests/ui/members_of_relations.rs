clockrace::simulation! {
    pub model M {
        param lists: Vec<Vec<f64>> = Vec::new();
        index site = 0..3;
        relation floats(k in site) -> site = lists[k].iter();
        relation without(k in site) -> (site, f64) = [k];
        relation with(k in site) -> site = [(k, 1.0)];
        relation other(k in site) -> (site, f64) = [(k, 1_u8)];
    }
}

fn main() {}
