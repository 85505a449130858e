use clockrace::simulation;

use super::Target;

/// What stands in the way of one coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// Where it stands.
    pub at: f64,
    /// What happens there.
    pub kind: WallKind,
}

/// What happens at a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WallKind {
    /// The particle turns round: nothing lies behind the wall.
    Reflecting,
    /// The particle stays for an exponential time with rate κ|v| and then turns round: the law has an atom of
    /// π(wall)/2κ at the wall, and nothing behind it.
    Sticky {
        /// κ.
        kappa: f64,
    },
    /// The density jumps, and is this many times as high above the wall as below it: the particle is let through with
    /// probability min(1, π(x′)/π(x)), and turns round otherwise.
    Jump {
        /// π just above the wall over π just below.
        ratio: f64,
    },
}

simulation! {
    /// The Zig-Zag process between walls.
    pub model WalledZigZag<T: Target> {
        param target: T;
        /// Of each coordinate.
        param walls: Vec<Vec<Wall>>;

        index coordinate = 0..target.dimension();
        relation near(i in coordinate) -> coordinate = target.neighbours(i);

        state x[i in coordinate]: f64;
        state v[i in coordinate]: f64;
        state stuck[i in coordinate]: Option<f64> = None;
        let u[i in coordinate] = if stuck[i].is_some() { 0.0 } else { v[i] };
        flow x[i in coordinate] = x[i] + u[i] * dt;

        let slope[i in coordinate] = u[i] * target.partial(i, near(i).map(|j| x[j]));
        let curve[i in coordinate] = target.curvature(i, u[i], near(i).map(|j| u[j]));
        clock turn[i in coordinate] if stuck[i].is_none():
            hazard(|_| slope[i].max(0.0), bound = affine(slope[i], curve[i])) => { v[i] = -v[i]; }

        clock hit[i in coordinate] if stuck[i].is_none(): at(now + time_to_wall(&walls[i], x[i], v[i])) => {
            if let Some(wall) = nearest(&walls[i], x[i]) {
                x[i] = wall.at;
                match wall.kind {
                    WallKind::Reflecting => v[i] = -v[i],
                    WallKind::Sticky { kappa } => stuck[i] = Some(kappa),
                    WallKind::Jump { ratio } => {
                        let beyond = if v[i] > 0.0 { ratio } else { 1.0 / ratio };
                        if rng.random::<f64>() >= beyond {
                            v[i] = -v[i];
                        }
                    }
                }
            }
        }
        clock leave[i in coordinate] if stuck[i].is_some(): rate(stuck[i].map_or(0.0, |kappa| kappa * v[i].abs())) => {
            stuck[i] = None;
            v[i] = -v[i];
        }
    }
}

/// When a coordinate hits a wall, from now on; a wall at which it is now lies behind it.
fn time_to_wall(walls: &[Wall], x: f64, v: f64) -> f64 {
    let ahead = walls.iter().filter(|wall| (wall.at - x) * v > 0.0);
    ahead.map(|wall| (wall.at - x) / v).fold(f64::INFINITY, f64::min)
}

/// The wall that a coordinate has hit, from which it is away by rounding.
fn nearest(walls: &[Wall], x: f64) -> Option<Wall> {
    let distance = |wall: &Wall| (wall.at - x).abs();
    walls.iter().copied().min_by(|one, other| distance(one).total_cmp(&distance(other)))
}
