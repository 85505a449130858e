//! What a model says about itself.

use clockrace::simulation;

simulation! {
    model Shop {
        param rate: f64 = 1.0;
        param patience: f64 = 2.0;
        state queue: Vec<(f64, u8)> = Vec::new();
        state free: u64;
        state served: u64 = 0;
        tally waited: f64 = 0.0;

        let length = queue.len();
        let crowded = length > limit;
        let limit = (10.0 * patience) as usize;

        init { free += 1; }
        action serve() {
            if free > 0 && length > 0 {
                take();
            }
        }
        action take() {
            free -= 1;
            waited += now - queue.remove(0).0;
        }

        clock arrival if !crowded: rate(rate) => { queue.push((now, 0)); serve(); }
        clock departure if free == 0: after(rng.random::<f64>() * served as f64) => { free += 1; serve(); }
        clock inspection: every(patience, from = 1.0), priority = (2, -1) => {}
        clock paced if free > 0: after(1.0, speed(1.0 / length as f64)), priority = (1,) => { served += 1; }
        reaction end: free -> served @ 0.5;

        observe length = length;
        observe customers: u64 = served;
        stop closed if crowded && served > 3;
        invariant sane: free < 5;
    }
}

const TEXT: &str = "\
model Shop
  param rate: f64
  param patience: f64
  state queue: Vec<(f64, u8)>
  input free: u64
  state served: u64
  tally waited: f64
  init writes free
  clock arrival: rate
    reads     rate patience queue
    writes    queue free waited
    refreshes arrival departure paced end
    checks    closed sane
  clock departure: after
    reads     free served
    writes    queue free waited
    refreshes arrival departure paced end
    checks    closed sane
  clock inspection: every, priority 2.-1
    reads     patience
    writes    nothing
    refreshes inspection
  clock paced: after, priority 1
    reads     queue free
    writes    served
    refreshes paced
    checks    closed
  clock end: rate
    reads     free
    writes    free served
    refreshes departure paced end
    checks    closed sane
  stop closed: reads patience queue served
  invariant sane: reads free
  observe length: reads queue
  observe customers: reads served
";

#[test]
fn a_graph_prints_as_text() {
    assert_eq!(Shop::graph().to_string(), TEXT);
}

const DOT: &str = r#"digraph Shop {
  rankdir=LR;
  p2 [shape=box, label="queue"];
  p3 [shape=box, label="free"];
  p4 [shape=box, label="served"];
  p5 [shape=box, label="waited"];
  c0 [shape=ellipse, label="arrival\nrate"];
  p2 -> c0;
  c0 -> p2;
  c0 -> p3;
  c0 -> p5;
  c1 [shape=ellipse, label="departure\nafter"];
  p3 -> c1;
  c1 -> p2;
  c1 -> p3;
  c1 -> p5;
  c2 [shape=ellipse, label="inspection\nevery"];
  c3 [shape=ellipse, label="paced\nafter"];
  p2 -> c3;
  p3 -> c3;
  c3 -> p4;
  c4 [shape=ellipse, label="end\nrate"];
  p3 -> c4;
  c4 -> p3;
  c4 -> p4;
}
"#;

#[test]
fn a_graph_prints_as_dot() {
    assert_eq!(Shop::graph().dot(), DOT);
}

const MERMAID: &str = r#"flowchart LR
  p2["queue"]
  p3["free"]
  p4["served"]
  p5["waited"]
  c0(["arrival · rate"])
  p2 --> c0
  c0 --> p2
  c0 --> p3
  c0 --> p5
  c1(["departure · after"])
  p3 --> c1
  c1 --> p2
  c1 --> p3
  c1 --> p5
  c2(["inspection · every"])
  c3(["paced · after"])
  p2 --> c3
  p3 --> c3
  c3 --> p4
  c4(["end · rate"])
  p3 --> c4
  c4 --> p3
  c4 --> p4
"#;

#[test]
fn a_graph_prints_as_mermaid() {
    assert_eq!(Shop::graph().mermaid(), MERMAID);
}

fn names(places: &[u32]) -> Vec<&'static str> {
    places.iter().map(|&place| Shop::graph().places[place as usize].name).collect()
}

#[test]
fn a_clock_is_found_by_its_name() {
    let graph = Shop::graph();
    let departure = graph.clock("departure").unwrap();
    assert_eq!((departure.timing, departure.priority), ("after", &[][..]));
    // A delay is kept, so that only the guard is watched.
    assert_eq!(names(departure.reads), ["free", "served"]);
    assert_eq!(names(departure.watches), ["free"]);
    assert!(graph.clock("serve").is_none());
}

#[test]
fn reads_go_through_definitions_and_writes_through_actions() {
    let graph = Shop::graph();
    let arrival = graph.clock("arrival").unwrap();
    // `crowded` reads `length` and `limit`, which read the queue and `patience`.
    assert_eq!(names(arrival.reads), ["rate", "patience", "queue"]);
    assert_eq!(names(arrival.watches), ["queue"]);
    // `serve` calls `take`.
    assert_eq!(names(arrival.writes), ["queue", "free", "waited"]);
    let refreshed: Vec<&str> = graph.refreshes(arrival).collect();
    assert_eq!(refreshed, ["arrival", "departure", "paced", "end"]);
    let checked: Vec<&str> = arrival.checks.iter().map(|&i| graph.conditions[i as usize].name).collect();
    assert_eq!(checked, ["closed", "sane"]);
    assert_eq!(graph.init.map(names), Some(vec!["free"]));
}
