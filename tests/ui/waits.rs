//! Mistakes with waits.
use clockrace::simulation;

simulation! {
    model Outside {
        state n: i64 = 0;
        clock tick: at(1.0) => { wait(1.0); }
        event ring() => { wait_until(2.0); }
        action acts() { wait(1.0); }
        init { wait_for(n > 0); }
        clock in_rate: rate({ wait(1.0); 1.0 }) => { n += 1; }
        observe output = { wait(1.0); 1.0 };
        activity in_macro() { println!("{:?}", wait(1.0)); }
        activity in_function() { fn f() { wait(1.0); } f(); }
    }
}

simulation! {
    model Places {
        state n: i64 = 0;
        activity job() -> u32 { wait(1.0); 3 }
        activity closure() { (0..3).for_each(|_| { wait(1.0); }); }
        activity asynchronous() { let f = async { wait(1.0); }; }
        activity awaited() { wait(1.0).await; }
        activity sum() { n += wait(1.0, unless = n > 3) as i64; }
        activity half() { if n > 3 && wait_for(n > 5, timeout = 1.0) { n = 0; } }
        activity returned() -> bool { return wait_for(n > 5, timeout = 1.0); }
        activity matched() { match wait_for(n > 5, timeout = 1.0) { true => n = 0, false => n = 1 } }
        activity question() { wait(1.0)?; }
        activity joined() { let k = job.start(); n += job.join(k).unwrap_or(0) as i64; }
        activity let_else() { let Some(x) = job.run() else { return; }; n += x as i64; }
        activity if_let() { if let Some(x) = job.run() { n += x as i64; } }
        activity call() { std::mem::drop(wait(1.0)); }
        activity block() { let x: i64 = { wait(1.0); 3 }; n = x; }
        activity branches() { let x: i64 = if n > 0 { wait(1.0); 3 } else { 4 }; n = x; }
        activity value_of_loop() { let x: i64 = loop { wait(1.0); if n > 3 { break n; } n += 1; }; n = x; }
        activity break_value() { loop { wait(1.0); if n > 3 { break 5; } n += 1; } }
        activity in_wait() { wait(wait(1.0, unless = n > 3)); }
        activity in_condition() { wait_for(wait_for(n > 3, timeout = 1.0)); }
        activity in_option() { wait(1.0, timeout = wait(2.0, unless = n > 3)); }
        activity misspelt() { waitfor(n > 0); }
    }
}

simulation! {
    model Deferred {
        state n: i64 = 0;
        activity waits() { defer { wait(1.0); } wait(2.0); }
        activity returns() { defer { return; } wait(2.0); }
        activity breaks() { loop { defer { break; } wait(2.0); } }
        activity nested() { defer { defer { n += 1; } } wait(2.0); }
        activity value() { let x = defer { n += 1; }; wait(1.0); }
    }
}

simulation! {
    model Braces {
        state n: i64 = 0;
        activity without() { defer n += 1; wait(1.0); }
    }
}

simulation! {
    model Values {
        state n: i64 = 0;
        activity empty() { wait(1.0, timeout = ); }
        activity colon() { wait(1.0, timeout: 3.0); }
    }
}

simulation! {
    model Options {
        state n: i64 = 0;
        line queue;
        line other;
        activity unknown() { wait(1.0, limit = 3.0); }
        activity speed_of_condition() { wait_for(n > 0, speed = 3.0); }
        activity line_of_delay() { wait(1.0, line = queue); }
        activity priority_of_delay() { wait(1.0, priority = 3); }
        activity speed_of_moment() { wait_until(1.0, speed = 3.0); }
        activity twice() { wait(1.0, timeout = 3.0, timeout = 2.0); }
        activity without_value() { wait(1.0, timeout); }
        activity compared() { wait(1.0, timeout == 3.0); }
        activity two() { wait(1.0, 3.0); }
        activity none() { wait(); }
        activity no_condition() { wait_for(); }
        activity no_moment() { wait_until(); }
        activity only_an_option() { wait(timeout = 3.0); }
        activity unknown_line() { wait_for(n > 0, line = nowhere); }
        activity state_as_line() { wait_for(n > 0, line = n); }
        activity either_line() { wait_for(n > 0, line = if n > 3 { queue } else { other }); }
    }
}

simulation! {
    model Conditions {
        param p: u32 = 3;
        state n: i64 = 0;
        state unwritten: u32 = 0;
        state x: f64 = 0.0;
        tally t: u32 = 0;
        flow x = x + dt;
        let late = now > 3.0;
        activity moment() { wait_for(now > 3.0); }
        activity defined() { wait_for(late); }
        activity unless_moment() { wait(5.0, unless = now > 3.0); }
        activity speed_of_moment() { wait(5.0, speed = now); }
        activity flowing() { wait_for(x > 3.0); }
        activity unless_flowing() { wait(5.0, unless = x > 3.0); }
        activity speed_of_flowing() { wait(5.0, speed = x); }
        activity drawn() { wait_for(rng.random_bool(0.5)); }
        activity tallied() { wait_for(t > 3); t += 1; }
        activity writes() { wait_for({ n += 1; n > 3 }); }
        activity always() { wait_for(true); }
        activity parameter() { wait_for(p > 3); }
        activity nobody_writes() { wait_for(unwritten > 3); }
        activity local(y: u32) { wait_for(y > 3); }
        activity unless_local(y: u32) { wait(3.0, unless = y > 3); }
    }
}

simulation! {
    model Kept {
        state n: i64 = 0;
        state v: Vec<i64> = Vec::new();
        activity unplain() { let x = n.pow(2); wait(1.0); n = x; }
        activity tuple() { let (x, y) = (n.pow(2), n.abs()); wait(1.0); n = x + y; }
        activity inferred() { let x: Vec<_> = vec![n]; wait(1.0); n = x[0]; }
        activity boxed() { let x: Box<dyn Fn() -> i64> = Box::new(|| 3); wait(1.0); n = x(); }
        activity reference() { let x: &i64 = &n; wait(1.0); n = *x; }
        activity element() { let w: Vec<i64> = vec![1]; let x = &w[0]; wait(1.0); n = *x; }
        activity argument(x: &str) { wait(1.0); n = x.len() as i64; }
        activity same_name() { let x: i64 = 1; { let x: f64 = 2.0; wait(1.0); n = x as i64; } n += x; }
        activity let_else() { let Some(x) = Some(n.pow(2)) else { return; }; wait(1.0); n = x; }
        activity if_let() { if let Some(x) = v.pop() { wait(1.0); n = x; } }
        activity matched() { match v.pop() { Some(x) => { wait(1.0); n = x; } None => {} } }
        activity while_let() { while let Some(x) = v.pop() { wait(1.0); n = x; } }
        activity letters() { for x in n.to_string().chars() { wait(1.0); } }
        activity of_a_state() { for x in &v { wait(1.0); } }
        activity iterator() { for x in v.iter() { wait(1.0); n += x; } }
        activity local() { let w = vec![1, 2]; for x in w { wait(1.0); n += x; } }
    }
}

fn main() {}
