//! A program allocates when its registers are made only.

use crate::compiled;
use consort_equations::NoHistory;

#[test]
fn evaluating_allocates_nothing() {
    let equations = compiled(
        "model m\nparameter k = 2\ninput u = 1\nstate x = 1\nstate y = 2\n\
         function mm(s, h) = s^h/(1 + s^h)\n\
         output o = if x < y then exp(x) else delay(y, 1)\n\
         der(x) = k*mm(y, 2.5) - x + u\nder(y) = sin(x)*y + time\nend",
    );
    let programs = &equations.programs;
    for program in [&programs.derivatives, &programs.outputs, &programs.state_jacobian.program] {
        let mut registers = program.registers();
        let mut results = vec![0.0; program.results.len()];
        let counted = allocation_counter::measure(|| {
            for n in 0..100 {
                let states = [f64::from(n) * 0.1, 1.0];
                let point = equations.point(0.0, [&[2.0], &[1.0], &states, &[]]);
                program.evaluate(&point, &mut NoHistory, &mut registers, &mut results);
            }
        });
        assert_eq!(counted.count_total, 0);
    }
}
