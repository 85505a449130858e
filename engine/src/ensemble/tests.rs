use super::*;
use crate::error::ErrorKind;
use crate::record::testing::{Sites, Steps};
use crate::simulation::Outcome;

#[test]
fn the_number_of_threads_changes_no_bit() {
    let model = Steps::default();
    let runs =
        |threads, n| Ensemble::new(&model).replicates(n).seed(9).every(0.5, 10.0).threads(threads).run().unwrap();
    let one = runs(1, 200);
    assert_eq!(one, runs(2, 200));
    assert_eq!(one, runs(5, 200));
    assert_eq!(one, Ensemble::new(&model).replicates(200).seed(9).every(0.5, 10.0).run().unwrap());
    let some = runs(3, 20);
    for replicate in 0..20 {
        assert_eq!(some.trajectory("n", replicate), one.trajectory("n", replicate));
    }
    let other = Ensemble::new(&model).replicates(200).seed(10).every(0.5, 10.0).run().unwrap();
    assert_ne!(one, other);
}

#[test]
fn a_replicate_is_the_run_of_its_stream() {
    let model = Steps::default();
    let runs = Ensemble::new(&model).replicates(5).seed(3).at([0.5, 4.0]).run().unwrap();
    for replicate in 0..5 {
        let mut sim = model.clone().start_stream(3, replicate).unwrap();
        sim.run_until(0.5).unwrap();
        let early = sim.state().n as f64;
        sim.run_until(4.0).unwrap();
        let row = [early, sim.state().n as f64];
        assert_eq!(runs.trajectory("n", replicate as usize).unwrap(), row);
        assert_eq!(runs.values("n", 1).unwrap()[replicate as usize], row[1]);
    }
    assert_eq!(runs.trajectory("n", 5), None);
    assert_eq!(runs.values("n", 2), None);
    assert_eq!(runs.values("m", 0), None);
}

#[test]
fn a_poisson_process() {
    let model = Steps::default();
    let runs = Ensemble::new(&model).replicates(4000).at([10.0]).run().unwrap();
    let n = runs.sample("n", 0).unwrap();
    assert!((n.mean() - 10.0).abs() < 4.0 * n.standard_error());
    assert!((n.variance() - 10.0).abs() < 1.0);
    assert_eq!(runs.mean("n", 0), Some(n.mean()));
    assert_eq!(runs.variance("n", 0), Some(n.variance()));
    assert_eq!(runs.standard_error("n", 0), Some(n.standard_error()));
    assert_eq!(runs.quantile("n", 0, 0.5), Some(10.0));
    assert_eq!(runs.confidence_interval("n", 0, 0.9), Some(n.confidence_interval(0.9)));
    assert_eq!(runs.mean("double", 0), Some(2.0 * n.mean()));
}

#[test]
fn a_replicate_that_stops_keeps_its_last_state() {
    let model = Steps { last: Some(2), ..Steps::at([1.0, 2.0, 3.0]) };
    let runs = Ensemble::new(&model).replicates(3).every(0.5, 4.0).run().unwrap();
    assert_eq!(runs.trajectory("n", 1).unwrap(), [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0]);
    assert_eq!(runs.outcome(1), Some(Outcome::Stopped("enough")));
    assert_eq!(runs.end_time(1), Some(2.0));
}

#[test]
fn times_include_the_end_and_begin_at_the_start() {
    let times = |start, step, until| {
        let model = Steps::at([]);
        Ensemble::new(&model).replicates(1).start_at(start).every(step, until).run().map(|runs| runs.times().to_vec())
    };
    assert_eq!(times(0.0, 0.1, 0.3).unwrap(), [0.0, 0.1, 0.2, 0.3]);
    assert_eq!(times(0.0, 0.1, 0.25).unwrap(), [0.0, 0.1, 0.2]);
    assert_eq!(times(1.0, 0.5, 2.0).unwrap(), [1.0, 1.5, 2.0]);
    assert_eq!(times(1.2, 0.5, 2.0).unwrap(), [1.5, 2.0]);
    assert!(matches!(times(3.0, 0.5, 2.0), Err(EnsembleError::NoTimes)));
    for (step, until) in [(0.0, 1.0), (-1.0, 1.0), (f64::NAN, 1.0), (1.0, f64::INFINITY), (f64::INFINITY, 1.0)] {
        assert!(matches!(times(0.0, step, until), Err(EnsembleError::Every { .. })));
    }
    assert!(matches!(times(1.0, 1e-300, 2.0), Err(EnsembleError::Every { .. })));
}

