//! What the functions of WASI answer that have nothing behind them here: an end, a refusal, an absence.
//!
//! They are called with whatever their types say, handles among it. A call lends such a handle for as long as it takes,
//! and wasmtime has it returned by whoever was called: a function that kept one would fail in the grader's name.

use std::sync::Arc;

use wasmtime::StoreContextMut;
use wasmtime::component::types;
use wasmtime::component::{LinkerInstance, ResourceAny, Type, Val};

use super::{Sandbox, charge, take_fuel};
use crate::limits::Limits;
use crate::verdict::GraderFailure;

/// Lends a function that does nothing and answers what [`nothing`] says.
pub(super) fn link_function(
    instance: &mut LinkerInstance<'_, Sandbox>,
    interface: &str,
    name: &str,
) -> wasmtime::Result<()> {
    let called = format!("{interface}#{name}");
    let called: Arc<str> = called.into();
    instance.func_new_async(name, move |mut store, function, arguments, results| {
        let called = Arc::clone(&called);
        Box::new(async move {
            take_fuel(&mut store, Limits::FUEL_PER_WASI_CALL)?;
            let mut handles = Vec::new();
            for argument in arguments {
                find_handles(&mut store, argument, &mut handles)?;
            }
            for handle in handles {
                handle.resource_drop_async(&mut store).await?;
            }
            for (result, result_type) in results.iter_mut().zip(function.results()) {
                *result = nothing(&called, &result_type)?;
            }
            Ok(())
        })
    })
}

/// Finds the handles in an argument, which have to be returned, and takes the price of the bytes that the host copied to
/// see it.
fn find_handles(
    store: &mut StoreContextMut<'_, Sandbox>,
    argument: &Val,
    handles: &mut Vec<ResourceAny>,
) -> wasmtime::Result<()> {
    let mut find = |value: &Val| find_handles(store, value, handles);
    match argument {
        Val::Resource(handle) => handles.push(*handle),
        Val::String(text) => charge(store, text.len())?,
        Val::List(values) => {
            charge(store, values.len() * size_of::<Val>())?;
            values.iter().try_for_each(|value| find_handles(store, value, handles))?;
        }
        Val::Tuple(values) => values.iter().try_for_each(find)?,
        Val::Record(fields) => fields.iter().try_for_each(|(_, value)| find(value))?,
        Val::Variant(_, Some(value))
        | Val::Option(Some(value))
        | Val::Result(Ok(Some(value)) | Err(Some(value))) => find(value)?,
        _ => {}
    }
    Ok(())
}

/// What a function answers that has nothing behind it: an empty list, no value, or the refusal that its type has a name
/// for. What can answer neither is a method of something that cannot be had.
fn nothing(called: &str, result: &Type) -> wasmtime::Result<Val> {
    const REFUSALS: [&str; 4] = ["access-denied", "access", "not-permitted", "closed"];
    let refusal = |names: &[&str]| REFUSALS.into_iter().find(|refusal| names.contains(refusal));
    let error = match result {
        Type::List(_) => return Ok(Val::List(Vec::new())),
        Type::Option(_) => return Ok(Val::Option(None)),
        Type::Result(result) => match result.err() {
            Some(Type::Enum(error)) => {
                let names: Vec<&str> = error.names().collect();
                refusal(&names).map(|refusal| Val::Enum(refusal.to_owned()))
            }
            Some(Type::Variant(error)) => {
                let cases: Vec<types::Case<'_>> = error.cases().collect();
                let names: Vec<&str> =
                    cases.iter().filter(|case| case.ty.is_none()).map(|case| case.name).collect();
                refusal(&names).map(|refusal| Val::Variant(refusal.to_owned(), None))
            }
            _ => None,
        },
        _ => None,
    };
    match error {
        Some(error) => Ok(Val::Result(Err(Some(Box::new(error))))),
        None => Err(GraderFailure::BrokenContract {
            what: format!("it called `{called}`, and there is nothing behind it here"),
        }
        .into()),
    }
}
