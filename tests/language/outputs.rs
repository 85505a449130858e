//! Outputs that are families, in views, recorders and ensembles.

use clockrace::record::{BatchMeans, EventLog, Grid, TimeAverage};
use clockrace::{Ensemble, Model, Observer, SimError, View, simulation};

simulation! {
    /// Tokens go around on a ring, from site `k` at the multiples of `k + 1`. Every link is warm
    /// from a time of its own on.
    #[derive(Clone)]
    model Kinds {
        param near: Vec<Vec<usize>>;
        param rows: usize = 2;
        index site = 0..near.len();
        index row = 0..rows;
        index column = 0..3;
        relation link(i in site) -> site = near[i].iter();
        state relation open(i in site) -> site = near[i].iter();

        state u[k in site]: i64 = 10 * k as i64;
        state heat[(i, j) in link]: f64 = 0.0;
        state s[i in row][j in column]: i8 = (3 * i + j) as i8;
        tally rung[k in site]: u32 = 0;

        clock hop[k in site]: every(k as f64 + 1.0) => {
            u[k] -= 1;
            u[(k + 1) % near.len()] += 1;
            rung[k] += 1;
        }
        clock warm[(i, j) in link] if heat[(i, j)] == 0.0: at((10 * i + j) as f64 + 0.5) => { heat[(i, j)] = 1.0; }
        clock flip[i in row][j in column] if s[i][j] >= 0: at(4.0 + (3 * i + j) as f64) => { s[i][j] = -1; }
        clock tick: at(if now < 0.25 { 0.25 } else { never }) => {}

        observe total = u.iter().sum::<i64>();
        observe profile[k in site] = u[k];
        observe rung[k in site]: u32 = rung[k];
        observe text[k in site]: String = format!("{}", u[k]);
        observe heat[(i, j) in link] = heat[(i, j)];
        observe open[(i, j) in open] = i + j;
        observe s[i in row][j in column]: i8 = s[i][j];
        observe hot[(i, j) in link]: bool = heat[(i, j)] > 0.0;
        observe r#type[k in column] = k;
        observe age = now;
    }
}

fn kinds() -> Kinds {
    Kinds { near: vec![vec![1, 0], vec![], vec![1]], rows: 2 }
}

const NAMES: [&str; 23] = [
    "total",
    "profile[0]",
    "profile[1]",
    "profile[2]",
    "rung[0]",
    "rung[1]",
    "rung[2]",
    "heat[0][1]",
    "heat[0][0]",
    "heat[2][1]",
    "s[0][0]",
    "s[0][1]",
    "s[0][2]",
    "s[1][0]",
    "s[1][1]",
    "s[1][2]",
    "hot[0][1]",
    "hot[0][0]",
    "hot[2][1]",
    "type[0]",
    "type[1]",
    "type[2]",
    "age",
];

#[test]
fn numbers_are_called_by_their_indices() {
    let mut sim = kinds().start(1).unwrap();
    assert_eq!(Kinds::OUTPUTS, ["total", "profile", "rung", "heat", "s", "hot", "type", "age"]);
    assert_eq!(sim.view().output_names(), NAMES);
    assert_eq!(sim.view().output_count(), NAMES.len());
    sim.run_until(2.0).unwrap();
    let mut all = vec![f64::NAN; NAMES.len()];
    sim.view().outputs(&mut all).unwrap();
    for (name, value) in NAMES.iter().zip(&all) {
        assert_eq!(sim.view().output(name).unwrap(), Some(*value), "{name}");
    }
    for name in ["profile", "profile[3]", "heat[1][0]", "heat[(0, 1)]", "text[0]", "open[0][1]", "s[0]", "r#type[0]"] {
        assert_eq!(sim.view().output(name).unwrap(), None, "{name}");
    }
    let observed = sim.observe().unwrap();
    assert_eq!((all[0], &all[1..4]), (observed.total, &observed.profile[..]));
    assert_eq!((&all[1..4], &all[4..7]), (&[-2.0, 11.0, 21.0][..], &[2.0, 1.0, 0.0][..]));
    assert_eq!((&all[7..10], &all[16..19]), (&[1.0, 1.0, 0.0][..], &[1.0, 1.0, 0.0][..]));
    assert_eq!((&all[10..16], all[22]), (&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0][..], 2.0));
}