#[test]
fn the_lowest_failing_replicate_is_reported() {
    // Replicates with five steps or more by then fail.
    let model = Steps { fail: Some(5), ..Steps::default() };
    let expected = (0_usize..)
        .find(|&replicate| model.clone().start_stream(4, replicate as u64).unwrap().run_until(2.0).is_err())
        .unwrap();
    assert!(expected > 0);
    for threads in [1, 2, 8] {
        let error = Ensemble::new(&model).replicates(500).seed(4).at([2.0]).threads(threads).run().unwrap_err();
        let EnsembleError::Replicate { replicate, error } = error else { panic!("{error}") };
        assert_eq!(replicate, expected);
        assert_eq!(error.clock(), Some("random"));
        assert!(matches!(error.kind(), ErrorKind::User(_)));
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let model = Steps::default();
    let ensemble = || Ensemble::new(&model).replicates(2);
    assert!(matches!(ensemble().replicates(0).at([1.0]).run(), Err(EnsembleError::NoReplicates)));
    assert!(matches!(ensemble().replicates(0).map(|_| Ok(())), Err(EnsembleError::NoReplicates)));
    assert!(matches!(ensemble().run(), Err(EnsembleError::NoTimes)));
    assert!(matches!(ensemble().at([1.0, 0.0]).run(), Err(EnsembleError::Times(_))));
    assert!(matches!(ensemble().at([f64::NAN]).run(), Err(EnsembleError::Times(_))));
    assert!(matches!(ensemble().at([1.0]).threads(0).run(), Err(EnsembleError::Threads { threads: 0, .. })));
    assert!(matches!(ensemble().start_at(-1.0).at([1.0]).run(), Err(EnsembleError::Replicate { replicate: 0, .. })));
    assert!(matches!(ensemble().start_at(f64::NAN).every(0.5, 1.0).run(), Err(EnsembleError::Every { .. })));
    assert!(matches!(ensemble().at([-1.0, 1.0]).run(), Err(EnsembleError::Times(_))));
    assert!(matches!(ensemble().start_at(2.0).at([1.0, 3.0]).run(), Err(EnsembleError::Times(_))));
    let huge = ensemble().replicates(usize::MAX / 2).at([0.0, 1.0]).run();
    assert!(matches!(huge, Err(EnsembleError::TooLarge { .. })));
}

#[test]
fn results_of_map_are_in_order() {
    let model = Steps::default();
    let run = |threads| {
        let ensemble = Ensemble::new(&model).replicates(50).seed(1).threads(threads);
        ensemble.map(|mut sim| {
            sim.run_until(3.0)?;
            Ok(sim.state().clone())
        })
    };
    assert_eq!(run(1).unwrap(), run(4).unwrap());
    assert_eq!(run(4).unwrap().len(), 50);
}

#[test]
fn csv() {
    let model = Steps::at([1.0]);
    let runs = Ensemble::new(&model).replicates(2).at([0.0, 1.0]).run().unwrap();
    let mut csv = Vec::new();
    runs.write_csv(&mut csv, &[0.05, 0.5, 0.95]).unwrap();
    let expected = "time,output,mean,sd,q05,median,q95\n\
                    0,n,0,0,0,0,0\n0,double,0,0,0,0,0\n\
                    1,n,1,0,1,1,1\n1,double,2,0,2,2,2\n";
    assert_eq!(String::from_utf8(csv).unwrap(), expected);
    assert!(runs.write_csv(Vec::new(), &[1.5]).is_err());
    let mut csv = Vec::new();
    runs.write_values_csv(&mut csv).unwrap();
    let expected = "replicate,time,n,double\n0,0,0,0\n0,1,1,2\n1,0,0,0\n1,1,1,2\n";
    assert_eq!(String::from_utf8(csv).unwrap(), expected);
}

#[test]
fn families_have_numbers_for_each_member() {
    let model = Sites { sites: 3, rows: 3 };
    let runs = Ensemble::new(&model).replicates(4).at([0.0, 2.0, 4.5]).run().unwrap();
    assert_eq!(runs.outputs(), model.clone().start(0).unwrap().view().output_names());
    assert_eq!(runs.trajectory("profile[1]", 3).unwrap(), [0.0, 1.0, 2.0]);
    assert_eq!(runs.values("profile[0]", 2).unwrap(), [4.0; 4]);
    assert_eq!(runs.members("profile", 1, 2), Some(&[4.0, 2.0, 1.0][..]));
    assert_eq!(runs.members("s[2]", 1, 1), Some(&[320.0, 321.0][..]));
    assert_eq!(runs.means_of("profile", 2).unwrap(), [4.0, 2.0, 1.0]);
    assert_eq!(runs.means_of("sum", 2).unwrap(), [7.0]);
    let samples = runs.samples_of("profile", 1).unwrap();
    assert_eq!(samples[1], runs.sample("profile[1]", 1).unwrap());
    assert_eq!((samples.len(), samples[0].len()), (3, 4));
    assert_eq!((runs.mean("profile", 0), runs.mean("profile[3]", 0), runs.mean("profile[2]", 3)), (None, None, None));
    assert_eq!((runs.means_of("other", 0), runs.means_of("profile", 3)), (None, None));
    assert_eq!((runs.members("profile", 4, 0), runs.members("profile", 0, 3)), (None, None));

    let mut csv = Vec::new();
    runs.write_csv(&mut csv, &[]).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    assert_eq!(csv.lines().count(), 1 + 3 * 11);
    assert_eq!(csv.lines().nth(11 + 3).unwrap(), "2,profile[1],1,0");
    let mut csv = Vec::new();
    runs.write_values_csv(&mut csv).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    let names = "sum,profile[0],profile[1],profile[2],last,s[0][0],s[0][1],s[1][0],s[1][1],s[2][0],s[2][1]";
    assert_eq!(csv.lines().next().unwrap(), format!("replicate,time,{names}"));
    assert_eq!(csv.lines().nth(3).unwrap(), "0,4.5,7,4,2,1,1,700,701,710,711,720,721");
}

mod odd {
    use super::*;

    static STARTED: AtomicUsize = AtomicUsize::new(0);

    /// What a size must not be made of.
    fn another(step: usize) -> usize {
        STARTED.fetch_add(step, Ordering::Relaxed)
    }

    clockrace::simulation! {
        #[derive(Clone)]
        model Odd {
            param step: usize;
            index row = 0..1 + another(step);
            index column = 0..2;
            state u[i in row]: u64 = 0;
            clock rise[i in row]: rate(1.0) => { u[i] += 1; }
            observe profile[i in row] = u[i];
        }
    }

    clockrace::simulation! {
        #[derive(Clone)]
        model Empty {
            param size: usize = 0;
            index site = 0..size;
            state n: u64 = 0;
            clock rise: rate(1.0) => { n += 1; }
            observe profile[k in site] = n + k as u64;
        }
    }

    #[test]
    fn replicates_of_other_sizes_are_refused() {
        assert!(Ensemble::new(&Odd { step: 0 }).replicates(3).at([1.0]).run().is_ok());
        let error = Ensemble::new(&Odd { step: 1 }).replicates(3).at([1.0]).threads(1).run().unwrap_err();
        assert!(matches!(error, EnsembleError::Replicate { replicate: 0, .. }), "{error}");
        assert!(error.to_string().contains("other members"), "{error}");
    }

    #[test]
    fn families_without_members_are_no_outputs() {
        let error = Ensemble::new(&Empty::default()).replicates(3).at([1.0]).run().unwrap_err();
        assert!(matches!(error, EnsembleError::NoOutputs { model: "Empty" }), "{error}");
    }
}
