//! Reaction networks from files in BioNetGen's `.net` form.
//!
//! [BioNetGen](https://bionetgen.org) expands rules into a network of species and reactions and
//! writes it as text: blocks of parameters, species, reactions and groups (observables). This
//! module reads networks whose rate laws are mass action, the case that a stochastic simulation
//! can take as it stands.
//!
//! ```
//! use clockrace_examples::bionetgen::Network;
//!
//! let network: Network = "
//!     begin parameters
//!         1 kp 0.01
//!     end parameters
//!     begin species
//!         1 A() 100
//!         2 A().A() 0
//!     end species
//!     begin reactions
//!         1 1,1 2 0.5*kp #two of the same meet
//!     end reactions
//! "
//! .parse()?;
//! let meeting = &network.reactions[0];
//! assert_eq!(meeting.multiplicities(), [(0, 2)]);
//! assert_eq!(network.net_change(meeting), [(0, -2), (1, 1)]);
//! assert_eq!(meeting.propensity(&[100, 0]), 0.005 * 100.0 * 99.0);
//! # Ok::<(), clockrace_examples::bionetgen::ReadError>(())
//! ```
//!
//! # Propensities
//!
//! A reaction that takes a species several times has the number of *ordered* choices in its
//! propensity: rate · n(n − 1) for two equal reactants, rate · n(n − 1)(n − 2) for three. That a
//! pair is counted twice there is made up for in the rate: the file says `0.5*kp`, and
//! [`Reaction::rate`] has the factor in it. (The `reaction` of a `simulation!` block counts
//! unordered pairs, k · n(n − 1)/2, so its k is twice this rate.)
//!
//! # What is read
//!
//! - Parameters: numbers, and expressions of parameters declared before: `+ - * / ^`, parentheses,
//!   `exp ln log10 sqrt abs`, the constants `_pi` and `_e`.
//! - Species: a name without spaces, and an amount: an expression, rounded to a whole number as
//!   BioNetGen's own stochastic simulator does. A `$` before the name, or between compartment and
//!   name, holds the amount fixed.
//! - Reactions: reactants and products by number, `0` for none, and an expression as the rate.
//! - Groups: species by number, `2*5` to count species 5 twice.
//! - Comments after `#`; commands such as `setOption("…")` between blocks and all other blocks are
//!   passed over. A rate that uses an entry of a `functions` block, or one of the rate laws `Sat`,
//!   `MM` and `Hill`, is an error.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A reaction network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// Named numbers. What follows from them is worked out already; they are kept to be looked up.
    pub parameters: Vec<Parameter>,
    /// What reacts. Species number 1 of the file is the first here, and has index 0.
    pub species: Vec<Species>,
    /// What happens, by indices of species.
    pub reactions: Vec<Reaction>,
    /// What is observed.
    pub groups: Vec<Group>,
}

/// A named number.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
}

/// A kind of molecule or complex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Species {
    /// Its pattern in the file, without the `$` of a fixed one.
    pub name: String,
    /// How many there are at the start.
    pub initial: u64,
    /// Whether reactions leave the amount as it is.
    pub fixed: bool,
}

/// A reaction with mass action.
#[derive(Clone, Debug, PartialEq)]
pub struct Reaction {
    /// Indices of the species that react, one entry for each molecule.
    pub reactants: Vec<usize>,
    /// Indices of the species that come out, one entry for each molecule.
    pub products: Vec<usize>,
    /// The factor before the number of ordered choices of reactants; see [`Self::propensity`].
    pub rate: f64,
}

/// A weighted sum of amounts.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Indices of species and their weights, in the order of the file.
    pub terms: Vec<(usize, f64)>,
}

impl Network {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// If the file cannot be read, or is not such a network.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(|error| LoadError::Io { path: path.to_owned(), error })?;
        text.parse().map_err(|error| LoadError::Read { path: path.to_owned(), error })
    }

    /// The amounts at the start.
    #[must_use]
    pub fn initial(&self) -> Vec<u64> {
        self.species.iter().map(|species| species.initial).collect()
    }

    /// What `reaction`, one of this network's, changes: each species whose amount it changes, in
    /// ascending order, and by how much. Fixed species are not among them.
    #[must_use]
    pub fn net_change(&self, reaction: &Reaction) -> Vec<(usize, i64)> {
        let taken = reaction.reactants.iter().map(|&species| (species, -1));
        let made = reaction.products.iter().map(|&species| (species, 1));
        let mut changes = collected(taken.chain(made));
        changes.retain(|&(species, change)| change != 0 && !self.species[species].fixed);
        changes
    }
}

impl Reaction {
    /// The species that react, in ascending order, and how many molecules of each.
    #[must_use]
    pub fn multiplicities(&self) -> Vec<(usize, u32)> {
        collected(self.reactants.iter().map(|&species| (species, 1)))
    }

    /// Events of this reaction in a unit of time when there are these amounts: the rate times the
    /// ordered choices of reactants, n(n − 1) for two equal ones.
    ///
    /// # Panics
    /// If an amount is missing.
    #[must_use]
    pub fn propensity(&self, amounts: &[u64]) -> f64 {
        let choices = |(species, count): (usize, u32)| -> f64 {
            let amount: u64 = amounts[species];
            (0..u64::from(count)).map(|taken| amount.saturating_sub(taken) as f64).product()
        };
        self.rate * self.multiplicities().into_iter().map(choices).product::<f64>()
    }
}