/// The largest of all numbers, and what it is called.
#[derive(Default)]
struct Largest {
    names: Vec<String>,
    values: Vec<f64>,
    found: Option<(String, f64)>,
}

impl<M: Model> Observer<M> for Largest {
    fn advance(&mut self, view: View<'_, M>, _until: f64) -> Result<(), SimError> {
        if self.names.is_empty() {
            self.names = view.output_names();
            self.values.resize(view.output_count(), 0.0);
        }
        view.outputs(&mut self.values)?;
        for (name, &value) in self.names.iter().zip(&self.values) {
            if self.found.as_ref().is_none_or(|(_, known)| value > *known) {
                self.found = Some((name.clone(), value));
            }
        }
        Ok(())
    }
}

#[test]
fn an_observer_of_ones_own_has_names_and_numbers() {
    let mut largest = Largest::default();
    Kinds { rows: 0, ..kinds() }.start(1).unwrap().run_with(&mut largest, 6.5).unwrap();
    assert_eq!(largest.found.unwrap(), ("total".to_owned(), 30.0));
}

#[test]
fn recorders_take_every_number() {
    let mut grid = Grid::at([0.0, 2.0, 8.0]).unwrap();
    let mut average = TimeAverage::new();
    let mut batches = BatchMeans::between(0.0, 8.0, 4).unwrap();
    let mut sim = kinds().start(1).unwrap();
    // A cut changes nothing.
    sim.run_with(&mut (&mut grid, &mut average, &mut batches), 3.0).unwrap();
    sim.run_with(&mut (&mut grid, &mut average, &mut batches), 8.0).unwrap();
    for names in [grid.outputs(), average.outputs(), batches.outputs()] {
        assert_eq!(names, NAMES);
    }
    assert_eq!(grid.members("profile", 1).unwrap(), [-2.0, 11.0, 21.0]);
    assert_eq!(grid.values("profile[0]").unwrap(), [0.0, -2.0, 2.0 - 8.0]);
    assert_eq!(grid.members("s[1]", 2).unwrap(), [-1.0, -1.0, 5.0]);
    assert_eq!(grid.values("s[0][2]").unwrap(), [2.0, 2.0, -1.0]);
    assert_eq!(grid.values("heat[0][1]").unwrap(), [0.0, 1.0, 1.0]);
    assert_eq!((grid.values("profile"), grid.members("text", 0)), (None, None));

    assert_eq!(average.means_of("heat").unwrap(), [6.5 / 8.0, 7.5 / 8.0, 0.0]);
    assert_eq!(average.means_of("hot"), average.means_of("heat"));
    assert_eq!(average.means_of("s[0]").unwrap(), [-0.5, 0.25, 1.25]);
    assert_eq!(average.variances_of("type").unwrap(), [0.0; 3]);
    assert_eq!((average.min("s[0][2]"), average.max("s[0][2]")), (Some(-1.0), Some(2.0)));
    assert_eq!(average.mean("heat[0][1]"), Some(6.5 / 8.0));

    let samples = batches.samples_of("heat").unwrap();
    assert_eq!(samples[0].values(), [0.25, 1.0, 1.0, 1.0]);
    assert_eq!(batches.sample("rung[1]").unwrap().values(), [0.0, 1.0, 2.0, 3.0]);

    let mut csv = Vec::new();
    grid.write_csv(&mut csv).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    assert_eq!(csv.lines().next().unwrap(), format!("time,{}", NAMES.join(",")));
}

