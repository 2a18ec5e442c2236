//! What a component of components comes to once all of them are instantiated.
//!
//! The engine lays out every instance there will be before it compiles. A component that instantiates another twice,
//! which instantiates a third twice, and so on, is exponential in its size. So each component is counted when it ends,
//! with all that it instantiates; whoever instantiates it adds that to its own.
//!
//! Calls from one component into another go through code that the engine makes up, by the size of the types that it
//! passes on, and types of types are exponential, too.

use std::collections::HashMap;

use wasmparser::component_types::{
    ComponentAnyTypeId, ComponentDefinedType, ComponentDefinedTypeId, ComponentFuncTypeId,
    ComponentValType,
};
use wasmparser::types::TypesRef;
use wasmparser::{
    BinaryReaderError, CanonicalFunction, ComponentAlias, ComponentExternalKind, ComponentInstance,
    ComponentOuterAliasKind, ComponentTypeRef, Encoding, Payload,
};

use super::WORK_OF_A_TRAMPOLINE;
use crate::inspection::{GraderProblem, malformed};

/// What a part of a type costs in the code that passes a value from one component to another.
const WORK_OF_A_PASSED_PART: u64 = 30;

/// What is open around the place that was come to, and what has been counted.
#[derive(Debug, Default)]
pub(super) struct Structure {
    /// Modules (`None`) and components that have begun and not yet ended, the outermost first.
    open: Vec<Option<Component>>,
    sizes: TypeSizes,
    whole: Content,
}

/// What instantiating a component comes to.
#[derive(Debug, Clone, Copy, Default)]
struct Content {
    instances: u64,
    work: u64,
}

impl Content {
    fn add(&mut self, other: Content) {
        self.instances = self.instances.saturating_add(other.instances);
        self.work = self.work.saturating_add(other.work);
    }
}

/// A component that has begun.
#[derive(Debug, Default)]
struct Component {
    content: Content,
    /// What each component of its index space comes to.
    components: Vec<Content>,
}

impl Structure {
    /// How many instances there are so far, in what has ended and in what is open.
    pub(super) fn instances(&self) -> u64 {
        let open = self.open.iter().flatten().map(|component| component.content.instances);
        open.fold(self.whole.instances, u64::saturating_add)
    }

    /// The work of passing calls on.
    pub(super) fn work(&self) -> u64 {
        self.whole.work
    }