impl Group {
    /// The weighted sum of these amounts.
    ///
    /// # Panics
    /// If an amount is missing.
    #[must_use]
    pub fn value(&self, amounts: &[u64]) -> f64 {
        self.terms.iter().map(|&(species, weight)| weight * amounts[species] as f64).sum()
    }
}

/// Terms of the same species added up, in ascending order of species.
fn collected<N: Copy + std::ops::AddAssign>(terms: impl Iterator<Item = (usize, N)>) -> Vec<(usize, N)> {
    let mut sums: Vec<(usize, N)> = Vec::new();
    for (species, count) in terms {
        match sums.binary_search_by_key(&species, |&(species, _)| species) {
            Ok(at) => sums[at].1 += count,
            Err(at) => sums.insert(at, (species, count)),
        }
    }
    sums
}

/// Why a file gave no network.
#[derive(Debug)]
pub enum LoadError {
    /// The file cannot be read.
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The text of the file is no network.
    Read {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        error: ReadError,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Io { path, error } => write!(f, "cannot read {}: {error}", path.display()),
            LoadError::Read { path, error } => {
                write!(f, "{}:{}:{}: {}", path.display(), error.line, error.column, error.problem)
            }
        }
    }
}

impl Error for LoadError {}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadError {
    /// Line, from 1.
    pub line: usize,
    /// Character of the line, from 1.
    pub column: usize,
    /// What is wrong.
    pub problem: Problem,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.problem)
    }
}

impl Error for ReadError {}

/// What can be wrong with a text.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Problem {
    /// Text between blocks.
    Stray,
    /// A block that begins before the one around it ends, or an `end` of another block.
    WrongEnd {
        /// The block that is open; `None` if none is.
        open: Option<String>,
        /// The line that does not fit.
        found: String,
    },
    /// A block without an end.
    Unclosed(String),
    /// A network has to have this block.
    NoBlock(&'static str),
    /// The line ends before this.
    Missing(&'static str),
    /// An entry that begins with something else than its number.
    NoNumber(String),
    /// A species whose number is not the next one.
    OutOfOrder {
        /// The number that it should have.
        expected: usize,
    },
    /// A second parameter of this name.
    DeclaredTwice(String),
    /// Something that should be the number of a species.
    NotSpecies(String),
    /// A species beyond the last one.
    NoSuchSpecies {
        /// Its number.
        number: usize,
        /// How many there are.
        species: usize,
    },
    /// The 0 that stands for none, among others.
    NoneAmongOthers,
    /// A weight that is no number.
    NotWeight(String),
    /// A name that nothing declares.
    UnknownName(String),
    /// A parameter that is declared further down.
    DeclaredLater {
        /// Its name.
        name: String,
        /// The line that declares it.
        line: usize,
    },
    /// A parameter in its own declaration.
    UsesItself(String),
    /// A mathematical function that is not known here.
    UnknownFunction(String),
    /// An entry of a `functions` block.
    UsesFunction(String),
    /// A rate law other than mass action.
    RateLaw(String),
    /// An expression that goes on in a way it cannot.
    Unexpected {
        /// What comes; empty at the end.
        found: String,
        /// What should.
        expected: &'static str,
    },
    /// An expression with too many parentheses inside one another.
    TooDeep,
    /// A parameter that is infinite or not a number.
    NotFinite(f64),
    /// An amount that is negative, too large, or not a number.
    Amount(f64),
    /// A rate that is negative, infinite or not a number.
    Rate(f64),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Stray => {
                write!(
                    f,
                    "this is in no block: put `begin` and the block's name before it, or `#` to make it a comment"
                )
            }
            Problem::WrongEnd { open: Some(open), found } => {
                write!(f, "`{found}` inside the block `{open}`: close that first, with `end {open}`")
            }
            Problem::WrongEnd { open: None, found } => {
                write!(f, "`{found}`, but no block is open: remove the line, or add the `begin` that is missing")
            }
            Problem::Unclosed(block) => write!(f, "this block is never closed: add `end {block}`"),
            Problem::NoBlock(block) => {
                write!(
                    f,
                    "there is no block `{block}`: check that this is a `.net` file, written by `generate_network`"
                )
            }
            Problem::Missing(what) => write!(f, "the line ends here, add {what}"),
            Problem::NoNumber(found) => {
                write!(
                    f,
                    "`{found}` where the entry's own number should be: begin each line of a block with 1, 2, 3, …"
                )
            }
            Problem::OutOfOrder { expected } => {
                write!(f, "reactions refer to species by number, so these go up by one: this one should be {expected}")
            }
            Problem::DeclaredTwice(name) => write!(f, "`{name}` is declared already: remove one, or rename it"),
            Problem::NotSpecies(found) => {
                write!(f, "`{found}` is no species: write numbers of species with commas between them, or 0 for none")
            }
            Problem::NoSuchSpecies { number, species } => {
                write!(f, "there is no species {number}: the block `species` ends with number {species}")
            }
            Problem::NoneAmongOthers => write!(f, "0 stands for no species at all: leave it out here"),
            Problem::NotWeight(found) => {
                write!(f, "`{found}` is no weight: write a number, `*` and the number of a species, as in `2*5`")
            }
            Problem::UnknownName(name) => {
                write!(f, "nothing is called `{name}`: declare it in the block `parameters`, or check its spelling")
            }
            Problem::DeclaredLater { name, line } => {
                write!(f, "`{name}` is declared further down, in line {line}: move it before this line")
            }
            Problem::UsesItself(name) => write!(f, "`{name}` is what this line declares: it cannot use itself"),
            Problem::UnknownFunction(name) => {
                write!(
                    f,
                    "the function `{name}` is not known here, only exp, ln, log10, sqrt and abs: put the value itself"
                )
            }
            Problem::UsesFunction(name) => {
                write!(
                    f,
                    "`{name}` is an entry of the block `functions`, which is not supported: \
                     a rate has to be a constant, so put the value itself or a parameter"
                )
            }
            Problem::RateLaw(name) => {
                write!(
                    f,
                    "the rate law `{name}` is not supported, only mass action: write the reaction in elementary steps"
                )
            }
            Problem::Unexpected { found, expected } if found.is_empty() => {
                write!(f, "the expression ends here, but {expected} should follow")
            }
            Problem::Unexpected { found, expected } => write!(f, "`{found}` here, but {expected} should follow"),
            Problem::TooDeep => {
                write!(f, "more than {DEEPEST} parentheses inside one another: declare parts as parameters")
            }
            Problem::NotFinite(value) => {
                write!(
                    f,
                    "the value is {value}: look for a division by 0, an overflow, or a logarithm or root of a negative"
                )
            }
            Problem::Amount(value) => write!(f, "an amount of {value}: it has to be between 0 and 2^53"),
            Problem::Rate(value) => write!(f, "a rate of {value}: it has to be 0 or more, and finite"),
        }
    }
}

