//! Local variables of a body, and which of them are indices.

use proc_macro2::Ident;
use syn::ext::IdentExt as _;

use crate::resolve::forms::Form;

/// Local variables in sight, innermost last.
#[derive(Debug, Default)]
pub(super) struct Locals {
    list: Vec<Local>,
    /// Those before are out of sight: a definition does not see what is around its use.
    floor: usize,
}

/// A local variable.
#[derive(Clone, Debug)]
pub(super) struct Local {
    name: String,
    /// The name it has in generated code, if that is another.
    pub rename: Option<Ident>,
    pub form: Form,
    /// The set that it is a member of.
    pub set: Option<usize>,
}

/// Where a scope begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

/// What was in sight around a definition.
#[derive(Debug)]
pub(super) struct Frame {
    floor: usize,
    mark: Mark,
}

impl Locals {
    /// The variable called `ident`.
    pub(super) fn find(&self, ident: &Ident) -> Option<&Local> {
        let name = ident.unraw().to_string();
        self.list[self.floor..].iter().rev().find(|local| local.name == name)
    }

    /// A new variable of which nothing is known.
    pub(super) fn hide(&mut self, ident: &Ident) {
        let name = ident.unraw().to_string();
        self.list.push(Local { name, rename: None, form: Form::unknown(), set: None });
    }

    /// A new variable under another name.
    pub(super) fn index(&mut self, ident: &Ident, rename: Ident, form: Form, set: Option<usize>) {
        self.list.push(Local { name: ident.unraw().to_string(), rename: Some(rename), form, set });
    }

    /// What the variable called `ident`, which is there, stands for.
    pub(super) fn know(&mut self, ident: &Ident, form: Form, set: Option<usize>) {
        let name = ident.unraw().to_string();
        let floor = self.floor;
        if let Some(local) = self.list[floor..].iter_mut().rev().find(|local| local.name == name) {
            (local.form, local.set) = (form, set);
        }
    }

    /// Begins a scope.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.list.len())
    }

    /// Ends it.
    pub(super) fn end(&mut self, mark: Mark) {
        self.list.truncate(mark.0);
    }

    /// Enters a definition.
    pub(super) fn enter(&mut self) -> Frame {
        let mark = self.mark();
        Frame { floor: std::mem::replace(&mut self.floor, mark.0), mark }
    }

    /// Leaves it.
    pub(super) fn leave(&mut self, frame: Frame) {
        self.end(frame.mark);
        self.floor = frame.floor;
    }
}
