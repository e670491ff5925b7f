//! Programs as straight-line C.
//!
//! Instructions are written in the order in which results need them, so that what is computed together stands
//! together. A long program becomes several functions of bounded size, which a compiler handles in
//! linear time; values that one of them leaves for another go through memory.

use super::text;
use consort_equations::program::RegisterInstruction;
use consort_equations::{Op, Program};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// So many statements a function has at most.
const STATEMENTS_MAX: usize = 200;

const ARGUMENTS: &str =
    "const double *restrict p, const Past *past, double *restrict w, double *restrict out";
const UNUSED: &str = "    (void)p, (void)past, (void)w, (void)out;\n";

/// Programs that were written, and how much room the greediest needs.
#[derive(Default)]
pub(super) struct Programs {
    code: String,
    work_size: usize,
}

impl Programs {
    /// Writes a program as a function; its name.
    pub(super) fn add(&mut self, name: &str, program: &Program) -> String {
        let name = format!("program_{name}");
        let writer = ProgramWriter::new(program);
        let parts: Vec<String> = (0..writer.parts.len()).map(|at| writer.part(at)).collect();
        let code = &mut self.code;
        if let [part] = &parts[..] {
            let _ = write!(code, "\nstatic void {name}({ARGUMENTS})\n{{\n{UNUSED}{part}}}\n");
        } else {
            let mut calls = String::new();
            for (at, part) in parts.iter().enumerate() {
                let head = format!("static APART void {name}_{at}({ARGUMENTS})");
                let _ = write!(code, "\n{head}\n{{\n{UNUSED}{part}}}\n");
                let _ = writeln!(calls, "    {name}_{at}(p, past, w, out);");
            }
            let _ = write!(code, "\nstatic void {name}({ARGUMENTS})\n{{\n{UNUSED}{calls}}}\n");
        }
        self.work_size = self.work_size.max(writer.slots.len());
        name
    }

    /// The code, and the room to work in.
    pub(super) fn finish(self) -> (String, usize) {
        (self.code, self.work_size)
    }
}

/// What a function does, one after the other.
#[derive(Clone, Copy)]
enum Statement {
    /// The instruction of this number.
    Compute(usize),
    /// The result of this number.
    Result(usize),
}

/// One program and where its values are.
struct ProgramWriter<'a> {
    program: &'a Program,
    /// By their registers, from `first` on.
    instructions: Vec<RegisterInstruction>,
    first: usize,
    /// The statements of each function.
    parts: Vec<Vec<Statement>>,
    /// In which function each instruction stands.
    part_of: Vec<usize>,
    /// Where instructions leave what another function needs.
    slots: BTreeMap<usize, usize>,
}

impl<'a> ProgramWriter<'a> {
    fn new(program: &'a Program) -> Self {
        let instructions: Vec<RegisterInstruction> = program.instructions().collect();
        let first = program.layout.len() + program.constants.len();
        let mut writer = ProgramWriter {
            program,
            part_of: vec![0; instructions.len()],
            instructions,
            first,
            parts: Vec::new(),
            slots: BTreeMap::new(),
        };
        let statements = writer.order();
        writer.parts = statements.chunks(STATEMENTS_MAX).map(<[Statement]>::to_vec).collect();
        if writer.parts.is_empty() {
            writer.parts.push(Vec::new());
        }
        writer.place();
        writer
    }

    /// The number of the instruction that computes a register, if one does.
    fn instruction(&self, register: u32) -> Option<usize> {
        (register as usize).checked_sub(self.first)
    }

    /// The registers that an instruction reads.
    fn operands(&self, number: usize) -> &[u32] {
        let instruction = &self.instructions[number];
        &instruction.operands[..instruction.op.operands()]
    }

    /// Each result right behind what it needs and what no result before it needed.
    fn order(&self) -> Vec<Statement> {
        let mut statements = Vec::new();
        let mut is_done = vec![false; self.instructions.len()];
        for (at, register) in self.program.results.iter().enumerate() {
            let mut open: Vec<usize> = self.instruction(*register).into_iter().collect();
            while let Some(number) = open.last().copied() {
                let needed = self.operands(number).iter().rev();
                let needed = needed.filter_map(|register| self.instruction(*register));
                let before = open.len();
                open.extend(needed.filter(|number| !is_done[*number]));
                if open.len() == before {
                    open.pop();
                    if !std::mem::replace(&mut is_done[number], true) {
                        statements.push(Statement::Compute(number));
                    }
                }
            }
            statements.push(Statement::Result(at));
        }
        statements
    }