/// Levels of parentheses that an expression may have.
const DEEPEST: usize = 100;
/// From here on not every whole number is an `f64`.
const MOST: f64 = 9_007_199_254_740_992.0;

impl FromStr for Network {
    type Err = ReadError;

    fn from_str(text: &str) -> Result<Self, ReadError> {
        let blocks = Blocks::of(text)?;
        let mut names = Names { parameters: &blocks.parameters, ..Names::default() };
        for line in &blocks.functions {
            let mut fields = line.fields();
            fields.number()?;
            // A call, `name()`, or with arguments.
            let name = fields.next("the function's name")?.text;
            names.functions.push(name.split('(').next().unwrap_or(name));
        }
        let mut network = Network::default();
        for line in &blocks.parameters {
            let (name, value) = parameter(line, &names)?;
            if names.values.insert(name.text, value).is_some() {
                return Err(line.error(name.at, Problem::DeclaredTwice(name.text.to_owned())));
            }
            network.parameters.push(Parameter { name: name.text.to_owned(), value });
        }
        for line in &blocks.species {
            network.species.push(species(line, network.species.len() + 1, &names)?);
        }
        let count = network.species.len();
        network.reactions =
            blocks.reactions.iter().map(|line| reaction(line, count, &names)).collect::<Result<_, _>>()?;
        network.groups = blocks.groups.iter().map(|line| group(line, count)).collect::<Result<_, _>>()?;
        Ok(network)
    }
}

fn parameter<'a>(line: &Line<'a>, names: &Names<'_, 'a>) -> Result<(Field<'a>, f64), ReadError> {
    let mut fields = line.fields();
    fields.number()?;
    let name = fields.next("the parameter's name")?;
    let text = fields.rest("its value")?;
    let value = names.value(line, text)?;
    if value.is_finite() { Ok((name, value)) } else { Err(line.error(text.at, Problem::NotFinite(value))) }
}

