//! What one function costs the compiler.

use wasmparser::{
    BinaryReaderError, FrameKind, FuncValidator, FunctionBody, ModuleArity, Operator,
    OperatorsReader, ValidatorResources,
};

use super::work_of_passing;

/// What a function costs before its first instruction: its frame, its entry, its place in the file.
const WORK_OF_A_FUNCTION: u64 = 400;

/// What a call costs, beside what it passes.
const WORK_OF_A_CALL: u64 = 10;

/// What a call through a table costs, beside what it passes: the element is looked up, made if need be, and its type
/// compared.
const WORK_OF_AN_INDIRECT_CALL: u64 = 100;

/// So many values that live across so many blocks cost what one instruction costs.
const LIVE_VALUES_PER_UNIT: u64 = 8;

/// So many edges, each times the square of the loops around it, cost what one instruction costs.
const NESTED_EDGES_PER_UNIT: u64 = 256;

/// So many pairs of an edge and an instruction cost what one instruction costs.
const PAIRS_PER_UNIT: u64 = 1_000;

/// Validates a function and counts what it costs to compile; stops once that is more than `limit`.
///
/// That is the sum of
/// - the instructions, each with the values that it takes and gives. They are few in real code, but two bytes can name
///   a type of a thousand values. What calls pass has to be in its place all at once, which costs by the square;
/// - the *live values*: for each edge between blocks, the locals that the function uses and the values that lie on the
///   operand stack. The compiler decides for each of them whether it is carried along that edge, and keeps book of where
///   it is alive. A loop counts as many edges, since all that is used in it is carried into it;
/// - for each edge, the square of the number of loops around it: what runs around them is carried through them all;
/// - the pairs of edges and instructions: a value that is computed twice may be kept from one place to the other.
pub(super) fn work(
    validator: &mut FuncValidator<ValidatorResources>,
    body: &FunctionBody<'_>,
    limit: u64,
) -> Result<u64, BinaryReaderError> {
    let mut reader = body.get_binary_reader();
    validator.read_locals(&mut reader)?;
    reader.set_features(*validator.features());
    let mut operators = OperatorsReader::new(reader);

    let mut counted = Counted::new(validator.len_locals());
    while !operators.eof() {
        let offset = operators.original_position();
        let operator = operators.read()?;
        counted.before(&operator, validator)?;
        if counted.work() > limit {
            break;
        }
        validator.op(offset, &operator)?;
    }
    let work = counted.work();
    if work <= limit {
        operators.finish()?;
    }
    Ok(work)
}

struct Counted {
    /// Instructions, with the values that they take and give.
    instructions: u64,
    edges: u64,
    /// Over all edges, the values on the operand stack.
    stacked: u64,
    /// Over all edges, the square of the number of loops around them.
    nested: u64,
    /// The loops around the next instruction.
    loops: u64,
    /// Which locals are used, and how many.
    used: Vec<bool>,
    locals: u64,
}

impl Counted {
    fn new(locals: u32) -> Counted {
        Counted {
            instructions: WORK_OF_A_FUNCTION + u64::from(locals),
            edges: 0,
            stacked: 0,
            nested: 0,
            loops: 0,
            used: vec![false; locals as usize],
            locals: 0,
        }
    }

    fn work(&self) -> u64 {
        // Fuel, and what is left of it, are locals of the engine's own.
        let live = self.edges.saturating_mul(self.locals + 2).saturating_add(self.stacked);
        let pairs = self.edges.saturating_mul(self.instructions);
        self.instructions
            .saturating_add(live / LIVE_VALUES_PER_UNIT)
            .saturating_add(self.nested / NESTED_EDGES_PER_UNIT)
            .saturating_add(pairs / PAIRS_PER_UNIT)
    }

    fn before(
        &mut self,
        operator: &Operator<'_>,
        validator: &FuncValidator<ValidatorResources>,
    ) -> Result<(), BinaryReaderError> {
        // Where the arity is not known, the operator is not valid, and the validator says so next.
        let (taken, given) = operator.operator_arity(validator).unwrap_or_default();
        let passed = u64::from(taken) + u64::from(given);
        self.instructions += 1 + passed;
        let mut edges = edges_of(operator);
        match operator {
            Operator::LocalGet { local_index }
            | Operator::LocalSet { local_index }
            | Operator::LocalTee { local_index } => self.uses(*local_index),
            Operator::Loop { .. } => self.loops += 1,
            Operator::End => {
                let kind = validator.get_control_frame(0).map(|frame| frame.kind);
                self.loops -= u64::from(kind == Some(FrameKind::Loop));
            }
            Operator::Call { .. } => self.instructions += WORK_OF_A_CALL + work_of_passing(passed),
            Operator::CallIndirect { .. } => {
                self.instructions += WORK_OF_AN_INDIRECT_CALL + work_of_passing(passed);
            }
            Operator::BrTable { targets } => {
                for target in targets.targets() {
                    let Some((ty, kind)) = validator.label_block(target?) else { continue };
                    let (taken, given) = validator.block_type_arity(ty).unwrap_or_default();
                    let (carried, more_edges) = match kind {
                        FrameKind::Loop => (taken, EDGES_OF_A_TARGET_AROUND),
                        _ => (given, EDGES_OF_A_TARGET),
                    };
                    self.instructions += u64::from(carried);
                    edges += more_edges;
                }
            }
            _ => {}
        }
        self.edges += edges;
        self.stacked += edges * u64::from(validator.operand_stack_height());
        self.nested = self.nested.saturating_add(edges * self.loops * self.loops);
        Ok(())
    }

    fn uses(&mut self, local: u32) {
        // One that does not exist is for the validator to refuse.
        if let Some(used) = self.used.get_mut(local as usize)
            && !*used
        {
            *used = true;
            self.locals += 1;
        }
    }
}

/// What each target of `br_table` counts for: a block of its own, where values are moved to where the label has them.
const EDGES_OF_A_TARGET: u64 = 4;

/// What one that leads to the head of a loop counts for: all that is used in the loop is carried there.
const EDGES_OF_A_TARGET_AROUND: u64 = 16;

/// The edges between blocks that an instruction makes, roughly; those of `br_table` are counted where its targets are.
fn edges_of(operator: &Operator<'_>) -> u64 {
    match operator {
        // Fuel and time are looked at on the way in, and what is used within is carried in.
        Operator::Loop { .. } => 64,
        Operator::If { .. } => 3,
        Operator::Block { .. } | Operator::Else | Operator::End | Operator::BrTable { .. } => 1,
        Operator::Br { .. } | Operator::Return | Operator::Unreachable => 1,
        Operator::BrIf { .. } => 2,
        // What is alive across a call is put aside for it.
        Operator::Call { .. } => 1,
        // Elements of tables are made when they are first used.
        Operator::CallIndirect { .. } | Operator::TableGet { .. } | Operator::TableSet { .. } => 4,
        // These are loops of the engine's own.
        Operator::MemoryCopy { .. }
        | Operator::MemoryFill { .. }
        | Operator::MemoryInit { .. }
        | Operator::TableCopy { .. }
        | Operator::TableFill { .. }
        | Operator::TableInit { .. }
        | Operator::TableGrow { .. }
        | Operator::MemoryGrow { .. } => 4,
        _ => 0,
    }
}
