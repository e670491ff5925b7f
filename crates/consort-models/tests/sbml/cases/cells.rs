//! Networks with rules, events and several compartments, from the literature and near to it.

use super::{Case, Course, case};
use std::fmt::Write as _;

const NONE: &[(&str, Course)] = &[];

pub(super) fn cases() -> Vec<Case> {
    let mut all = [CLOCKS, BODIES].concat();
    all.push(Case { text: double_phosphorylation().into(), ..case(CASCADE, "", 60.0, NONE) });
    all.into_iter().map(|case| Case { is_network: true, ..case }).collect()
}

const CASCADE: &str = "cascade of double phosphorylations with all complexes";

/// Huang and Ferrell's cascade: ten enzymes at work, each binding and releasing.
fn double_phosphorylation() -> String {
    let mut text = String::from("compartment C = 1\n");
    let species = "E1=0.00003 E2=0.0003 F1=0.0003 F2=0.12 K3=0.003 K3p=0 K2=1.2 K2p=0 K2pp=0 K1=1.2 K1p=0 K1pp=0";
    for pair in species.split(' ') {
        let (id, value) = pair.split_once('=').expect("a value");
        let _ = writeln!(text, "species {id} in C = {value}");
    }
    let works = [
        ["E1", "K3", "K3p"],
        ["E2", "K3p", "K3"],
        ["K3p", "K2", "K2p"],
        ["F1", "K2p", "K2"],
        ["K3p", "K2p", "K2pp"],
        ["F1", "K2pp", "K2p"],
        ["K2pp", "K1", "K1p"],
        ["F2", "K1p", "K1"],
        ["K2pp", "K1p", "K1pp"],
        ["F2", "K1pp", "K1p"],
    ];
    for (number, [enzyme, from, to]) in works.into_iter().enumerate() {
        let _ = writeln!(text, "species X{number} in C = 0");
        let _ = writeln!(
            text,
            "reaction b{number}: {enzyme} + {from} -> X{number} : C*(1000*{enzyme}*{from} - 150*X{number})\n\
             reaction c{number}: X{number} -> {enzyme} + {to} : C*150*X{number}"
        );
    }
    text
}

const CLOCKS: &[Case] = &[
    case(
        "Kholodenko's oscillating cascade",
        "compartment C = 1
         species K in C = 90
         species Kp in C = 10
         species M in C = 280
         species Mp in C = 10
         species Mpp in C = 10
         species A in C = 280
         species Ap in C = 10
         species App in C = 10
         function mm(v, k, s) = v*s/(k + s)
         reaction r1: K -> Kp : C*mm(2.5, 10, K)/(1 + App/9)
         reaction r2: Kp -> K : C*mm(0.25, 8, Kp)
         reaction r3: M -> Mp : C*mm(0.025*Kp, 15, M)
         reaction r4: Mp -> Mpp : C*mm(0.025*Kp, 15, Mp)
         reaction r5: Mpp -> Mp : C*mm(0.75, 15, Mpp)
         reaction r6: Mp -> M : C*mm(0.75, 15, Mp)
         reaction r7: A -> Ap : C*mm(0.025*Mpp, 15, A)
         reaction r8: Ap -> App : C*mm(0.025*Mpp, 15, Ap)
         reaction r9: App -> Ap : C*mm(0.5, 15, App)
         reaction r10: Ap -> A : C*mm(0.5, 15, Ap)",
        3000.0,
        NONE,
    ),
    case(
        "Goldbeter's mitotic oscillator",
        "compartment C = 1
         species Y in C = 0.01
         species M in C = 0.01
         species X in C = 0.01
         variable V1 = 0
         variable V3 = 0
         V1 := 3*Y/(Y + 0.5)
         V3 := M
         reaction r1:  -> Y : C*0.025
         reaction r2: Y ->  : C*0.01*Y
         reaction r3: Y ->  : C*0.25*X*Y/(Y + 0.02)
         reaction r4:  -> M : C*V1*(1 - M)/(0.005 + 1 - M)
         reaction r5: M ->  : C*1.5*M/(0.005 + M)
         reaction r6:  -> X : C*V3*(1 - X)/(0.005 + 1 - X)
         reaction r7: X ->  : C*0.5*X/(0.005 + X)",
        100.0,
        NONE,
    ),
    case(
        "Tyson's cell cycle",
        "compartment C = 1
         species C2 in C = 0
         species CP in C = 0.75
         species pM in C = 0.25
         species M in C = 0
         species Y in C = 0
         species YP in C = 0
         variable CT = 1
         CT := C2 + CP + M + pM
         reaction r1: M -> C2 + YP : C*M
         reaction r2: C2 -> CP : C*1e4*C2
         reaction r3: CP -> C2 : C*10*CP
         reaction r4: CP + Y -> pM : C*200*CP*Y
         reaction r5:  -> Y : C*0.015
         reaction r6: YP ->  : C*0.6*YP
         reaction r7: pM -> M : C*pM*(0.018 + 180*(M/CT)^2)",
        60.0,
        NONE,
    ),
    case(
        "Goldbeter's clock of a fly",
        "compartment C = 1
         species M in C = 0.1
         species P0 in C = 0.25
         species P1 in C = 0.25
         species P2 in C = 0.25
         species PN in C = 0.25
         reaction r1:  -> M : C*0.76/(1 + PN^4)
         reaction r2: M ->  : C*0.65*M/(0.5 + M)
         reaction r3:  -> P0 : C*0.38*M
         reaction r4: P0 -> P1 : C*3.2*P0/(2 + P0)
         reaction r5: P1 -> P0 : C*1.58*P1/(2 + P1)
         reaction r6: P1 -> P2 : C*5*P1/(2 + P1)
         reaction r7: P2 -> P1 : C*2.5*P2/(2 + P2)
         reaction r8: P2 ->  : C*0.95*P2/(0.2 + P2)
         reaction r9: P2 -> PN : C*1.9*P2
         reaction r10: PN -> P2 : C*1.3*PN",
        72.0,
        NONE,
    ),
    case(
        "calcium in waves",
        "compartment cytosol = 1
         compartment store = 1
         species Z in cytosol = 0.2
         species Y in store = 2
         variable v2 = 0
         variable v3 = 0
         v2 := 65*Z^2/(1 + Z^2)
         v3 := 500*Y^2/(4 + Y^2)*Z^4/(0.6561 + Z^4)
         reaction r1:  -> Z : 1 + 7.3*0.301
         reaction r2: Z -> Y : v2
         reaction r3: Y -> Z : v3 + Y
         reaction r4: Z ->  : 10*Z",
        4.0,
        NONE,
    ),
    case(
        "a reaction of Belousov and Zhabotinsky",
        "compartment C = 1
         species A in C = 0.06 boundary
         species X in C = 0.000001
         species Y in C = 0.000001
         species Z in C = 0.000001
         reaction r1: A + Y -> X : C*1.3*A*Y
         reaction r2: X + Y ->  : C*2000000*X*Y
         reaction r3: A + X -> 2 X + 2 Z : C*34*A*X
         reaction r4: 2 X -> A : C*3000*X^2
         reaction r5: Z -> 0.5 Y : C*0.02*Z",
        200.0,
        NONE,
    ),
];