fn species(line: &Line<'_>, expected: usize, names: &Names<'_, '_>) -> Result<Species, ReadError> {
    let mut fields = line.fields();
    let number = fields.number()?;
    if number.text.parse() != Ok(expected) {
        return Err(line.error(number.at, Problem::OutOfOrder { expected }));
    }
    let pattern = fields.next("the species' name")?.text;
    let text = fields.rest("its amount")?;
    let value = names.value(line, text)?;
    let amount = value.round();
    if !(0.0..=MOST).contains(&amount) {
        return Err(line.error(text.at, Problem::Amount(value)));
    }
    // `$A()`, `@cell:$A()` or `@cell::$A()`.
    let at = if pattern.starts_with('@') { pattern.find(":$").map(|colon| colon + 1) } else { Some(0) };
    let fixed = at.filter(|&at| pattern[at..].starts_with('$'));
    let name = match fixed {
        Some(at) => [&pattern[..at], &pattern[at + 1..]].concat(),
        None => pattern.to_owned(),
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number in range")]
    Ok(Species { name, initial: amount as u64, fixed: fixed.is_some() })
}

fn reaction(line: &Line<'_>, species: usize, names: &Names<'_, '_>) -> Result<Reaction, ReadError> {
    let mut fields = line.fields();
    fields.number()?;
    let reactants = side(line, fields.next("the reactants, or 0 for none")?, species)?;
    let products = side(line, fields.next("the products, or 0 for none")?, species)?;
    let text = fields.rest("the rate")?;
    let rate = names.value(line, text)?;
    if rate >= 0.0 && rate.is_finite() {
        Ok(Reaction { reactants, products, rate })
    } else {
        Err(line.error(text.at, Problem::Rate(rate)))
    }
}

/// One side of a reaction.
fn side(line: &Line<'_>, field: Field<'_>, species: usize) -> Result<Vec<usize>, ReadError> {
    if field.text == "0" {
        return Ok(Vec::new());
    }
    field.split_at_commas().map(|part| index(line, part, species)).collect()
}

/// The index of the species with this number.
fn index(line: &Line<'_>, field: Field<'_>, species: usize) -> Result<usize, ReadError> {
    let problem = match field.text.parse() {
        Ok(0) => Problem::NoneAmongOthers,
        Ok(number) if number <= species => return Ok(number - 1),
        Ok(number) => Problem::NoSuchSpecies { number, species },
        Err(_) => Problem::NotSpecies(field.text.to_owned()),
    };
    Err(line.error(field.at, problem))
}

fn group(line: &Line<'_>, species: usize) -> Result<Group, ReadError> {
    let mut fields = line.fields();
    fields.number()?;
    let name = fields.next("the group's name")?.text.to_owned();
    // A group to which nothing belongs has no terms.
    let Ok(terms) = fields.next("its species") else { return Ok(Group { name, terms: Vec::new() }) };
    let term = |part: Field<'_>| match part.text.split_once('*') {
        None => Ok((index(line, part, species)?, 1.0)),
        Some((weight, number)) => {
            let at = part.at + weight.len() + 1;
            let weight = match weight.parse::<f64>() {
                Ok(weight) if weight.is_finite() => weight,
                _ => return Err(line.error(part.at, Problem::NotWeight(weight.to_owned()))),
            };
            Ok((index(line, Field { text: number, at }, species)?, weight))
        }
    };
    let terms = terms.split_at_commas().map(term).collect::<Result<_, _>>()?;
    Ok(Group { name, terms })
}

/// A line without its comment.
#[derive(Clone, Copy, Debug)]
struct Line<'a> {
    number: usize,
    text: &'a str,
}

/// Part of a line, and the byte at which it begins there.
#[derive(Clone, Copy, Debug)]
struct Field<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Line<'a> {
    fn fields(&self) -> Fields<'a> {
        Fields { line: *self, at: 0 }
    }

    /// An error at this byte of the line.
    fn error(&self, at: usize, problem: Problem) -> ReadError {
        let column = self.text[..at].chars().count() + 1;
        ReadError { line: self.number, column, problem }
    }
}

impl<'a> Field<'a> {
    fn split_at_commas(self) -> impl Iterator<Item = Field<'a>> {
        let mut next = self.at;
        self.text.split(',').map(move |text| {
            let at = next;
            next += text.len() + 1;
            Field { text, at }
        })
    }
}

/// The fields of a line, one after the other.
struct Fields<'a> {
    line: Line<'a>,
    at: usize,
}

impl<'a> Fields<'a> {
    /// The rest of the line, which is not empty.
    fn rest(&mut self, what: &'static str) -> Result<Field<'a>, ReadError> {
        let rest = &self.line.text[self.at..];
        let text = rest.trim_start();
        let at = self.line.text.len() - text.len();
        if text.is_empty() { Err(self.line.error(at, Problem::Missing(what))) } else { Ok(Field { text, at }) }
    }

    /// What comes before the next space.
    fn next(&mut self, what: &'static str) -> Result<Field<'a>, ReadError> {
        let Field { text, at } = self.rest(what)?;
        let text = text.split_whitespace().next().unwrap_or(text);
        self.at = at + text.len();
        Ok(Field { text, at })
    }

    /// The number that an entry begins with.
    fn number(&mut self) -> Result<Field<'a>, ReadError> {
        let field = self.next("the entry's number")?;
        if field.text.bytes().all(|byte| byte.is_ascii_digit()) {
            Ok(field)
        } else {
            Err(self.line.error(field.at, Problem::NoNumber(field.text.to_owned())))
        }
    }
}

/// The lines of each block that matters.
#[derive(Debug, Default)]
struct Blocks<'a> {
    parameters: Vec<Line<'a>>,
    functions: Vec<Line<'a>>,
    species: Vec<Line<'a>>,
    reactions: Vec<Line<'a>>,
    groups: Vec<Line<'a>>,
}

