//! Problems whose solutions others have published.

use consort_solve::Problem;
use std::convert::Infallible;

/// An initial value problem and its solution at the end.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) start: Vec<f64>,
    pub(crate) end: f64,
    pub(crate) solution: Vec<f64>,
    pub(crate) f: fn(f64, &[f64], &mut [f64]),
}

impl Problem for Case {
    type Error = Infallible;

    fn derivatives(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Infallible> {
        (self.f)(t, x, dx);
        Ok(())
    }
}

impl Case {
    pub(crate) fn len(&self) -> usize {
        self.start.len()
    }

    /// The largest difference to the solution at the end, of states less than one as it is, of larger
    /// ones in parts of them.
    pub(crate) fn error(&self, x: &[f64]) -> f64 {
        let each = x.iter().zip(&self.solution).map(|(x, s)| (x - s).abs() / s.abs().max(1.0));
        each.fold(0.0, f64::max)
    }
}

/// All that are not stiff.
pub(crate) fn not_stiff() -> [Case; 4] {
    [arenstorf(), van_der_pol(), brusselator(), pleiades()]
}

/// A satellite around earth and moon on a closed orbit: Hairer, Norsett and Wanner I, section II.0.
pub(crate) fn arenstorf() -> Case {
    let start = vec![0.994, 0.0, 0.0, -2.001_585_106_379_082_5];
    let f = |_: f64, x: &[f64], dx: &mut [f64]| {
        const MOON: f64 = 0.012_277_471;
        const EARTH: f64 = 1.0 - MOON;
        let squared = |from: f64| (x[0] + from) * (x[0] + from) + x[1] * x[1];
        let (d1, d2) = (squared(MOON), squared(-EARTH));
        let (d1, d2) = (d1 * d1.sqrt(), d2 * d2.sqrt());
        (dx[0], dx[1]) = (x[2], x[3]);
        dx[2] = x[0] + 2.0 * x[3] - EARTH * (x[0] + MOON) / d1 - MOON * (x[0] - EARTH) / d2;
        dx[3] = x[1] - 2.0 * x[2] - EARTH * x[1] / d1 - MOON * x[1] / d2;
    };
    let end = 17.065_216_560_157_964;
    Case { name: "arenstorf", solution: start.clone(), start, end, f }
}

/// The Van der Pol oscillator with mu = 1 over ten periods of its limit cycle. Its amplitude
/// 2.008619860874843136 and period 6.663286859323130190 are those of Taylor series of order 40 in forty
/// digits (mpmath), iterated from crest to crest until they repeat.
pub(crate) fn van_der_pol() -> Case {
    let start = vec![2.008_619_860_874_843, 0.0];
    let f = |_: f64, x: &[f64], dx: &mut [f64]| {
        dx[0] = x[1];
        dx[1] = (1.0 - x[0] * x[0]) * x[1] - x[0];
    };
    let end = 66.632_868_593_231_3;
    Case { name: "van der pol", solution: start.clone(), start, end, f }
}

/// The Brusselator of Hairer, Norsett and Wanner I, section II.4, with their solution at 20.
pub(crate) fn brusselator() -> Case {
    let f = |_: f64, x: &[f64], dx: &mut [f64]| {
        dx[0] = 1.0 + x[0] * x[0] * x[1] - 4.0 * x[0];
        dx[1] = 3.0 * x[0] - x[0] * x[0] * x[1];
    };
    let solution = vec![0.498_637_071_268_347_85, 4.596_780_349_452_011];
    Case { name: "brusselator", start: vec![1.5, 3.0], end: 20.0, solution, f }
}

/// Seven stars in a plane, with quasi-collisions: Hairer, Norsett and Wanner I, section II.10; solution
/// from Mazzia and Magherini, Test Set for Initial Value Problem Solvers, release 2.4 (Bari, 2008), `plei`.
pub(crate) fn pleiades() -> Case {
    let f = |_: f64, x: &[f64], dx: &mut [f64]| {
        let (place, speed) = x.split_at(14);
        dx[..14].copy_from_slice(speed);
        dx[14..].fill(0.0);
        for one in 0..7 {
            for other in 0..7 {
                if one != other {
                    let across = place[other] - place[one];
                    let up = place[7 + other] - place[7 + one];
                    let squared = across * across + up * up;
                    let pull = (other + 1) as f64 / (squared * squared.sqrt());
                    dx[14 + one] += pull * across;
                    dx[21 + one] += pull * up;
                }
            }
        }
    };
    #[rustfmt::skip]
    let start = vec![
        3.0, 3.0, -1.0, -3.0, 2.0, -2.0, 2.0,
        3.0, -3.0, 2.0, 0.0, 0.0, -4.0, 4.0,
        0.0, 0.0, 0.0, 0.0, 0.0, 1.75, -1.5,
        0.0, 0.0, 0.0, -1.25, 1.0, 0.0, 0.0,
    ];
    #[rustfmt::skip]
    let solution = vec![
        0.370_613_914_397_050_2, 3.237_284_092_057_233, -3.222_559_032_418_324,
        0.659_709_145_577_531, 0.342_558_170_715_658_4, 1.562_172_101_400_631,
        -0.700_309_292_221_249_5,
        -3.943_437_585_517_392, -3.271_380_973_972_55, 5.225_081_843_456_543,
        -2.590_612_434_977_47, 1.198_213_693_392_275, -0.242_968_234_493_582_4,
        1.091_449_240_428_98,
        3.417_003_806_314_313, 1.354_584_501_625_501, -2.590_065_597_810_775,
        2.025_053_734_714_242, -1.155_815_100_160_448, -0.807_298_817_022_302_1,
        0.595_239_635_420_871,
        -3.741_244_961_234_01, 0.377_345_968_575_063, 0.938_685_886_955_107_3,
        0.366_792_222_720_057_1, -0.347_404_635_380_849, 2.344_915_448_180_937,
        -1.947_020_434_263_292,
    ];
    Case { name: "pleiades", start, end: 3.0, solution, f }
}