#[test]
fn a_recorder_follows_one_size() {
    let mut grid = Grid::every(1.0).unwrap();
    kinds().start(1).unwrap().run_with(&mut grid, 1.0).unwrap();
    let mut larger = Kinds { rows: 3, ..kinds() }.start(1).unwrap();
    larger.run_until(1.0).unwrap();
    let error = larger.run_with(&mut grid, 2.0).unwrap_err();
    assert!(error.to_string().contains("follows a simulation with other outputs"), "{error}");
    // It is no fault of the simulation.
    assert!(larger.run_until(2.0).is_ok());
    assert_eq!((grid.len(), grid.outputs().len()), (2, 23));
}

#[test]
fn a_log_has_the_indices_of_events() {
    let mut log = EventLog::new();
    kinds().start(1).unwrap().run_with(&mut log, 4.0).unwrap();
    let mut csv = Vec::new();
    log.write_csv(&mut csv).unwrap();
    let expected = "time,event\n0.25,tick\n0.5,warm[0][0]\n1,hop[0]\n1.5,warm[0][1]\n2,hop[0]\n2,hop[1]\n\
                    3,hop[0]\n3,hop[2]\n4,hop[0]\n4,hop[1]\n4,flip[0][0]\n";
    assert_eq!(String::from_utf8(csv).unwrap(), expected);
}

#[test]
fn ensembles_take_every_number() {
    let model = kinds();
    let runs = Ensemble::new(&model).replicates(6).at([0.0, 8.0]).run().unwrap();
    assert_eq!(runs.outputs(), NAMES);
    assert_eq!(runs.mean("profile[2]", 1), Some(20.0 + 4.0 - 2.0));
    assert_eq!(runs.means_of("rung", 1).unwrap(), [8.0, 4.0, 2.0]);
    assert_eq!(runs.samples_of("heat", 1).unwrap()[1].values(), [1.0; 6]);
    assert_eq!(runs.members("s[1]", 5, 1).unwrap(), [-1.0, -1.0, 5.0]);
    assert_eq!(runs.trajectory("heat[2][1]", 0).unwrap(), [0.0, 0.0]);
    assert_eq!(runs.means_of("text", 0), None);
    let mut csv = Vec::new();
    runs.write_csv(&mut csv, &[0.5]).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    assert_eq!(csv.lines().nth(23 + 4).unwrap(), "8,profile[2],22,0,22");
    assert_eq!(csv.lines().count(), 1 + 2 * 23);

    // Replicates are the runs of their streams, whatever the number of threads.
    let one = Ensemble::new(&model).replicates(6).at([0.0, 8.0]).threads(1).run().unwrap();
    assert_eq!(one, runs);
}

simulation! {
    #[derive(Clone)]
    model Sized<const N: usize> {
        index site = 0..N;
        state u[k in site]: u64 = 0;
        clock rise[k in site]: rate(k as f64 + 1.0) => { u[k] += 1; }
        observe profile[k in site] = u[k];
    }
}

#[test]
fn sizes_by_const_generics_tell_recorders_apart() {
    let mut average = TimeAverage::since(50.0);
    let mut sim = Sized::<3> {}.start(1).unwrap();
    sim.run_with(&mut average, 100.0).unwrap();
    let means = average.means_of("profile").unwrap();
    assert!(means[0] < means[1] && means[1] < means[2]);
    let mut other = Sized::<2> {}.start(1).unwrap();
    other.run_until(100.0).unwrap();
    assert!(other.run_with(&mut average, 101.0).is_err());
    assert_eq!(average.means_of("profile"), Some(means));

    let runs = Ensemble::new(&Sized::<2> {}).replicates(1000).at([1.0]).run().unwrap();
    let samples = runs.samples_of("profile", 0).unwrap();
    for (k, sample) in samples.iter().enumerate() {
        assert!((sample.mean() - (k as f64 + 1.0)).abs() < 4.0 * sample.standard_error());
    }
    let means = runs.means_of("profile", 0).unwrap();
    assert!(samples.iter().zip(&means).all(|(sample, mean)| sample.mean() == *mean));
}