const BODIES: &[Case] = &[
    case(
        "a drug in doses",
        "compartment gut = 1
         compartment plasma = 3
         compartment tissue = 12
         species G in gut amount 100 only
         species P in plasma = 0
         species T in tissue = 0
         variable next = 7.9
         variable doses = 1
         reaction absorb: G -> P : 0.9*G
         reaction spread: P -> T : 1.5*(P - T)
         reaction clear: P ->  : 4*P/(2 + P)
         when time >= next => G = G + 100; next = next + 7.9; doses = doses + 1",
        40.0,
        NONE,
    ),
    case(
        "a cell that grows and divides",
        "compartment V = 1 varying
         species P in V amount 1 only
         species R in V amount 0.5 only
         variable divisions = 0
         der V = 0.35*V
         reaction make:  -> P : 2*R*V/(V + P)
         reaction copy:  -> R : 0.6*V
         reaction decay: P ->  : 0.2*P
         reaction lose: R ->  : 0.3*R
         when V > 2.1 => V = V/2; P = P/2; R = R/2; divisions = divisions + 1",
        12.5,
        NONE,
    ),
    case(
        "an epidemic with seasons and a vaccine",
        "compartment town = 1
         species S in town amount 990 only
         species E in town amount 0 only
         species I in town amount 10 only
         species R in town amount 0 only
         parameter mean = 0.0006
         variable beta = 0
         variable vaccine = 0
         beta := mean*(1 + 0.3*cos(6.283185307179586*time/52))
         reaction infect: S + I -> E + I : beta*S*I
         reaction sicken: E -> I : 0.5*E
         reaction recover: I -> R : 0.25*I
         reaction vaccinate: S -> R : vaccine*S
         when I > 150 after 2.3 => vaccine = 0.08
         when I < 40 => vaccine = 0",
        50.0,
        NONE,
    ),
    case(
        "sugar and insulin after meals",
        "compartment body = 12
         species G in body = 5
         species I in body = 0.06
         species Q in body amount 0 only
         variable meal = 1.05
         function hill(x, k, n) = x^n/(k^n + x^n)
         reaction digest: Q -> G : 1.2*Q
         reaction make:  -> G : body*2.4/(1 + (I/0.08)^2)
         reaction use: G ->  : body*(0.12*G + 1.4*I*G)
         reaction secrete:  -> I : body*0.5*hill(G, 7, 4)
         reaction clear: I ->  : body*0.9*I
         when time > meal => Q = Q + 90; meal = meal + 5.5",
        20.0,
        NONE,
    ),
    case(
        "receptors that move between membrane and vesicles",
        "compartment outside = 1e-9
         compartment membrane = 2e-13
         compartment vesicles = 5e-14
         species L in outside = 2e-9
         species R in membrane amount 4e-20
         species B in membrane amount 0
         species V in vesicles amount 0
         species Rv in vesicles amount 1e-20
         reaction bind: L + R -> B : 3e6*L*R*membrane
         reaction leave: B -> L + R : 0.004*B*membrane
         reaction enter: B -> V : 0.01*B*membrane
         reaction split: V -> Rv : 0.006*V*vesicles
         reaction back: Rv -> R : 0.005*Rv*vesicles
         reaction lose: V ->  : 0.001*V*vesicles",
        600.0,
        NONE,
    ),
];
