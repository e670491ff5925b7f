//! One small model for each construct: name, level and version, content of its lists.

pub(crate) type Case = (&'static str, (u32, u32), &'static [(&'static str, &'static str)]);

/// `A -> B` with rate `k*A*C`.
pub(crate) const DECAY: &str = "<reaction id='R'><listOfReactants><speciesReference species='A'/></listOfReactants>\
    <listOfProducts><speciesReference species='B'/></listOfProducts>\
    <kineticLaw>{{k*A*C}}</kineticLaw></reaction>";
pub(crate) const TWO: &str = "<species id='A' compartment='C' initialConcentration='3'/>\
    <species id='B' compartment='C' initialAmount='0'/>";
pub(crate) const K: &str = "<parameter id='k' value='0.5'/>";

pub(crate) const REACTIONS: &[Case] = &[
    (
        "concentrations in a fixed compartment",
        (2, 4),
        &[("Species", TWO), ("Parameters", K), ("Reactions", DECAY)],
    ),
    (
        "the same in the first version",
        (2, 1),
        &[("Species", TWO), ("Parameters", K), ("Reactions", DECAY)],
    ),
    (
        "only substance units",
        (2, 4),
        &[
            (
                "Species",
                "<species id='A' compartment='C' initialAmount='3' hasOnlySubstanceUnits='true'/>\
          <species id='B' compartment='C' initialConcentration='1' hasOnlySubstanceUnits='true'/>",
            ),
            ("Parameters", K),
            ("Reactions", DECAY),
        ],
    ),
    (
        "boundary condition",
        (2, 3),
        &[
            (
                "Species",
                "<species id='A' compartment='C' initialConcentration='3' boundaryCondition='true'/>\
          <species id='B' compartment='C' initialAmount='0'/>",
            ),
            ("Parameters", K),
            ("Reactions", DECAY),
        ],
    ),
    (
        "constant boundary given as an amount",
        (2, 5),
        &[
            (
                "Species",
                "<species id='A' compartment='C' initialAmount='3' boundaryCondition='true' constant='true'/>\
          <species id='B' compartment='C' initialAmount='0'/>",
            ),
            ("Parameters", K),
            ("Reactions", DECAY),
        ],
    ),
    (
        "local parameters hide those of the model",
        (2, 4),
        &[
            ("Species", TWO),
            ("Parameters", "<parameter id='k' value='100'/><parameter id='R_k' value='1'/>"),
            (
                "Reactions",
                "<reaction id='R'><listOfReactants><speciesReference species='A'/></listOfReactants>\
          <kineticLaw>{{k*A}}<listOfParameters><parameter id='k' value='0.5'/></listOfParameters>\
          </kineticLaw></reaction>",
            ),
        ],
    ),
    (
        "local parameters of level 3",
        (3, 1),
        &[
            ("Species", TWO),
            (
                "Reactions",
                "<reaction id='R' reversible='false' fast='false'><listOfReactants>\
          <speciesReference species='A' stoichiometry='1' constant='true'/></listOfReactants>\
          <kineticLaw>{{k*A}}<listOfLocalParameters><localParameter id='k' value='0.5'/>\
          </listOfLocalParameters></kineticLaw></reaction>",
            ),
        ],
    ),
    (
        "stoichiometry",
        (2, 4),
        &[
            ("Species", TWO),
            ("Parameters", K),
            (
                "Reactions",
                "<reaction id='R'><listOfReactants><speciesReference species='A' stoichiometry='2'/>\
          </listOfReactants><listOfProducts><speciesReference species='B' stoichiometry='0.5'/>\
          <speciesReference species='A'/></listOfProducts>\
          <kineticLaw>{{k*A*C}}</kineticLaw></reaction>",
            ),
        ],
    ),
    (
        "stoichiometry as a formula",
        (2, 4),
        &[
            ("Species", TWO),
            ("Parameters", K),
            (
                "Reactions",
                "<reaction id='R'><listOfReactants><speciesReference species='A'>\
          <stoichiometryMath>{{k*2}}</stoichiometryMath></speciesReference></listOfReactants>\
          <listOfProducts><speciesReference species='B'><stoichiometryMath>{{1+time}}</stoichiometryMath>\
          </speciesReference></listOfProducts><kineticLaw>{{k*A*C}}</kineticLaw></reaction>",
            ),
        ],
    ),
    (
        "stoichiometries with identifiers",
        (3, 1),
        &[
            ("Species", TWO),
            ("Parameters", K),
            ("InitialAssignments", "<initialAssignment symbol='two'>{{k*4}}</initialAssignment>"),
            ("Rules", "<assignmentRule variable='many'>{{1+time}}</assignmentRule>"),
            (
                "Reactions",
                "<reaction id='R'><listOfReactants>\
          <speciesReference id='two' species='A' constant='true'/></listOfReactants><listOfProducts>\
          <speciesReference id='many' species='B' constant='false'/></listOfProducts>\
          <kineticLaw>{{k*A*C}}</kineticLaw></reaction>",
            ),
        ],
    ),
    (
        "conversion factors",
        (3, 2),
        &[
            (
                "Species",
                "<species id='A' compartment='C' initialConcentration='3' conversionFactor='f'/>\
          <species id='B' compartment='C' initialAmount='0'/>",
            ),
            (
                "Parameters",
                "<parameter id='k' value='0.5'/><parameter id='f' value='10' constant='true'/>",
            ),
            (
                "Reactions",
                "<reaction id='R'><listOfReactants><speciesReference species='A' stoichiometry='1'/>\
          </listOfReactants><listOfProducts><speciesReference species='B' stoichiometry='1'/>\
          </listOfProducts><kineticLaw>{{k*A*C}}</kineticLaw></reaction>",
            ),
        ],
    ),
    (
        "the rate of a reaction in formulas",
        (2, 4),
        &[
            ("Species", TWO),
            (
                "Parameters",
                "<parameter id='k' value='0.5'/>\
          <parameter id='twice' constant='false'/>",
            ),
            ("Rules", "<assignmentRule variable='twice'>{{2*R}}</assignmentRule>"),
            ("Reactions", DECAY),
        ],
    ),
    (
        "modifiers, notes and annotations",
        (2, 4),
        &[
            ("Species", TWO),
            ("Parameters", K),
            (
                "Reactions",
                "<reaction id='R' reversible='true'><notes><p xmlns='http://www.w3.org/1999/xhtml'>why</p></notes>\
          <annotation><x xmlns='urn:x'/></annotation><listOfReactants><speciesReference species='A'/></listOfReactants>\
          <listOfModifiers><modifierSpeciesReference species='B'/></listOfModifiers>\
          <kineticLaw>{{k*A*B}}</kineticLaw></reaction>",
            ),
        ],
    ),
    (
        "a point has no size",
        (2, 4),
        &[
            ("Compartments", "<compartment id='C' spatialDimensions='0'/>"),
            ("Species", "<species id='A' compartment='C' initialAmount='3'/>"),
            ("Parameters", K),
            (
                "Reactions",
                "<reaction id='R'><listOfReactants><speciesReference species='A'/></listOfReactants>\
          <kineticLaw>{{k*A}}</kineticLaw></reaction>",
            ),
        ],
    ),
    (
        "two compartments",
        (2, 4),
        &[
            (
                "Compartments",
                "<compartment id='C' size='2' units='litre'/><compartment id='D' size='0.1' \
          spatialDimensions='2' units='area'/>",
            ),
            (
                "Species",
                "<species id='A' name='in' compartment='C' initialConcentration='3' substanceUnits='mole'/>\
          <species id='B' compartment='D' initialConcentration='1'/>",
            ),
            ("Parameters", "<parameter id='k' value='0.5' name='rate' units='second'/>"),
            ("Reactions", DECAY),
        ],
    ),
    (
        "a growing compartment thins what is in it",
        (2, 4),
        &[
            ("Compartments", "<compartment id='C' size='2' constant='false'/>"),
            ("Species", TWO),
            ("Parameters", K),
            ("Rules", "<rateRule variable='C'>{{0.1*C}}</rateRule>"),
            ("Reactions", DECAY),
        ],
    ),
    (
        "what does not react in a growing compartment",
        (2, 4),
        &[
            ("Compartments", "<compartment id='C' size='2' constant='false'/>"),
            (
                "Species",
                "<species id='A' compartment='C' initialConcentration='3'/>\
          <species id='B' compartment='C' initialAmount='4' boundaryCondition='true'/>",
            ),
            ("Rules", "<assignmentRule variable='C'>{{2+time}}</assignmentRule>"),
        ],
    ),
    (
        "a reaction without a law between boundaries",
        (3, 2),
        &[
            (
                "Species",
                "<species id='A' compartment='C' initialConcentration='3' boundaryCondition='true'/>",
            ),
            (
                "Reactions",
                "<reaction id='R'><listOfReactants><speciesReference species='A' stoichiometry='1'/>\
          </listOfReactants></reaction>",
            ),
        ],
    ),
    (
        "a fast reaction",
        (2, 4),
        &[
            ("Species", TWO),
            (
                "Reactions",
                "<reaction id='R' fast='true'><listOfReactants><speciesReference species='A' stoichiometry='2'/>\
          </listOfReactants><listOfProducts><speciesReference species='B'/></listOfProducts>\
          <kineticLaw>{{A*A - B}}</kineticLaw></reaction>\
          <reaction id='Q'><listOfReactants><speciesReference species='B'/></listOfReactants>\
          <kineticLaw>{{B*C}}</kineticLaw></reaction>",
            ),
        ],
    ),
];

