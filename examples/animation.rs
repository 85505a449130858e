//! A bouncing ball in the terminal, in real time, that the keyboard kicks.
//!
//! The ball flies by a flow, and hits ground, ceiling and walls when the flow crosses them; a frame is drawn sixty
//! times a second. Three threads take part: the simulation, paced by the wall clock; one that reads lines, of
//! which `q` ends the run and each other one kicks the ball; and one that draws.
//!
//! With `--script` kicks come from a list, nothing is paced, and what the ball did is told: until the first kick it bounces
//! when a geometric series says. The thread that tells it ends the run when it has seen enough.
//!
//! `cargo run --release --example animation [--script]`

use std::io::{BufRead, Write, stdin, stdout};
use std::{env, thread};

use clockrace::live::{Late, Live, Overflow};
use clockrace::simulation;
use clockrace_examples::Failure;

simulation! {
    /// Metres and seconds.
    model Ball {
        param width: f64 = 3.0;
        param height: f64 = 1.5;
        param gravity: f64 = 9.81;
        /// Share of its speed that the ball keeps at a bounce.
        param bounce: f64 = 0.8;

        state x: f64 = 0.0;
        state vx: f64 = 0.9;
        state y: f64 = 1.0;
        state vy: f64 = 0.0;
        state rests: bool = false;
        state bounces: i32 = 0;
        state kicks: u32 = 0;
        flow x = x + vx * dt;
        let g = if rests { 0.0 } else { gravity };
        flow (y, vy) = (y + vy * dt - 0.5 * g * dt * dt, vy - g * dt);

        clock ground if !rests: crosses(y, down) => {
            y = 0.0;
            vy = -vy * bounce;
            bounces += 1;
            // Slower than this it does not get off the ground in a frame.
            if vy < 0.05 {
                rests = true;
                vy = 0.0;
            }
        }
        clock ceiling: crosses(y - height, up) => { vy = -vy * bounce; }
        clock left: crosses(x, down) => { vx = -vx; }
        clock right: crosses(x - width, up) => { vx = -vx; }
        clock frame: every(1.0 / 60.0) => {}

        /// Makes it faster upwards.
        event kick(by: f64) => {
            rests = false;
            vy += by;
            kicks += 1;
        }
    }
}

/// What is seen at a moment.
#[derive(Clone, Copy, Debug)]
struct Frame {
    event: BallEvent,
    time: f64,
    x: f64,
    y: f64,
    /// Energy per mass, in J/kg.
    energy: f64,
    bounces: i32,
    kicks: u32,
}

/// Rows and columns of a picture.
const ROWS: usize = 12;
const COLUMNS: usize = 48;

fn picture(frame: &Frame, ball: &Ball) -> String {
    let cell = |part: f64, cells: usize| ((part * cells as f64) as usize).min(cells - 1);
    let (row, column) = (ROWS - 1 - cell(frame.y / ball.height, ROWS), cell(frame.x / ball.width, COLUMNS));
    let edge = format!("+{}+\n", "-".repeat(COLUMNS));
    let rows = (0..ROWS).map(|k| {
        let (left, right) = if k == row { (column, COLUMNS - 1 - column) } else { (COLUMNS, 0) };
        let ball = if k == row { "o" } else { "" };
        format!("|{}{ball}{}|\n", " ".repeat(left), " ".repeat(right))
    });
    format!("{edge}{}{edge}", rows.collect::<String>())
}

/// Draws what comes, each picture over the one before.
fn draw(frames: impl Iterator<Item = Frame>, ball: &Ball) -> Result<(), Failure> {
    let mut out = stdout().lock();
    // Clears the screen and hides the cursor; shows it again at the end.
    write!(out, "\x1b[2J\x1b[?25l")?;
    for frame in frames {
        write!(out, "\x1b[H{}", picture(&frame, ball))?;
        write!(out, "{:>6.2} s  {:>5.2} J/kg  {:>3} bounces", frame.time, frame.energy, frame.bounces)?;
        writeln!(out, "    Enter kicks, q and Enter ends\x1b[K")?;
        out.flush()?;
    }
    write!(out, "\x1b[?25h")?;
    Ok(())
}

/// Seconds that are told.
const TOLD: f64 = 8.0;

/// Times and strengths of kicks.
const SCRIPT: [(f64, f64); 3] = [(3.0, 4.0), (5.0, 3.0), (5.25, 3.0)];

/// What the ball did, without a terminal.
fn tell(frames: impl Iterator<Item = Frame>, ball: &Ball) {
    let fall = (2.0 / ball.gravity).sqrt();
    let e = ball.bounce;
    println!("bounce    exact, s    found, s");
    let mut drawn = 0;
    for frame in frames.take_while(|frame| frame.time <= TOLD) {
        match frame.event {
            BallEvent::Ground if frame.kicks == 0 => {
                let flights = 2.0 * e * (1.0 - e.powi(frame.bounces - 1)) / (1.0 - e);
                println!("{:>6}  {:>10.6}  {:>10.6}", frame.bounces, fall * (1.0 + flights), frame.time);
            }
            BallEvent::Kick => println!("kicked at {} s, x = {:.3} m, y = {:.3} m", frame.time, frame.x, frame.y),
            BallEvent::Frame => {
                drawn += 1;
                if drawn % 240 == 0 {
                    println!(
                        "\n{}{:.2} s, {:.2} J/kg, {} bounces\n",
                        picture(&frame, ball),
                        frame.time,
                        frame.energy,
                        frame.bounces
                    );
                }
            }
            _ => {}
        }
    }
    println!("{drawn} frames in {TOLD} s; then the run was stopped");
}

fn main() -> Result<(), Failure> {
    let scripted = env::args().any(|argument| argument == "--script");
    let ball = Ball::default();
    let live = Live::new(ball.clone().start(1)?).late(Late::MoveToNow);
    let live = if scripted {
        live.source(SCRIPT.map(|(time, by)| (time, BallMessage::Kick(by))))
    } else {
        let (kicks, stopper) = (live.injector(), live.stopper());
        thread::spawn(move || {
            let lines = stdin().lock().lines().map_while(Result::ok).take_while(|line| line.trim() != "q");
            // When the run is over, kicks are refused.
            let _ = lines.map(|_| kicks.send_now(BallMessage::Kick(4.0))).find(Result::is_err);
            stopper.stop();
        });
        live.speed(1.0)
    };

    // A picture that comes too late for the screen may be lost, nothing that is told.
    let gravity = ball.gravity;
    let overflow = if scripted { Overflow::Wait } else { Overflow::DropOldest };
    let frames = live.watcher().overflow(overflow).subscribe(move |view, event| {
        let state = view.state();
        let energy = gravity * state.y + (state.vx.powi(2) + state.vy.powi(2)) / 2.0;
        (scripted || matches!(event, BallEvent::Frame)).then(|| Frame {
            event,
            time: view.now(),
            x: state.x,
            y: state.y,
            energy,
            bounces: state.bounces,
            kicks: state.kicks,
        })
    });
    let stopper = live.stopper();
    let screen = thread::spawn(move || {
        if scripted {
            tell(frames.into_iter(), &ball);
            stopper.stop();
            Ok(())
        } else {
            draw(frames.into_iter(), &ball)
        }
    });
    let ended = live.run();
    screen.join().map_err(|_| "the drawing failed")??;
    ended.into_result()?;
    Ok(())
}
