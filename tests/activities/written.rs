//! A model written by hand, in which everything meets at a few instants.

use super::description::{
    Activity, Argument, Clock, Event, Index, Int, Item, Kind, Length, Model, Outcome, Parameter, Priority, Relation,
    Statement, Target, Test, Timing, Wait,
};

fn int(value: i64) -> Int {
    Int::Constant(value)
}

fn sum(a: Int, b: Int) -> Int {
    Int::Add(Box::new(a), Box::new(b))
}

/// A whole number of halves.
fn halves(count: i64) -> Length {
    Length::Quarters { least: 2 * count, of: int(0), among: 1 }
}

fn more(left: Int, right: i64) -> Test {
    Test::Plain(left, Relation::Greater, int(right))
}

fn less(left: Int, right: i64) -> Test {
    Test::Plain(left, Relation::Less, int(right))
}

fn take(s: usize, by: i64) -> Statement {
    Statement::Increase(Target::Scalar(s), int(by))
}

fn when(test: Test, yes: Vec<Statement>) -> Statement {
    Statement::If(test, yes, Vec::new())
}

/// Numbers waits in the order of the text.
struct Waits(usize);

impl Waits {
    fn wait(&mut self, kind: Kind) -> Wait {
        self.0 += 1;
        Wait { kind, site: self.0 - 1, timeout: None, unless: None, speed: None, line: None, priority: None }
    }
}

fn start(activity: usize, arguments: Vec<Argument>) -> Statement {
    Statement::Start { activity, arguments, keep: true }
}

fn schedule(event: usize, index: Option<Index>, delay: Length, arguments: Vec<Argument>) -> Statement {
    Statement::Schedule { event, index, at: false, delay, arguments, priority: None, keep: true }
}

fn number(value: Int) -> Argument {
    Argument::Number(value)
}

/// `s0` servers are free, `s1` counts what was done, `s2` is what a boss says.
///
/// A customer (`a0`) comes with a rank and a room, waits in the line for a server with patience or until the boss calls
/// it off, works as fast as the room lets it and begins anew with what is left when it is disturbed, and looks a few
/// rooms up. A clerk (`a1`) of each room runs checks (`a2`), which fail now and then, and joins the last customer. A
/// cleaner (`a3`) aborts and is aborted.
pub(crate) fn model() -> Model {
    Model {
        next_reaction: false,
        ticks: false,
        tuples: true,
        size: 3,
        scalars: vec![2, 0, 0],
        families: vec![vec![1, 2, 0], vec![0, 3, 1]],
        due: 3,
        lines: 2,
        clocks: clocks(),
        events: events(),
        activities: vec![customer(), clerk(), check(), cleaner()],
        order: vec![
            Item::Activity(1),
            Item::Clock(0),
            Item::Event(0),
            Item::Activity(0),
            Item::Clock(1),
            Item::Event(1),
            Item::Activity(3),
            Item::Clock(2),
            Item::Activity(2),
            Item::Event(2),
            Item::Clock(3),
        ],
        init: vec![
            Statement::Each(
                0,
                vec![
                    schedule(0, Some(Index::Variable(0)), halves(1), vec![number(Int::Member(0))]),
                    start(1, vec![Argument::Index(Index::Variable(0))]),
                ],
            ),
            start(3, Vec::new()),
            schedule(1, None, halves(2), Vec::new()),
        ],
        stop: None,
    }
}