pub(crate) const RULES: &[Case] = &[
    (
        "assignment rules",
        (2, 4),
        &[
            ("Species", "<species id='A' compartment='C'/>"),
            ("Parameters", "<parameter id='p' constant='false'/><parameter id='k' value='2'/>"),
            (
                "Rules",
                "<assignmentRule variable='A'>{{p*2}}</assignmentRule>\
          <assignmentRule variable='p'>{{k+time}}</assignmentRule>",
            ),
        ],
    ),
    (
        "rate rules",
        (2, 4),
        &[
            ("Species", "<species id='A' compartment='C' initialAmount='6'/>"),
            ("Parameters", "<parameter id='p' value='1' constant='false'/>"),
            (
                "Rules",
                "<rateRule variable='A'>{{-A}}</rateRule><rateRule variable='p'>{{A-p}}</rateRule>",
            ),
        ],
    ),
    (
        "a rate rule in a compartment that events change",
        (3, 1),
        &[
            ("Compartments", "<compartment id='C' size='2' constant='false'/>"),
            ("Species", "<species id='A' compartment='C' initialConcentration='6'/>"),
            (
                "Rules",
                "<rateRule variable='A'>{{-A}}</rateRule><rateRule variable='C'>{{0.1}}</rateRule>",
            ),
            (
                "Events",
                "<event id='E'><trigger>{{time > 1}}</trigger><listOfEventAssignments>\
          <eventAssignment variable='C'>{{5}}</eventAssignment></listOfEventAssignments></event>",
            ),
        ],
    ),
    (
        "an algebraic rule for a parameter",
        (2, 4),
        &[
            ("Parameters", "<parameter id='p' constant='false'/><parameter id='k' value='2'/>"),
            ("Rules", "<algebraicRule>{{3*p - k*time + p/k}}</algebraicRule>"),
        ],
    ),
    (
        "algebraic rules that wait for each other",
        (2, 4),
        &[
            (
                "Parameters",
                "<parameter id='p' constant='false'/><parameter id='q' constant='false'/>",
            ),
            (
                "Rules",
                "<algebraicRule>{{p + q - 3}}</algebraicRule><algebraicRule>{{q*2 - time}}</algebraicRule>",
            ),
        ],
    ),
    (
        "a conserved total",
        (2, 4),
        &[
            (
                "Species",
                "<species id='A' compartment='C' initialConcentration='3'/>\
          <species id='B' compartment='C' initialConcentration='1'/>",
            ),
            ("Parameters", "<parameter id='T' value='4'/><parameter id='k' value='1'/>"),
            ("Rules", "<algebraicRule>{{T - (A + B)}}</algebraicRule>"),
            (
                "Reactions",
                "<reaction id='R'><listOfReactants><speciesReference species='A'/></listOfReactants>\
          <kineticLaw>{{k*A}}</kineticLaw></reaction>",
            ),
        ],
    ),
    (
        "initial assignments",
        (2, 4),
        &[
            ("Species", "<species id='A' compartment='C'/>"),
            (
                "Parameters",
                "<parameter id='p' value='1'/><parameter id='q'/><parameter id='start'/>\
          <parameter id='x' value='0' constant='false'/>",
            ),
            (
                "InitialAssignments",
                "<initialAssignment symbol='A'>{{2*p}}</initialAssignment>\
          <initialAssignment symbol='q'>{{p+1}}</initialAssignment>\
          <initialAssignment symbol='start'>{{x+q}}</initialAssignment>\
          <initialAssignment symbol='C'>{{4*p}}</initialAssignment>",
            ),
            ("Rules", "<rateRule variable='x'>{{1}}</rateRule>"),
        ],
    ),
    (
        "an initial assignment of a species that reacts",
        (3, 1),
        &[
            ("Species", TWO),
            ("Parameters", K),
            ("InitialAssignments", "<initialAssignment symbol='A'>{{k*8}}</initialAssignment>"),
            (
                "Reactions",
                "<reaction id='R'><listOfReactants><speciesReference species='A' stoichiometry='1'/>\
          </listOfReactants><kineticLaw>{{k*A}}</kineticLaw></reaction>",
            ),
        ],
    ),
    (
        "rates of change",
        (3, 2),
        &[
            (
                "Compartments",
                "<compartment id='C' size='2' constant='false'/><compartment id='D' size='3'/>",
            ),
            (
                "Species",
                "<species id='A' compartment='C' initialConcentration='3'/>\
          <species id='B' compartment='D' initialAmount='0'/>\
          <species id='N' compartment='D' initialAmount='9'  hasOnlySubstanceUnits='true'/>",
            ),
            (
                "Parameters",
                "<parameter id='k' value='0.5'/><parameter id='p' constant='false'/>\
          <parameter id='q' constant='false'/><parameter id='r' constant='false'/>\
          <parameter id='s' constant='false'/>",
            ),
            (
                "Rules",
                "<rateRule variable='C'>{{0.1}}</rateRule>\
          <assignmentRule variable='p'>{{der(A)}}</assignmentRule>\
          <assignmentRule variable='q'>{{der(B)}}</assignmentRule>\
          <assignmentRule variable='r'>{{der(N)}}</assignmentRule>\
          <assignmentRule variable='s'>{{der(k) + der(C)}}</assignmentRule>",
            ),
            (
                "Reactions",
                "<reaction id='R'><listOfReactants><speciesReference species='A' stoichiometry='1'/>\
          </listOfReactants><listOfProducts><speciesReference species='B' stoichiometry='1'/>\
          <speciesReference species='N' stoichiometry='3'/></listOfProducts>\
          <kineticLaw>{{k*A*C + der(j)}}\
          <listOfLocalParameters><localParameter id='j' value='7'/></listOfLocalParameters></kineticLaw></reaction>",
            ),
        ],
    ),
    (
        "the past",
        (2, 4),
        &[
            ("Parameters", "<parameter id='x' value='1' constant='false'/>"),
            ("Rules", "<rateRule variable='x'>{{-delay(x, 0.5)}}</rateRule>"),
        ],
    ),
    (
        "functions",
        (2, 4),
        &[
            (
                "FunctionDefinitions",
                "<functionDefinition id='square'><math xmlns='http://www.w3.org/1998/Math/MathML'>\
          <lambda><bvar><ci>x</ci></bvar><apply><times/><ci>x</ci><ci>x</ci></apply></lambda></math></functionDefinition>\
          <functionDefinition id='one'><math xmlns='http://www.w3.org/1998/Math/MathML'><semantics>\
          <lambda><cn>1</cn></lambda><annotation>one</annotation></semantics></math></functionDefinition>",
            ),
            ("Parameters", "<parameter id='x' value='1' constant='false'/>"),
            ("Rules", "<rateRule variable='x'>{{square(x + one()) - square(2)}}</rateRule>"),
        ],
    ),
    (
        "choices",
        (2, 4),
        &[
            ("Parameters", "<parameter id='x' value='1' constant='false'/>"),
            (
                "Rules",
                "<rateRule variable='x'>{{if x < 1 then 2 elseif x < 2 and time > 3 then 3 else 4}}</rateRule>",
            ),
        ],
    ),
    (
        "conditions as numbers and numbers as conditions",
        (3, 2),
        &[
            ("Parameters", "<parameter id='x' value='1' constant='false'/>"),
            (
                "Rules",
                "<rateRule variable='x'><math xmlns='http://www.w3.org/1998/Math/MathML'><apply><plus/>\
          <apply><lt/><ci>x</ci><cn>2</cn></apply><piecewise><piece><cn>3</cn><apply><and/><cn>1</cn>\
          <true/></apply></piece></piecewise></apply></math></rateRule>",
            ),
        ],
    ),
    (
        "functions of conditions as numbers",
        (3, 2),
        &[
            (
                "FunctionDefinitions",
                "<functionDefinition id='more'><math xmlns='http://www.w3.org/1998/Math/MathML'>\
          <lambda><bvar><ci>a</ci></bvar><bvar><ci>b</ci></bvar><apply><gt/><ci>a</ci><ci>b</ci></apply></lambda></math>\
          </functionDefinition><functionDefinition id='half'><math xmlns='http://www.w3.org/1998/Math/MathML'>\
          <lambda><bvar><ci>a</ci></bvar><apply><divide/><ci>a</ci><cn>2</cn></apply></lambda></math></functionDefinition>",
            ),
            ("Compartments", "<compartment id='D' size='4' spatialDimensions='2.7'/>"),
            ("Parameters", "<parameter id='x' value='1' constant='false'/>"),
            ("Rules", "<rateRule variable='x'>{{more(3, x) + half(x < 2) + D}}</rateRule>"),
        ],
    ),
    (
        "a missing formula has no effect in the last version",
        (3, 2),
        &[
            ("Parameters", "<parameter id='x' value='1' constant='false'/>"),
            ("Rules", "<rateRule variable='x'/>"),
        ],
    ),
    (
        "algebraic rules that are not linear",
        (2, 4),
        &[
            (
                "Parameters",
                "<parameter id='p' value='2' constant='false'/><parameter id='q' constant='false'/>",
            ),
            (
                "Rules",
                "<algebraicRule>{{p*q - 6}}</algebraicRule><algebraicRule>{{p + q - 5 - time}}</algebraicRule>",
            ),
        ],
    ),
    (
        "a function that looks back",
        (2, 4),
        &[
            (
                "FunctionDefinitions",
                "<functionDefinition id='f'><math xmlns='http://www.w3.org/1998/Math/MathML'><lambda>\
          <bvar><ci>x</ci></bvar><apply><csymbol encoding='text' \
          definitionURL='http://www.sbml.org/sbml/symbols/delay'>d</csymbol><ci>x</ci><cn>1</cn></apply>\
          </lambda></math></functionDefinition>",
            ),
            ("Parameters", "<parameter id='p' value='2' constant='false'/>"),
            ("Rules", "<assignmentRule variable='p'>{{2*f(time)}}</assignmentRule>"),
        ],
    ),
];