impl<'a> Blocks<'a> {
    fn of(text: &'a str) -> Result<Self, ReadError> {
        let mut blocks = Blocks::default();
        let (mut has_species, mut has_reactions) = (false, false);
        let mut open: Option<(Line<'a>, Field<'a>)> = None;
        let mut last = Line { number: 1, text: "" };
        for (number, text) in (1..).zip(text.lines()) {
            let line = Line { number, text: text.split('#').next().unwrap_or("").trim_end() };
            last = line;
            let mut fields = line.fields();
            let Ok(first) = fields.next("") else { continue };
            if first.text == "begin" || first.text == "end" {
                let name = fields.rest("the block's name")?;
                match open {
                    None if first.text == "begin" => {
                        has_species |= name.text == "species";
                        has_reactions |= name.text == "reactions";
                        open = Some((line, name));
                    }
                    Some((_, block)) if first.text == "end" && block.text == name.text => open = None,
                    _ => {
                        let open = open.map(|(_, name)| name.text.to_owned());
                        let found = line.text[first.at..].to_owned();
                        return Err(line.error(first.at, Problem::WrongEnd { open, found }));
                    }
                }
                continue;
            }
            match open.map(|(_, name)| name.text) {
                Some("parameters") => blocks.parameters.push(line),
                Some("functions") => blocks.functions.push(line),
                Some("species") => blocks.species.push(line),
                Some("reactions") => blocks.reactions.push(line),
                Some("groups") => blocks.groups.push(line),
                Some(_) => {}
                None if is_command(&line.text[first.at..]) => {}
                None => return Err(line.error(first.at, Problem::Stray)),
            }
        }
        if let Some((line, name)) = open {
            return Err(line.error(name.at, Problem::Unclosed(name.text.to_owned())));
        }
        for (there, block) in [(has_species, "species"), (has_reactions, "reactions")] {
            if !there {
                return Err(last.error(last.text.len(), Problem::NoBlock(block)));
            }
        }
        Ok(blocks)
    }
}

/// Whether this is a call such as `setOption("…")`.
fn is_command(text: &str) -> bool {
    let name = &text[..name_length(text)];
    !name.is_empty() && text[name.len()..].starts_with('(')
}

/// Bytes of the name that `text` begins with; 0 if it does not begin with one.
fn name_length(text: &str) -> usize {
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return 0;
    }
    text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len())
}

/// What an expression may use.
#[derive(Debug, Default)]
struct Names<'b, 'a> {
    values: HashMap<&'a str, f64>,
    functions: Vec<&'a str>,
    /// The whole block, to say that a parameter comes later.
    parameters: &'b [Line<'a>],
}

impl Names<'_, '_> {
    fn value(&self, line: &Line<'_>, field: Field<'_>) -> Result<f64, ReadError> {
        // Most rates are just a name.
        if let Some(&value) = self.values.get(field.text) {
            return Ok(value);
        }
        let mut expression = Expression { names: self, line, at: field.at, depth: 0 };
        let value = expression.sum()?;
        match expression.peek() {
            None => Ok(value),
            Some(_) => Err(expression.unexpected("an operator, or nothing,")),
        }
    }

    /// What is wrong with a name that has no value.
    fn problem(&self, line: &Line<'_>, name: &str) -> Problem {
        let declares = |line: &&Line<'_>| line.text.split_whitespace().nth(1) == Some(name);
        let name = name.to_owned();
        if self.functions.contains(&name.as_str()) {
            Problem::UsesFunction(name)
        } else if matches!(name.as_str(), "Sat" | "MM" | "Hill") {
            Problem::RateLaw(name)
        } else if let Some(later) = self.parameters.iter().find(declares) {
            if later.number == line.number {
                Problem::UsesItself(name)
            } else {
                Problem::DeclaredLater { name, line: later.number }
            }
        } else {
            Problem::UnknownName(name)
        }
    }
}

/// An expression at the end of a line, and how far it has been read.
struct Expression<'n, 'b, 'a, 'l> {
    names: &'n Names<'b, 'a>,
    line: &'n Line<'l>,
    at: usize,
    depth: usize,
}