fn customer() -> Activity {
    let (rank, room) = (0, 1);
    let mut waits = Waits(0);
    let mut queue = waits.wait(Kind::For(more(Int::Scalar(0), 0)));
    queue.line = Some(0);
    queue.timeout = Some(Length::Quarters { least: 2, of: Int::Local(rank), among: 3 });
    queue.unless = Some(Test::Plain(Int::Scalar(2), Relation::Equal, int(5)));
    let mut work = waits.wait(Kind::Delay(Length::Quarters { least: 2, of: Int::Local(rank), among: 4 }));
    work.speed = Some(sum(Int::Element(0, Index::Variable(room)), int(1)));
    work.unless = Some(Test::Plain(Int::Element(1, Index::Variable(room)), Relation::Equal, int(4)));
    let mut rest = waits.wait(Kind::Delay(Length::Left(2)));
    rest.unless = Some(Test::Plain(Int::Scalar(2), Relation::Equal, int(6)));
    let mut look = waits.wait(Kind::For(Test::Compare(
        sum(Int::Element(1, Index::Variable(5)), Int::Local(rank)),
        Relation::Less,
        int(4),
    )));
    look.timeout = Some(halves(1));
    let pause = waits.wait(Kind::Delay(halves(1)));
    let out = Statement::Increase(Target::Element(1, Index::Variable(room)), int(1));
    let body = vec![
        Statement::IfWait { wait: queue, not: true, yes: vec![take(1, 3), Statement::Return(int(-1))], no: Vec::new() },
        take(0, -1),
        Statement::Defer(vec![take(0, 1)]),
        Statement::KeepMe,
        Statement::Assign(Target::Own(0), Int::Local(rank)),
        Statement::Block(vec![
            Statement::Defer(vec![out]),
            Statement::Wait(work, Some(2)),
            when(more(Int::Quarters(2), 0), vec![take(1, 1), Statement::Again(rest, 2)]),
        ]),
        Statement::Let(3, int(0)),
        Statement::Labelled(
            4,
            Box::new(Statement::Each(
                5,
                vec![
                    when(
                        Test::Plain(Int::Member(5), Relation::Equal, Int::Member(room)),
                        vec![Statement::Continue(None)],
                    ),
                    Statement::WhileWait {
                        wait: look,
                        not: true,
                        body: vec![
                            Statement::Set(3, sum(Int::Local(3), int(1))),
                            Statement::Wait(pause, None),
                            when(
                                Test::Plain(Int::Local(3), Relation::Equal, int(2)),
                                vec![Statement::Continue(Some(4))],
                            ),
                            when(more(Int::Local(3), 2), vec![Statement::Break(Some(4))]),
                        ],
                    },
                    Statement::Tally(sum(Int::Local(3), Int::Own(0))),
                ],
            )),
        ),
        Statement::Return(sum(Int::Local(3), Int::Local(rank))),
    ];
    let priority = Priority { first: Int::Local(rank), second: Some(int(1)) };
    Activity {
        parameters: vec![Parameter::Number(rank), Parameter::Member(room)],
        outcome: Outcome::Number,
        priority: Some(priority),
        body,
    }
}

fn clerk() -> Activity {
    let room = 0;
    let mut waits = Waits(0);
    let run = waits.wait(Kind::Run(2, vec![number(Int::Element(0, Index::Variable(room)))]));
    let join = waits.wait(Kind::Join(0));
    let again = waits.wait(Kind::Join(2));
    let mut pause = waits.wait(Kind::Until(halves(1)));
    pause.unless = Some(Test::Plain(Int::Scalar(2), Relation::Equal, int(6)));
    let next = |by| Statement::Increase(Target::Element(0, Index::Next(room)), by);
    let body = vec![Statement::Loop(vec![
        Statement::Wait(run, Some(1)),
        Statement::Match(
            sum(Int::Given(1, true), Int::Element(0, Index::Variable(room))),
            vec![
                vec![next(int(1))],
                vec![Statement::Wait(join, Some(2)), next(Int::Given(2, true))],
                vec![start(2, vec![number(int(1))]), Statement::Wait(again, Some(3)), next(Int::Given(3, true))],
            ],
        ),
        Statement::Wait(pause, Some(4)),
        when(more(Int::Quarters(4), 1), vec![Statement::Break(None)]),
    ])];
    Activity { parameters: vec![Parameter::Member(room)], outcome: Outcome::Nothing, priority: None, body }
}

fn check() -> Activity {
    let mut waits = Waits(0);
    let mut turn = waits.wait(Kind::For(less(Int::LineLen(0), 4)));
    turn.line = Some(1);
    turn.priority = Some(Priority { first: Int::Scalar(1), second: Some(Int::Scalar(0)) });
    let mut long = waits.wait(Kind::Delay(Length::Quarters { least: 1, of: Int::Local(0), among: 3 }));
    long.timeout = Some(halves(1));
    let body = vec![
        Statement::Defer(vec![take(1, 1)]),
        Statement::Wait(turn, None),
        Statement::Fail(Test::Compare(Int::Scalar(1), Relation::Equal, int(6))),
        Statement::IfWait { wait: long, not: false, yes: vec![Statement::Return(Int::LineLen(1))], no: Vec::new() },
        Statement::Return(int(4)),
    ];
    let priority = Priority { first: int(-1), second: None };
    Activity { parameters: vec![Parameter::Number(0)], outcome: Outcome::Fallible, priority: Some(priority), body }
}

