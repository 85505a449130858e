//! Every compile error, at the user's tokens and with what to do.

/// The expected output stands beside each case.
#[test]
fn compile_errors() {
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}