    /// Finds out which values cross from one function to another.
    fn place(&mut self) {
        for (part, statements) in self.parts.iter().enumerate() {
            for statement in statements {
                if let Statement::Compute(number) = statement {
                    self.part_of[*number] = part;
                }
            }
        }
        for (part, statements) in self.parts.iter().enumerate() {
            for statement in statements {
                let registers = match statement {
                    Statement::Compute(number) => self.operands(*number),
                    Statement::Result(at) => &self.program.results[*at..=*at],
                };
                let read = registers.iter().filter_map(|register| self.instruction(*register));
                let crossing: Vec<usize> =
                    read.filter(|number| self.part_of[*number] != part).collect();
                for number in crossing {
                    let slot = self.slots.len();
                    self.slots.entry(number).or_insert(slot);
                }
            }
        }
    }

    /// The statements of a function.
    fn part(&self, part: usize) -> String {
        let mut code = String::new();
        for statement in &self.parts[part] {
            let _ = match statement {
                Statement::Compute(number) => {
                    let value = self.expression(&self.instructions[*number]);
                    match self.slots.get(number) {
                        Some(slot) => writeln!(code, "    w[{slot}] = {value};"),
                        None => writeln!(code, "    const double r{number} = {value};"),
                    }
                }
                Statement::Result(at) => {
                    let value = self.value(self.program.results[*at]);
                    writeln!(code, "    out[{at}] = {value};")
                }
            };
        }
        code
    }

    /// A register as C sees it.
    fn value(&self, register: u32) -> String {
        let index = register as usize;
        let inputs = self.program.layout.len();
        if index < inputs {
            return format!("p[{index}]");
        }
        match self.instruction(register) {
            None => text::number(self.program.constants[index - inputs]),
            Some(number) => match self.slots.get(&number) {
                Some(slot) => format!("w[{slot}]"),
                None => format!("r{number}"),
            },
        }
    }

    fn expression(&self, instruction: &RegisterInstruction) -> String {
        let [a, b, c] = instruction.operands.map(|register| self.value(register));
        match instruction.op {
            Op::Add => format!("{a} + {b}"),
            Op::Sub => format!("{a} - {b}"),
            Op::Mul => format!("{a} * {b}"),
            Op::Div => format!("{a} / {b}"),
            Op::MulAdd => format!("{a} * {b} + {c}"),
            Op::MulSub => format!("{a} * {b} - {c}"),
            Op::SubMul => format!("{c} - {a} * {b}"),
            Op::AddMul => format!("({a} + {b}) * {c}"),
            Op::Neg => format!("-{a}"),
            Op::Select => format!("op_select({a}, {b}, {c})"),
            Op::Less => format!("truth({a} < {b})"),
            Op::LessEqual => format!("truth({a} <= {b})"),
            Op::Equal => format!("truth({a} == {b})"),
            Op::NotEqual => format!("truth({a} != {b})"),
            Op::And => format!("truth({a} != 0.0 && {b} != 0.0)"),
            Op::Or => format!("truth({a} != 0.0 || {b} != 0.0)"),
            Op::Xor => format!("truth(({a} != 0.0) != ({b} != 0.0))"),
            Op::Not => format!("truth({a} == 0.0)"),
            Op::Quotient => format!("trunc({a} / {b})"),
            Op::Delay => format!("past_ago(past, {}, {a})", self.buffer(instruction)),
            op if op.operands() == 1 => format!("{}({a})", function(op)),
            op => format!("{}({a}, {b})", function(op)),
        }
    }

    /// The number of the buffer a delay reads: a constant.
    fn buffer(&self, instruction: &RegisterInstruction) -> usize {
        let index = instruction.operands[1] as usize - self.program.layout.len();
        self.program.constants[index] as usize
    }
}

/// The function of C, or of our own, that computes what an operation does.
fn function(op: Op) -> &'static str {
    match op {
        Op::Pow => "pow",
        Op::Min => "op_min",
        Op::Max => "op_max",
        Op::Rem => "fmod",
        Op::Atan2 => "atan2",
        Op::Exp => "exp",
        Op::Ln => "log",
        Op::Log10 => "log10",
        Op::Sqrt => "sqrt",
        Op::Cbrt => "cbrt",
        Op::Abs => "fabs",
        Op::Sign => "op_sign",
        Op::Floor => "floor",
        Op::Ceil => "ceil",
        Op::Factorial => "op_factorial",
        Op::Sin => "sin",
        Op::Cos => "cos",
        Op::Tan => "tan",
        Op::Asin => "asin",
        Op::Acos => "acos",
        Op::Atan => "atan",
        Op::Sinh => "sinh",
        Op::Cosh => "cosh",
        Op::Tanh => "tanh",
        Op::Asinh => "asinh",
        Op::Acosh => "acosh",
        Op::Atanh => "atanh",
        _ => unreachable!("written as an expression"),
    }
}
