//! Dependencies and sparsity, derived from the text.

use crate::compiled;
use consort_equations::Dependence;

#[test]
fn dependencies_go_through_variables_and_functions() {
    let equations = compiled(
        "model m\nparameter p = 1\nparameter q = 2\ninput u = 0\ninput w = 0\nstate x = 0\n\
         state y = 0\ndiscrete d = 0\nfunction f(a, b) = a*b\nvariable v = f(u, p)\n\
         output direct = v + y\noutput other = x*d\noutput late = delay(u, 1)\n\
         der(x) = f(x, w)\nder(y) = time\nend",
    );
    let none = Dependence::default();
    let direct =
        Dependence { inputs: vec![0], parameters: vec![0], states: vec![1], ..none.clone() };
    let other = Dependence { states: vec![0], discretes: vec![0], ..none.clone() };
    let late = Dependence { time: true, delays: vec![0], ..none.clone() };
    assert_eq!(equations.output_dependence, [direct, other, late]);
    let x = Dependence { states: vec![0], inputs: vec![1], ..none.clone() };
    assert_eq!(equations.derivative_dependence, [x, Dependence { time: true, ..none }]);
}

#[test]
fn what_a_constant_branch_hides_is_no_dependency() {
    let equations =
        compiled("model m\ninput u = 0\ninput w = 0\noutput y = if 1 < 2 then u else w\nend");
    assert_eq!(equations.output_dependence[0].inputs, [0]);
}

#[test]
fn jacobians_have_entries_only_where_something_depends() {
    let equations = compiled(
        "model m\ninput u = 0\nstate x = 0\nstate y = 0\nstate z = 0\n\
         der(x) = y\nder(y) = -x + u\nder(z) = 3\noutput o = z + u*u\nend",
    );
    let programs = &equations.programs;
    let jacobian = &programs.state_jacobian;
    assert_eq!(
        (&jacobian.column_starts[..], &jacobian.row_of[..]),
        (&[0, 1, 2, 2][..], &[1, 0][..])
    );
    assert_eq!(programs.input_jacobian.row_of, [1]);
    assert_eq!(programs.output_jacobian.column_starts, [0, 0, 0, 1]);
    assert_eq!(programs.feedthrough.row_of, [0]);
}
