//! A particle between walls: one holds it for a while, one is a step of the density, one reflects.
//!
//! The law is the normal law N(0.3, 1) on [−1, 2], with 0.4 times its density above 0.5, and an atom at −1. The Zig-Zag
//! process sticks to the wall at −1, is let through the one at 0.5 upwards with probability 0.4, and is reflected at 2.
//!
//! `cargo run --release --example walls`

use clockrace::record::Path;
use clockrace_examples::samplers::{Gaussian, Wall, WallKind, WalledZigZag};
use clockrace_examples::{COMPARED, Failure, Figure, compared, output_folder};

const LOW: f64 = -1.0;
const STEP: f64 = 0.5;
const HIGH: f64 = 2.0;
const RATIO: f64 = 0.4;
const KAPPA: f64 = 1.2;
const END: f64 = 40_000.0;
/// Cells of the histogram.
const CELLS: usize = 30;

/// The density, up to a factor.
fn density(x: f64) -> f64 {
    (-0.5 * (x - 0.3) * (x - 0.3)).exp() * if x > STEP { RATIO } else { 1.0 }
}

/// ∫ f over an interval by the midpoint rule.
fn integral(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    let h = (to - from) / 1000.0;
    (0..1000).map(|k| h * f(from + (f64::from(k) + 0.5) * h)).sum()
}

fn main() -> Result<(), Failure> {
    let folder = output_folder()?;
    let walls = vec![vec![
        Wall { at: LOW, kind: WallKind::Sticky { kappa: KAPPA } },
        Wall { at: STEP, kind: WallKind::Jump { ratio: RATIO } },
        Wall { at: HIGH, kind: WallKind::Reflecting },
    ]];
    let target = Gaussian::new(vec![0.3], vec![vec![(0, 1.0)]]);
    let mut path = Path::of(["x"]);
    WalledZigZag { target, walls, x: vec![0.0], v: vec![1.0] }.start(1)?.run_with(&mut path, END)?;

    // Over both sides of the step; the rule is exact enough on each.
    let both = |f: &dyn Fn(f64) -> f64| integral(LOW, STEP, f) + integral(STEP, HIGH, f);
    let atom = density(LOW) / (2.0 * KAPPA);
    let total = both(&density) + atom;
    let missing = "no such coordinate";
    println!("{:<28}{COMPARED}", "Zig-Zag between walls");
    let at_wall = path.functional(["x"], |x| f64::from(u8::from(x[0] == LOW))).ok_or(missing)?;
    println!(
        "{:<28}{}",
        "time at the sticky wall",
        compared(atom / total, &at_wall.batch_means(40).ok_or(missing)?, 4)
    );
    let mean = (both(&|x| x * density(x)) + atom * LOW) / total;
    println!("{:<28}{}", "mean", compared(mean, &path.batch_means("x[0]", 40).ok_or(missing)?, 4));

    // How long the path is in each cell, from the times at which it enters and leaves.
    let width = (HIGH - LOW) / CELLS as f64;
    let mut inside = [0.0; CELLS];
    let pieces = path.skeleton("x[0]").ok_or(missing)?;
    for piece in pieces.iter().filter(|piece| piece.slope != 0.0) {
        let other = piece.value + piece.slope * (piece.end - piece.start);
        let (from, to) = (piece.value.min(other), piece.value.max(other));
        for (cell, time) in inside.iter_mut().enumerate() {
            let (low, high) = (LOW + cell as f64 * width, LOW + (cell + 1) as f64 * width);
            *time += (to.min(high) - from.max(low)).max(0.0) / piece.slope.abs();
        }
    }
    let columns = inside.iter().enumerate().map(|(cell, time)| {
        let low = LOW + cell as f64 * width;
        [(low, time / END / width), (low + width, time / END / width)]
    });
    let curve = |from: f64, to: f64| (0..=100).map(move |k| from + (to - from) * f64::from(k) / 100.0);
    let picture = folder.join("walls.svg");
    Figure::new("A density with a step, between walls", "x", "density")
        .band("time spent by the Zig-Zag process", columns.flatten().map(|(x, density)| (x, 0.0, density)))
        .line("exact", curve(LOW, STEP).chain(curve(STEP + 1e-9, HIGH)).map(|x| (x, density(x) / total)))
        .save(&picture)?;
    println!("\nWritten: {}", picture.display());
    Ok(())
}
