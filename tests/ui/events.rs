//! Mistakes with events.
use clockrace::simulation;

simulation! {
    model Declarations {
        index cell = 0..3;
        relation near(i in cell) -> cell = [0];
        state n: i64 = 0;
        event no_parentheses => { n += 1; }
        event timing: after(1.0) => { n += 1; }
        event no_arrow() { n += 1; }
        event no_body();
        event guarded() if n > 0 => { n += 1; }
        event gives() -> u32 => { 3 }
        event untyped(x) => { n += 1; }
        event option(), speed = 3 => { n += 1; }
        event twice(), once, once => { n += 1; }
        event float(), priority = 1.5 => { n += 1; }
        event unfinished() => { n += ; }
        event missing() => { let x = 3 n += 1; }
        evnt misspelt() => { n += 1; }
        event pairs[(i, j) in near]() => { n += 1; }
        event fine() => { n += 1; }
    }
}

simulation! {
    model Sets {
        index cell = 0..3;
        state n: i64 = 0;
        event nowhere(y in void) => { n += 1; }
        state x[k in fine]: f64 = 0.0;
        event fine() => { n += 1; }
    }
}

simulation! {
    model Attributes {
        state n: i64 = 0;
        #[on_error(stop)]
        event stops() => { n += 1; }
        #[select(tree)]
        event selects() => { n += 1; }
    }
}

simulation! {
    model Names {
        state n: i64 = 0;
        state taken: i64 = 0;
        event ring() => { n += 1; }
        clock ring: at(1.0) => { n += 1; }
        event taken() => { n += 1; }
        event a_b() => { n += 1; }
        event aB() => { n += 1; }
        line q;
        event q() => { n += 1; }
        event argument(n: i64) => {}
    }
}

simulation! {
    model Priorities {
        state n: i64 = 0;
        event one(), priority = 1 => { n += 1; }
        event two(), priority = (1, 2) => { n += 1; }
        event three(), priority = 3 => { n += 1; }
    }
}

simulation! {
    model Uses {
        state n: i64 = 0;
        event ring(x: u32) => { n += 1; }
        clock at_nothing: at(1.0) => { ring.at(); }
        clock at_few: at(1.0) => { ring.at(2.0); }
        clock after_many: at(1.0) => { ring.after(2.0, 1, 2); }
        clock priority_first: at(1.0) => { ring.at(2.0, priority = 1, 7); }
        clock priority_twice: at(1.0) => { ring.at(2.0, 7, priority = 1, priority = 2); }
        clock option: at(1.0) => { ring.at(2.0, 7, delay = 1); }
        clock cancel: at(1.0) => { ring.cancel(); }
        clock when: at(1.0) => { let k = ring.after(1.0, 1); n = ring.when(k, 1).map_or(0, |t| t as i64); }
        clock reschedule: at(1.0) => { let k = ring.after(1.0, 1); ring.reschedule(k); }
        clock len: at(1.0) => { n = ring.len(1) as i64; }
        clock clear: at(1.0) => { ring.clear(1); }
        clock method: at(1.0) => { ring.schedule(1.0); }
        clock start: at(1.0) => { ring.start(1); }
        clock call: at(1.0) => { ring(3); }
        clock value: at(1.0) => { let x = ring; }
        clock number: rate(ring as f64) => { n += 1; }
        clock assigned: at(1.0) => { ring = 3; }
        clock indexed: at(1.0) => { ring[0].after(1.0, 1); }
        clock mine: at(1.0) => { let k = me; }
    }
}

simulation! {
    model Pure {
        state n: i64 = 0;
        state key: Key<ring> = Key::stale();
        state x: f64 = 0.0;
        event ring() => { n += 1; }
        clock in_rate: rate({ ring.after(1.0); 1.0 }) => { n += 1; }
        clock in_guard if ring.cancel(key).is_some(): rate(1.0) => { n += 1; }
        clock in_at: at({ ring.reschedule(key, 3.0); 1.0 }) => { n += 1; }
        let defined = { ring.at(1.0); 1.0 };
        clock by_definition: rate(defined) => { n += 1; }
        flow x = { ring.at(1.0); x + dt };
        observe output = { ring.at(1.0); 1.0 };
        stop far if { ring.clear(); true };
        invariant holds: { ring.clear(); true };
    }
}

simulation! {
    model Families {
        index cell = 0..3;
        index other = 0..3;
        state n: i64 = 0;
        event ring[k in cell]() => { n += k as i64; }
        event call(k in cell) => { n += k as i64; }
        clock without: at(1.0) => { ring.after(1.0); }
        clock two: at(1.0) => { ring[0][1].after(1.0); }
        clock wrong[j in other]: at(1.0) => { ring[j].after(1.0); }
        clock argument[j in other]: at(1.0) => { call.after(1.0, j); }
        clock value: at(1.0) => { let x = ring[0]; }
        clock key: at(1.0) => { let k = ring[1].after(1.0); ring[1].cancel(k); }
    }
}

simulation! {
    model Keys {
        state n: i64 = 0;
        state unknown: Key<nothing> = Key::stale();
        state of_a_clock: Key<tick> = Key::stale();
        state of_a_state: Key<n> = Key::stale();
        state of_two: Key<ring, ring> = Key::stale();
        event ring() => { n += 1; }
        clock tick: at(1.0) => { n += 1; }
    }
}

simulation! {
    model Deferred {
        state n: i64 = 0;
        clock tick: at(1.0) => { defer { n += 1; } }
        event ring() => { defer { n += 1; } n += 1; }
    }
}

fn main() {}