impl Expression<'_, '_, '_, '_> {
    /// The next byte that is no space.
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.line.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.line.text.as_bytes().get(self.at).copied()
    }

    fn takes(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn unexpected(&mut self, expected: &'static str) -> ReadError {
        self.peek();
        let rest = &self.line.text[self.at..];
        let length = name_length(rest).max(rest.chars().next().map_or(0, char::len_utf8));
        let found = rest[..length].to_owned();
        self.line.error(self.at, Problem::Unexpected { found, expected })
    }

    /// Terms with `+` and `-` between them.
    fn sum(&mut self) -> Result<f64, ReadError> {
        let mut value = self.product()?;
        loop {
            if self.takes(b'+') {
                value += self.product()?;
            } else if self.takes(b'-') {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    /// Factors with `*` and `/` between them.
    fn product(&mut self) -> Result<f64, ReadError> {
        let mut value = self.signed()?;
        loop {
            if self.takes(b'*') {
                value *= self.signed()?;
            } else if self.takes(b'/') {
                value /= self.signed()?;
            } else {
                return Ok(value);
            }
        }
    }

    /// A power, or its negative: `-a^b` is `-(a^b)`.
    fn signed(&mut self) -> Result<f64, ReadError> {
        let mut negative = false;
        loop {
            if self.takes(b'-') {
                negative = !negative;
            } else if !self.takes(b'+') {
                break;
            }
        }
        let value = self.power()?;
        Ok(if negative { -value } else { value })
    }

    /// `a^b^c` is `a^(b^c)`.
    fn power(&mut self) -> Result<f64, ReadError> {
        let base = self.atom()?;
        if !self.takes(b'^') {
            return Ok(base);
        }
        self.nested(|this| Ok(base.powf(this.signed()?)))
    }

    /// A number, a name, a call or parentheses.
    fn atom(&mut self) -> Result<f64, ReadError> {
        match self.peek() {
            Some(b'(') => self.parentheses(),
            Some(b'0'..=b'9' | b'.') => self.literal(),
            _ => {
                let rest = &self.line.text[self.at..];
                let name = &rest[..name_length(rest)];
                if name.is_empty() {
                    return Err(self.unexpected("a number, a name or `(`"));
                }
                self.named(name)
            }
        }
    }

    fn parentheses(&mut self) -> Result<f64, ReadError> {
        self.at += 1;
        let value = self.nested(Self::sum)?;
        if self.takes(b')') { Ok(value) } else { Err(self.unexpected("an operator or `)`")) }
    }

    /// Reads something one level further down.
    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Result<f64, ReadError>) -> Result<f64, ReadError> {
        if self.depth == DEEPEST {
            return Err(self.line.error(self.at, Problem::TooDeep));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn literal(&mut self) -> Result<f64, ReadError> {
        let rest = &self.line.text[self.at..];
        let bytes = rest.as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut length = digits(0);
        if bytes.get(length) == Some(&b'.') {
            length += 1 + digits(length + 1);
        }
        if matches!(bytes.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
            let exponent = digits((length + 1 + sign).min(bytes.len()));
            if exponent > 0 {
                length += 1 + sign + exponent;
            }
        }
        match rest[..length].parse() {
            Ok(value) => {
                self.at += length;
                Ok(value)
            }
            // A point alone.
            Err(_) => Err(self.unexpected("a number, a name or `(`")),
        }
    }

    fn named(&mut self, name: &str) -> Result<f64, ReadError> {
        let start = self.at;
        self.at += name.len();
        let called = self.peek() == Some(b'(');
        let function: fn(f64) -> f64 = match name {
            "exp" => f64::exp,
            "ln" => f64::ln,
            "log10" => f64::log10,
            "sqrt" => f64::sqrt,
            "abs" => f64::abs,
            _ => {
                let problem = match self.names.values.get(name) {
                    Some(&value) => return Ok(value),
                    None if called && !self.names.functions.contains(&name) => {
                        Problem::UnknownFunction(name.to_owned())
                    }
                    None if name == "_pi" => return Ok(std::f64::consts::PI),
                    None if name == "_e" => return Ok(std::f64::consts::E),
                    None => self.names.problem(self.line, name),
                };
                return Err(self.line.error(start, problem));
            }
        };
        if called { Ok(function(self.parentheses()?)) } else { Err(self.unexpected("`(`")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TINY: &str = "
begin parameters
    1 k  2  # Constant
    2 h  0.5*k
end parameters
begin functions
    1 f() k*G
end functions
begin species
    1 A() 10
    2 $B() k+1
    3 @cell:$C() 0
end species
begin reactions
    1 1,1,2 2,3 h #_R1
    2 0 1 k #_R2
    3 3,1 0 k
end reactions
begin groups
    1 G 1,2*3
    2 None
end groups
";

    fn problem(text: &str) -> String {
        text.parse::<Network>().unwrap_err().to_string()
    }

    /// The message about `TINY` with `old` replaced by `new`.
    fn changed(old: &str, new: &str) -> String {
        assert!(TINY.contains(old), "{old}");
        problem(&TINY.replacen(old, new, 1))
    }

    /// The value of an expression, as the last parameter of several.
    fn value(expression: &str) -> Result<f64, String> {
        let text = format!("begin parameters\n1 a 3\n2 b_1 2e-1\n3 x {expression}\nend parameters\n");
        let text = text + "begin species\nend species\nbegin reactions\nend reactions\n";
        let network = text.parse::<Network>().map_err(|error| error.to_string())?;
        Ok(network.parameters[2].value)
    }

    #[test]
    fn reads_a_tiny_network() {
        let network: Network = TINY.parse().unwrap();
        let species = |name: &str, initial, fixed| Species { name: name.to_owned(), initial, fixed };
        assert_eq!(
            network.species,
            [species("A()", 10, false), species("B()", 3, true), species("@cell:C()", 0, true)]
        );
        assert_eq!(
            network.reactions,
            [
                Reaction { reactants: vec![0, 0, 1], products: vec![1, 2], rate: 1.0 },
                Reaction { reactants: vec![], products: vec![0], rate: 2.0 },
                Reaction { reactants: vec![2, 0], products: vec![], rate: 2.0 },
            ]
        );
        assert_eq!(network.groups[0], Group { name: "G".to_owned(), terms: vec![(0, 1.0), (2, 2.0)] });
        assert!(network.groups[1].terms.is_empty());
        assert_eq!(network.parameters[1], Parameter { name: "h".to_owned(), value: 1.0 });
        assert_eq!(network.initial(), [10, 3, 0]);
    }

    #[test]
    fn fixed_species_do_not_change() {
        let network: Network = TINY.parse().unwrap();
        let changes: Vec<_> = network.reactions.iter().map(|reaction| network.net_change(reaction)).collect();
        assert_eq!(changes, [vec![(0, -2)], vec![(0, 1)], vec![(0, -1)]]);
        assert_eq!(network.reactions[0].multiplicities(), [(0, 2), (1, 1)]);
        assert_eq!(network.reactions[2].multiplicities(), [(0, 1), (2, 1)]);
    }

    #[test]
    fn equal_reactants_are_counted_in_order() {
        let network: Network = TINY.parse().unwrap();
        assert_eq!(network.reactions[0].propensity(&[10, 3, 0]), 1.0 * 90.0 * 3.0);
        assert_eq!(network.reactions[0].propensity(&[1, 3, 0]), 0.0);
        assert_eq!(network.reactions[0].propensity(&[0, 3, 0]), 0.0);
        let three = Reaction { reactants: vec![0; 3], products: vec![], rate: 0.5 };
        assert_eq!(three.propensity(&[10]), 360.0);
        assert_eq!(Reaction { reactants: vec![], products: vec![], rate: 7.0 }.propensity(&[]), 7.0);
    }

    #[test]
    fn the_network_beside_the_examples_is_sound() {
        let network: Network = include_str!("../data/dimerisation.net").parse().unwrap();
        assert_eq!((network.species.len(), network.reactions.len(), network.groups.len()), (6, 9, 3));
        assert_eq!(network.initial(), [1, 0, 0, 0, 0, 20]);
        // No reaction makes genes or loses them, and the protein in dimers is not lost by binding.
        for reaction in &network.reactions {
            let change = network.net_change(reaction);
            assert_eq!(change.iter().filter(|(species, _)| *species < 2).map(|(_, change)| change).sum::<i64>(), 0);
        }
        assert_eq!(network.net_change(&network.reactions[1]), [(3, 1)]);
        let protein = &network.groups[1];
        assert_eq!(protein.value(&[0, 1, 5, 7, 11, 20]), 2.0 + 7.0 + 22.0);
    }

    #[test]
    fn expressions() {
        let close = |expression: &str, expected: f64| {
            let found = value(expression).unwrap();
            assert!((found - expected).abs() <= 1e-14 * expected.abs(), "{expression}: {found}, not {expected}");
        };
        close("1+2*3-4/2", 5.0);
        close("8 - 3 - 2", 3.0);
        close("8/4/2", 1.0);
        close("(1+2)*3", 9.0);
        close("2^3^2", 512.0);
        close("-2^2", -4.0);
        close("2^-1", 0.5);
        close("2*-3", -6.0);
        close("--a", 3.0);
        close("+a", 3.0);
        close("a*b_1", 0.6);
        close("1.5e2", 150.0);
        close("2.E-1", 0.2);
        close(".5e+1", 5.0);
        close("6.022e23*1.4e-15", 6.022e23 * 1.4e-15);
        close("ln(2)/a", 2f64.ln() / 3.0);
        close("exp( ln (a) )", 3.0);
        close("log10(1000) + sqrt(16) + abs(-5)", 12.0);
        close("_pi/_e", std::f64::consts::PI / std::f64::consts::E);
        close(&format!("{}1{}", "(".repeat(DEEPEST), ")".repeat(DEEPEST)), 1.0);
    }

    #[test]
    fn malformed_expressions() {
        let says =
            |expression: &str, expected: &str| assert_eq!(value(expression).unwrap_err(), expected, "{expression}");
        says("1+", "line 4, column 7: the expression ends here, but a number, a name or `(` should follow");
        says("1 2", "line 4, column 7: `2` here, but an operator, or nothing, should follow");
        says("2e", "line 4, column 6: `e` here, but an operator, or nothing, should follow");
        says("1.2.3", "line 4, column 8: `.` here, but an operator, or nothing, should follow");
        says(".", "line 4, column 5: `.` here, but a number, a name or `(` should follow");
        says("(1+a", "line 4, column 9: the expression ends here, but an operator or `)` should follow");
        says("a)", "line 4, column 6: `)` here, but an operator, or nothing, should follow");
        says("a*%", "line 4, column 7: `%` here, but a number, a name or `(` should follow");
        says("a*µ", "line 4, column 7: `µ` here, but a number, a name or `(` should follow");
        says("exp", "line 4, column 8: the expression ends here, but `(` should follow");
        says("exp*2", "line 4, column 8: `*` here, but `(` should follow");
        says(
            "2*sin(a)",
            "line 4, column 7: the function `sin` is not known here, only exp, ln, log10, sqrt and abs: put the value itself",
        );
        says(
            "1/(a-a)",
            "line 4, column 5: the value is inf: look for a division by 0, an overflow, or a logarithm or root of a negative",
        );
        says(
            "ln(-1)",
            "line 4, column 5: the value is NaN: look for a division by 0, an overflow, or a logarithm or root of a negative",
        );
        let deep = "line 4, column 106: more than 100 parentheses inside one another: declare parts as parameters";
        says(&"(".repeat(100_000), deep);
        assert!(value(&"2^".repeat(100_000)).unwrap_err().ends_with(": declare parts as parameters"));
    }

    #[test]
    fn names_that_have_no_value() {
        assert_eq!(
            changed("0.5*k", "0.5*kq"),
            "line 4, column 14: nothing is called `kq`: declare it in the block `parameters`, or check its spelling"
        );
        assert_eq!(
            changed("k  2", "k  2*h"),
            "line 3, column 12: `h` is declared further down, in line 4: move it before this line"
        );
        assert_eq!(changed("k  2", "k  k"), "line 3, column 10: `k` is what this line declares: it cannot use itself");
        let function = "`f` is an entry of the block `functions`, which is not supported: \
                        a rate has to be a constant, so put the value itself or a parameter";
        assert_eq!(changed("0 1 k", "0 1 f"), format!("line 16, column 11: {function}"));
        assert_eq!(changed("0 1 k", "0 1 2*f()"), format!("line 16, column 13: {function}"));
        assert_eq!(
            changed("0 1 k", "0 1 MM k h"),
            "line 16, column 11: the rate law `MM` is not supported, only mass action: \
             write the reaction in elementary steps"
        );
        assert_eq!(changed("2 h ", "2 k "), "line 4, column 7: `k` is declared already: remove one, or rename it");
    }

    #[test]
    fn malformed_entries() {
        assert_eq!(changed("1 A() 10", "1 A()"), "line 10, column 10: the line ends here, add its amount");
        assert_eq!(changed("1 A() 10", "1"), "line 10, column 6: the line ends here, add the species' name");
        assert_eq!(
            changed("1 A() 10", "A() 10"),
            "line 10, column 5: `A()` where the entry's own number should be: \
             begin each line of a block with 1, 2, 3, …"
        );
        assert_eq!(
            changed("2 $B()", "3 $B()"),
            "line 11, column 5: reactions refer to species by number, so these go up by one: this one should be 2"
        );
        assert_eq!(
            changed("1 A() 10", "1 A() -10"),
            "line 10, column 11: an amount of -10: it has to be between 0 and 2^53"
        );
        assert!(changed("1 A() 10", "1 A() 1e16").contains("column 11: an amount of 1"));
        assert_eq!(changed("0 1 k", "0 1"), "line 16, column 10: the line ends here, add the rate");
        assert_eq!(
            changed("0 1 k #_R2", "0"),
            "line 16, column 8: the line ends here, add the products, or 0 for none"
        );
        assert_eq!(changed("0 1 k", "0 1 -k"), "line 16, column 11: a rate of -2: it has to be 0 or more, and finite");
        assert_eq!(
            changed("1,1,2 2,3", "1,1,2 2,4"),
            "line 15, column 15: there is no species 4: the block `species` ends with number 3"
        );
        assert_eq!(
            changed("1,1,2 2,3", "1,0 2,3"),
            "line 15, column 9: 0 stands for no species at all: leave it out here"
        );
        assert_eq!(
            changed("1,1,2 2,3", "1,,2 2,3"),
            "line 15, column 9: `` is no species: write numbers of species with commas between them, or 0 for none"
        );
        assert_eq!(
            changed("1,2*3", "1,w*3"),
            "line 20, column 11: `w` is no weight: write a number, `*` and the number of a species, as in `2*5`"
        );
        assert_eq!(
            changed("1,2*3", "1,2*8"),
            "line 20, column 13: there is no species 8: the block `species` ends with number 3"
        );
    }

    #[test]
    fn malformed_blocks() {
        assert_eq!(
            changed("end species\nbegin reactions", "begin reactions"),
            "line 13, column 1: `begin reactions` inside the block `species`: close that first, with `end species`"
        );
        assert_eq!(
            changed("end species", "end spices"),
            "line 13, column 1: `end spices` inside the block `species`: close that first, with `end species`"
        );
        assert_eq!(changed("end groups", ""), "line 19, column 7: this block is never closed: add `end groups`");
        assert_eq!(
            changed("begin species", "  begn species"),
            "line 9, column 3: this is in no block: put `begin` and the block's name before it, \
             or `#` to make it a comment"
        );
        assert_eq!(
            changed("end parameters", "end parameters\nend parameters"),
            "line 6, column 1: `end parameters`, but no block is open: \
             remove the line, or add the `begin` that is missing"
        );
        assert_eq!(changed("begin species", "begin"), "line 9, column 6: the line ends here, add the block's name");
        assert_eq!(
            problem("setOption(\"x\",1)\n"),
            "line 1, column 17: there is no block `species`: check that this is a `.net` file, \
             written by `generate_network`"
        );
        assert_eq!(
            problem(""),
            "line 1, column 1: there is no block `species`: check that this is a `.net` file, \
             written by `generate_network`"
        );
    }

    #[test]
    fn spaces_comments_and_other_blocks_do_not_matter() {
        let text = TINY
            .replace('\n', "\r\n")
            .replace(
                "begin groups",
                "# note\r\nversion(\"2.9\")\r\nbegin molecule types\r\n A(b) \r\nend molecule types\r\nbegin groups",
            )
            .replace("    ", "\t");
        assert_eq!(text.parse::<Network>().unwrap(), TINY.parse().unwrap());
    }

    #[test]
    fn errors_of_files_name_the_file() {
        let error = Network::load("no/such/file.net").unwrap_err().to_string();
        assert!(error.starts_with("cannot read no/such/file.net: "), "{error}");
        let error = LoadError::Read { path: "a.net".into(), error: problem_of("begin x").unwrap_err() };
        assert_eq!(error.to_string(), "a.net:1:7: this block is never closed: add `end x`");
    }

    fn problem_of(text: &str) -> Result<Network, ReadError> {
        text.parse()
    }
}
