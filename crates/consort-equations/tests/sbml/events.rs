//! One small model for each way an event may be.

use crate::constructs::{Case, DECAY, K, TWO};

pub(crate) const EVENTS: &[Case] = &[
    (
        "an event of level 2",
        (2, 4),
        &[
            ("Parameters", "<parameter id='x' value='1' constant='false'/>"),
            (
                "Events",
                "<event id='E'><trigger>{{time >= 2}}</trigger><listOfEventAssignments>\
          <eventAssignment variable='x'>{{x+1}}</eventAssignment></listOfEventAssignments></event>",
            ),
        ],
    ),
    (
        "everything an event can have",
        (3, 1),
        &[
            (
                "Parameters",
                "<parameter id='x' value='1' constant='false'/><parameter id='y' value='0' constant='false'/>",
            ),
            (
                "Events",
                "<event useValuesFromTriggerTime='false'><trigger initialValue='false' persistent='false'>\
          {{x < 2}}</trigger><delay>{{x*3}}</delay><priority>{{10 - x}}</priority><listOfEventAssignments>\
          <eventAssignment variable='x'>{{y}}</eventAssignment>\
          <eventAssignment variable='y'>{{x}}</eventAssignment></listOfEventAssignments></event>",
            ),
        ],
    ),
    (
        "an event sets a concentration that reacts",
        (2, 4),
        &[
            ("Species", TWO),
            ("Parameters", K),
            ("Reactions", DECAY),
            (
                "Events",
                "<event><trigger>{{A < 1}}</trigger><listOfEventAssignments>\
          <eventAssignment variable='A'>{{3}}</eventAssignment></listOfEventAssignments></event>",
            ),
        ],
    ),
    (
        "an event sets a concentration and its compartment",
        (2, 4),
        &[
            ("Compartments", "<compartment id='C' size='2' constant='false'/>"),
            ("Species", TWO),
            (
                "Events",
                "<event><trigger>{{time > 1}}</trigger><listOfEventAssignments>\
          <eventAssignment variable='A'>{{3}}</eventAssignment>\
          <eventAssignment variable='C'>{{C/2}}</eventAssignment></listOfEventAssignments></event>",
            ),
        ],
    ),
    (
        "a delayed event sets a concentration in a compartment that changes",
        (2, 4),
        &[
            ("Compartments", "<compartment id='C' size='2' constant='false'/>"),
            ("Species", TWO),
            ("Parameters", K),
            ("Rules", "<rateRule variable='C'>{{1}}</rateRule>"),
            (
                "Events",
                "<event><trigger>{{time > 1}}</trigger><delay>{{2}}</delay><listOfEventAssignments>\
                 <eventAssignment variable='A'>{{3*k}}</eventAssignment></listOfEventAssignments></event>",
            ),
        ],
    ),
    (
        "an event without assignments",
        (3, 1),
        &[(
            "Events",
            "<event id='E'><trigger initialValue='true' persistent='true'>{{time > 1}}</trigger></event>",
        )],
    ),
    (
        "a constraint is not watched",
        (3, 1),
        &[("Constraints", "<constraint>{{time < 10}}</constraint>")],
    ),
    (
        "a delayed event sets a concentration in a compartment that changes",
        (2, 4),
        &[
            ("Compartments", "<compartment id='C' size='1' constant='false'/>"),
            ("Species", "<species id='A' compartment='C' initialAmount='1'/>"),
            ("Rules", "<rateRule variable='C'>{{1}}</rateRule>"),
            (
                "Events",
                "<event id='E'><trigger>{{time > 1}}</trigger><delay>{{1}}</delay><listOfEventAssignments>\
          <eventAssignment variable='A'>{{2*A}}</eventAssignment></listOfEventAssignments></event>",
            ),
        ],
    ),
];
