clockrace::simulation! {
    pub model Words {
        index site = 0..3;
        state u[k in site]: u64 = 0;
        #[select(tree)]
        clock single: rate(1.0) => { u[0] += 1; }
        #[select(fast)]
        clock unknown[k in site]: rate(1.0) => { u[k] += 1; }
        #[select]
        clock bare[k in site]: rate(1.0) => { u[k] += 1; }
        #[select(tree)]
        #[select(composition_rejection)]
        clock both[k in site]: rate(1.0) => { u[k] += 1; }
        #[select(next_reaction)]
        clock method[k in site]: rate(1.0) => { u[k] += 1; }
    }
}

clockrace::simulation! {
    pub model Places {
        index site = 0..3;
        #[select(tree)]
        state u[k in site]: u64 = 0;
        #[select(tree)]
        clock timed[k in site]: every(1.0) => { u[k] += 1; }
        #[select(blocks)]
        clock rated[k in site]: rate(1.0) => { u[k] += 1; }
        #[select(pair_tree)]
        reaction mass[k in site]: u[k] -> @ 1.0;
    }
}

clockrace::simulation! {
    #[select(next_reaction)]
    pub model Times {
        index site = 0..3;
        state u[k in site]: u64 = 0;
        #[select(composition_rejection)]
        clock rated[k in site]: rate(1.0) => { u[k] += 1; }
    }
}

fn main() {}