fn cleaner() -> Activity {
    let mut waits = Waits(0);
    let nap = waits.wait(Kind::Delay(halves(3)));
    let mut call = waits.wait(Kind::For(Test::Compare(Int::ActivityLen(0), Relation::Less, int(3))));
    call.timeout = Some(halves(4));
    let body = vec![Statement::Loop(vec![
        Statement::Wait(nap, None),
        Statement::Abort { activity: 0, into: Some(1) },
        Statement::IfWait {
            wait: call,
            not: false,
            yes: vec![Statement::Assign(Target::Scalar(2), int(6)), Statement::Other(0, int(5))],
            no: vec![start(3, Vec::new()), Statement::AbortMe],
        },
        take(2, -1),
    ])];
    Activity { parameters: Vec::new(), outcome: Outcome::Nothing, priority: None, body }
}

fn events() -> Vec<Event> {
    let room = 0;
    let arrive = vec![
        when(
            less(Int::ActivityLen(0), 9),
            vec![start(0, vec![number(Int::Local(1)), Argument::Index(Index::Variable(room))])],
        ),
        Statement::Assign(Target::Element(1, Index::Variable(room)), sum(Int::Local(1), Int::LineLen(0))),
        schedule(
            0,
            Some(Index::Variable(room)),
            halves(1),
            vec![number(sum(Int::Scalar(1), Int::EventLen(0, Some(Index::Variable(room)))))],
        ),
    ];
    let boss = vec![
        Statement::Draw(Target::Scalar(2)),
        Statement::Reschedule { event: 0, delay: halves(2), into: 1 },
        schedule(2, None, halves(1), vec![Argument::Index(Index::Value(Box::new(Int::Scalar(2))))]),
        schedule(2, None, halves(1), vec![Argument::Index(Index::Constant(0))]),
        schedule(1, None, halves(2), Vec::new()),
    ];
    let sample = vec![
        Statement::Cancel { event: 0, into: 1 },
        Statement::When { event: 1, into: 2 },
        when(
            Test::Compare(Int::Scalar(2), Relation::Equal, int(3)),
            vec![Statement::Clear(0, Some(Index::Variable(0)))],
        ),
        when(
            Test::Plain(Int::EventLen(0, Some(Index::Variable(0))), Relation::Less, int(1)),
            vec![schedule(0, Some(Index::Variable(0)), halves(1), vec![number(int(1))])],
        ),
    ];
    vec![
        Event {
            over: Some(room),
            parameters: vec![Parameter::Number(1)],
            priority: Vec::new(),
            once: false,
            body: arrive,
        },
        Event { over: None, parameters: Vec::new(), priority: vec![0, -1], once: false, body: boss },
        Event { over: None, parameters: vec![Parameter::Member(0)], priority: vec![1], once: true, body: sample },
    ]
}

fn clocks() -> Vec<Clock> {
    let single = |timing, priority, body| Clock { over: None, guard: None, timing, priority, body };
    vec![
        single(
            Timing::Every { period: int(1), from: Some(1) },
            vec![1, 0],
            vec![Statement::Each(
                0,
                vec![Statement::Increase(Target::Element(0, Index::Variable(0)), sum(Int::Member(0), int(1)))],
            )],
        ),
        Clock {
            over: Some(0),
            guard: Some(more(Int::LineLen(0), 0)),
            timing: Timing::After {
                delay: Length::Drawn { of: Int::Element(0, Index::Variable(0)), among: 4 },
                resume: true,
                speed: Some(sum(Int::ActivityLen(2), int(1))),
            },
            priority: Vec::new(),
            body: vec![take(0, 1), take(2, 1)],
        },
        single(Timing::Due, vec![-1], vec![Statement::Due(Int::Scalar(1)), take(1, 1), take(0, 1)]),
        Clock {
            over: Some(0),
            guard: None,
            timing: Timing::Rate(sum(Int::Alive(0), Int::Element(1, Index::Variable(0)))),
            priority: Vec::new(),
            body: vec![
                Statement::Increase(Target::Element(1, Index::Next(0)), int(1)),
                when(less(Int::ActivityLen(1), 4), vec![start(1, vec![Argument::Index(Index::Next(0))])]),
            ],
        },
    ]
}
