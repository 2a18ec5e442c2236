//! How much work a component is for the compiler, counted without compiling it.
//!
//! The size of a component says little: a function of a few kilobytes can be made to take minutes and gigabytes, and so
//! can a few hundred bytes of nested components. What the compiler's time really follows is counted here from the
//! instructions, by arithmetic alone, so that a component is within the limits or beyond them on every machine.
//!
//! One unit of work is about what one plain instruction takes, half a microsecond. Relies on wasmparser's validator, so
//! what was counted is valid as well. Counting ends where a limit is passed, since validating takes time, too.

mod function;
mod structure;

use wasmparser::{
    CompositeInnerType, DataKind, DataSectionReader, FuncToValidate, FuncValidatorAllocations,
    FunctionBody, Parser, Payload, TypeSectionReader, ValidPayload, Validator, ValidatorResources,
};

use self::structure::Structure;
use crate::inspection::{ComponentLimits, FEATURES, GraderProblem, malformed};

/// What the code costs that leads from one way of calling to another: into a host function, out of a component.
const WORK_OF_A_TRAMPOLINE: u64 = 400;

/// What one segment of data costs that is put into memory when a module begins.
const WORK_OF_A_SEGMENT: u64 = 700;

/// How many pairs of such segments of a module cost one unit more.
const SEGMENT_PAIRS_PER_UNIT: u64 = 50;

/// What it costs that so many values have to be in their places all at once, for a call.
fn work_of_passing(values: u64) -> u64 {
    values + values * values / 16
}

/// Counts the work of compiling a component, up to the limits.
///
/// # Errors
/// [`GraderProblem::Malformed`] where it is not valid; [`GraderProblem::TooMuchToCompile`],
/// [`GraderProblem::FunctionTooMuchToCompile`], [`GraderProblem::TooManySegments`] and
/// [`GraderProblem::TooManyInstances`] where a limit is passed;
/// [`GraderProblem::PassesComponents`] where it cannot be told what it comes to.
pub(crate) fn check(bytes: &[u8], limits: &ComponentLimits) -> Result<u64, GraderProblem> {
    let mut counter = Counter { work: 0, limits };
    let mut structure = Structure::default();
    let mut validator = Validator::new_with_features(FEATURES);
    let mut allocations = FuncValidatorAllocations::default();
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(|error| malformed(&error))?;
        let valid = validator.payload(&payload).map_err(|error| malformed(&error))?;
        if let ValidPayload::Func(function, body) = valid {
            allocations = counter.function(function, &body, allocations)?;
        } else if let Payload::TypeSection(section) = payload {
            counter.signatures(section)?;
        } else if let Payload::DataSection(section) = payload {
            counter.data(section)?;
        } else {
            structure.take(&payload, validator.types(0))?;
        }
        let instances = structure.instances();
        if instances > limits.instances {
            return Err(GraderProblem::TooManyInstances { limit: limits.instances });
        }
    }
    counter.add(structure.work())?;
    Ok(counter.work)
}

/// Sums up, and stops at the limits.
struct Counter<'a> {
    work: u64,
    limits: &'a ComponentLimits,
}

impl Counter<'_> {
    fn add(&mut self, work: u64) -> Result<(), GraderProblem> {
        self.work = self.work.saturating_add(work);
        let limit = self.limits.work;
        if self.work > limit { Err(GraderProblem::TooMuchToCompile { limit }) } else { Ok(()) }
    }

    fn function(
        &mut self,
        function: FuncToValidate<ValidatorResources>,
        body: &FunctionBody<'_>,
        allocations: FuncValidatorAllocations,
    ) -> Result<FuncValidatorAllocations, GraderProblem> {
        let mut validator = function.into_validator(allocations);
        let limit = self.limits.function_work;
        let work =
            function::work(&mut validator, body, limit).map_err(|error| malformed(&error))?;
        if work > limit {
            return Err(GraderProblem::FunctionTooMuchToCompile { limit });
        }
        self.add(work)?;
        Ok(validator.into_allocations())
    }

    /// What a module's memory holds to begin with is put there by a function that the engine makes up, a call for each
    /// segment; its time rises faster than their number.
    fn data(&mut self, section: DataSectionReader<'_>) -> Result<(), GraderProblem> {
        let mut active = 0_u64;
        for segment in section {
            let segment = segment.map_err(|error| malformed(&error))?;
            active += u64::from(matches!(segment.kind, DataKind::Active { .. }));
        }
        let work = active
            .saturating_mul(WORK_OF_A_SEGMENT)
            .saturating_add(active.saturating_mul(active) / SEGMENT_PAIRS_PER_UNIT);
        let limit = self.limits.function_work;
        if work > limit {
            return Err(GraderProblem::TooManySegments { count: active, limit });
        }
        self.add(work)
    }

    /// For each signature there is code that leads from WebAssembly's way of calling to the host's.
    fn signatures(&mut self, section: TypeSectionReader<'_>) -> Result<(), GraderProblem> {
        for group in section {
            let group = group.map_err(|error| malformed(&error))?;
            for ty in group.types() {
                if let CompositeInnerType::Func(signature) = &ty.composite_type.inner {
                    let passed = signature.params().len() + signature.results().len();
                    self.add(WORK_OF_A_TRAMPOLINE + work_of_passing(passed as u64))?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