    /// Takes the next part of the file; `types` are those of the component that is open.
    pub(super) fn take(
        &mut self,
        payload: &Payload<'_>,
        types: Option<TypesRef<'_>>,
    ) -> Result<(), GraderProblem> {
        match payload {
            Payload::Version { encoding, .. } => {
                let is_component = *encoding == Encoding::Component;
                self.open.push(is_component.then(Component::default));
            }
            Payload::End(_) => self.end(),
            Payload::ComponentImportSection(section) => {
                for import in section.clone() {
                    if let ComponentTypeRef::Component(_) = valid(import)?.ty {
                        return Err(GraderProblem::PassesComponents);
                    }
                }
            }
            Payload::ComponentExportSection(section) => {
                for export in section.clone() {
                    refuse_component(valid(export)?.kind)?;
                }
            }
            Payload::ComponentAliasSection(section) => {
                for alias in section.clone() {
                    self.alias(&valid(alias)?)?;
                }
            }
            Payload::InstanceSection(section) => {
                let instances = u64::from(section.count());
                self.count(Content { instances, work: 0 });
            }
            Payload::ComponentInstanceSection(section) => {
                for instance in section.clone() {
                    self.instance(&valid(instance)?)?;
                }
            }
            Payload::ComponentCanonicalSection(section) => {
                for function in section.clone() {
                    let parts = self.sizes.passed(&valid(function)?, types);
                    let work = parts
                        .saturating_mul(WORK_OF_A_PASSED_PART)
                        .saturating_add(WORK_OF_A_TRAMPOLINE);
                    self.count(Content { instances: 0, work });
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn count(&mut self, content: Content) {
        if let Some(Some(component)) = self.open.last_mut() {
            component.content.add(content);
        }
    }

    fn end(&mut self) {
        let Some(Some(ended)) = self.open.pop() else { return };
        match self.open.last_mut() {
            Some(Some(around)) => around.components.push(ended.content),
            _ => self.whole = ended.content,
        }
    }

    fn alias(&mut self, alias: &ComponentAlias<'_>) -> Result<(), GraderProblem> {
        match alias {
            ComponentAlias::InstanceExport { kind, .. } => refuse_component(*kind),
            ComponentAlias::Outer { kind: ComponentOuterAliasKind::Component, count, index } => {
                let named = self.open.iter().flatten().rev().nth(*count as usize);
                let content = named
                    .and_then(|component| component.components.get(*index as usize))
                    .copied()
                    .unwrap_or_default();
                if let Some(Some(component)) = self.open.last_mut() {
                    component.components.push(content);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn instance(&mut self, instance: &ComponentInstance<'_>) -> Result<(), GraderProblem> {
        let Some(Some(component)) = self.open.last_mut() else { return Ok(()) };
        component.content.add(Content { instances: 1, work: 0 });
        match instance {
            ComponentInstance::Instantiate { component_index, .. } => {
                let content = component.components.get(*component_index as usize).copied();
                component.content.add(content.unwrap_or_default());
                Ok(())
            }
            ComponentInstance::FromExports(exports) => {
                exports.iter().try_for_each(|export| refuse_component(export.kind))
            }
        }
    }
}

/// A component that is passed on could be instantiated by whoever gets it, which cannot be counted before it is done.
fn refuse_component(kind: ComponentExternalKind) -> Result<(), GraderProblem> {
    match kind {
        ComponentExternalKind::Component => Err(GraderProblem::PassesComponents),
        _ => Ok(()),
    }
}

fn valid<T>(part: Result<T, BinaryReaderError>) -> Result<T, GraderProblem> {
    part.map_err(|error| malformed(&error))
}

/// The number of parts of types, once all that they name is written out.
#[derive(Debug, Default)]
struct TypeSizes(HashMap<ComponentDefinedTypeId, u64>);

impl TypeSizes {
    /// The parts of what a lifted or lowered function passes on.
    fn passed(&mut self, function: &CanonicalFunction, types: Option<TypesRef<'_>>) -> u64 {
        let Some(types) = types else { return 0 };
        match function {
            CanonicalFunction::Lower { func_index, .. } => {
                self.of_function(types.component_function_at(*func_index), types)
            }
            CanonicalFunction::Lift { type_index, .. } => {
                match types.component_any_type_at(*type_index) {
                    ComponentAnyTypeId::Func(id) => self.of_function(id, types),
                    _ => 0,
                }
            }
            _ => 0,
        }
    }

    fn of_function(&mut self, id: ComponentFuncTypeId, types: TypesRef<'_>) -> u64 {
        let function = &types[id];
        let values = function.params.iter().map(|(_, ty)| ty).chain(&function.result);
        values.fold(0, |parts: u64, ty| parts.saturating_add(self.of(ty, types)))
    }

    fn of(&mut self, ty: &ComponentValType, types: TypesRef<'_>) -> u64 {
        let ComponentValType::Type(id) = ty else { return 1 };
        if let Some(known) = self.0.get(id) {
            return *known;
        }
        let parts: Vec<&ComponentValType> = match &types[*id] {
            ComponentDefinedType::Record(record) => record.fields.values().collect(),
            ComponentDefinedType::Variant(variant) => {
                variant.cases.values().filter_map(|case| case.ty.as_ref()).collect()
            }
            ComponentDefinedType::Tuple(tuple) => tuple.types.iter().collect(),
            ComponentDefinedType::List { element, .. }
            | ComponentDefinedType::FixedLengthList { element, .. } => vec![element],
            ComponentDefinedType::Map { key, value, .. } => vec![key, value],
            ComponentDefinedType::Option { ty, .. } => vec![ty],
            ComponentDefinedType::Result { ok, err, .. } => ok.iter().chain(err).collect(),
            _ => Vec::new(),
        };
        // Types nest a hundred deep at most: the validator sees to that.
        let size =
            parts.into_iter().fold(1, |size: u64, part| size.saturating_add(self.of(part, types)));
        self.0.insert(*id, size);
        size
    }
}
