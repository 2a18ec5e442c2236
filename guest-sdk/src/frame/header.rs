//! The header of a table: what its columns are called, and which fields of a row they are.

use rustc_hash::{FxHashMap, FxHashSet};

/// Cells that pandas reads at a time, over which it types a column (`DEFAULT_BUFFER_HEURISTIC` of its parser).
const CHUNK_CELLS: usize = 1 << 20;

/// The columns of a table.
#[derive(Debug)]
pub(super) struct Header {
    names: Vec<String>,
    /// How many fields come before the first column: the labels of the rows.
    labels: usize,
    /// For each field of a row, whether its text is kept.
    kept: Vec<bool>,
}

impl Header {
    /// From the fields of the header, the number of fields in a row, and the columns that are wanted (all, if `None`).
    ///
    /// Where rows are longer than the header, their first fields are labels.
    pub(super) fn new(fields: &[&[u8]], width: usize, wanted: Option<&[&str]>) -> Header {
        let names = name_columns(fields);
        let labels = width.saturating_sub(names.len());
        let kept = (0..width)
            .map(|field| {
                field < labels
                    || wanted.is_none_or(|wanted| wanted.contains(&names[field - labels].as_str()))
            })
            .collect();
        Header { names, labels, kept }
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    pub(super) fn labels(&self) -> usize {
        self.labels
    }

    pub(super) fn kept(&self) -> &[bool] {
        &self.kept
    }

    /// The number of rows that pandas reads, and types, at a time: the smallest power of two that is not below half of
    /// 2^20 divided by the width.
    pub(super) fn chunk_rows(&self) -> usize {
        let wanted = CHUNK_CELLS / self.kept.len().max(1);
        let mut rows = 1;
        while rows * 2 < wanted {
            rows *= 2;
        }
        rows
    }
}

/// Names empty fields `Unnamed: N`, and numbers names that come again: `.1`, `.2`, or what is next and free.
fn name_columns(fields: &[&[u8]]) -> Vec<String> {
    let mut names: Vec<String> = fields
        .iter()
        .enumerate()
        .map(|(index, field)| match *field {
            [] => format!("Unnamed: {index}"),
            field => String::from_utf8_lossy(field).into_owned(),
        })
        .collect();
    // Names that are given come before names that are made up.
    let (unnamed, named): (Vec<usize>, Vec<usize>) =
        (0..names.len()).partition(|index| fields[*index].is_empty());
    let mut present: FxHashMap<String, usize> = FxHashMap::default();
    for name in &names {
        *present.entry(name.clone()).or_default() += 1;
    }
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    for index in named.into_iter().chain(unnamed) {
        let given = names[index].clone();
        let mut name = given.clone();
        let mut count = counts.get(&name).copied().unwrap_or(0);
        while count > 0 {
            counts.insert(given.clone(), count + 1);
            name = format!("{given}.{count}");
            if present.get(&name).is_some_and(|places| *places > 0) {
                count += 1;
            } else {
                count = counts.get(&name).copied().unwrap_or(0);
            }
        }
        if name != given {
            if let Some(places) = present.get_mut(&given) {
                *places -= 1;
            }
            *present.entry(name.clone()).or_default() += 1;
            names[index].clone_from(&name);
        }
        counts.insert(name, count + 1);
    }
    number_repeats(&mut names);
    names
}

/// What pandas does once more over all names: of names that are still the same, the later ones are numbered.
fn number_repeats(names: &mut [String]) {
    let distinct: FxHashSet<&String> = names.iter().collect();
    if distinct.len() == names.len() {
        return;
    }
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    for name in names {
        let mut count = counts.get(name.as_str()).copied().unwrap_or(0);
        while count > 0 {
            counts.insert(name.clone(), count + 1);
            *name = format!("{name}.{count}");
            count = counts.get(name.as_str()).copied().unwrap_or(0);
        }
        counts.insert(name.clone(), count + 1);
    }
}
