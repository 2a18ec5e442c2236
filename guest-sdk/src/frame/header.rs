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

#[cfg(test)]
mod tests {
    use super::super::printed::printed;
    use super::super::{Frame, Role};
    use super::Header;

    /// What pandas 2.2.3 gives.
    const NAMES: &[(&str, &str)] = &[
        ("a,a\n", "0 rows; a object; a.1 object"),
        ("a,a,a\n", "0 rows; a object; a.1 object; a.2 object"),
        ("a,a.1,a,a\n", "0 rows; a object; a.1 object; a.2 object; a.3 object"),
        ("a.1,a,a,a.2,a\n", "0 rows; a.1 object; a object; a.3 object; a.2 object; a.4 object"),
        (",\n", "0 rows; Unnamed: 0 object; Unnamed: 1 object"),
        (",,a,\n", "0 rows; Unnamed: 0 object; Unnamed: 1 object; a object; Unnamed: 3 object"),
        ("Unnamed: 0,,\n", "0 rows; Unnamed: 0 object; Unnamed: 1 object; Unnamed: 2 object"),
        (",Unnamed: 0\n", "0 rows; Unnamed: 0.1 object; Unnamed: 0 object"),
        (
            ",Unnamed: 0,Unnamed: 1,\n",
            "0 rows; Unnamed: 0.1 object; Unnamed: 0 object; Unnamed: 1 object; Unnamed: 3 object",
        ),
        ("\"\",a\n", "0 rows; Unnamed: 0 object; a object"),
        ("a,A, a,a \n", "0 rows; a object; A object;  a object; a  object"),
        (
            "a,a,a.1.1,a.1,a.1\n",
            "0 rows; a object; a.2 object; a.1.1 object; a.1 object; a.1.2 object",
        ),
        ("1,1\n", "0 rows; 1 object; 1.1 object"),
        ("NA,NA\n", "0 rows; NA object; NA.1 object"),
        ("\"a,b\",\"c\"\"d\"\n", "0 rows; a,b object; c\"d object"),
    ];

    #[test]
    fn names_are_made_unique_as_pandas_does() {
        for (text, expected) in NAMES {
            assert_eq!(printed(&Frame::from_text(Role::Submission, text)), *expected, "{text:?}");
        }
    }

    /// Fields of a row, and the rows that pandas 2.2.3 reads at a time.
    const CHUNK_ROWS: &[(usize, usize)] = &[
        (1, 524_288),
        (2, 262_144),
        (3, 262_144),
        (4, 131_072),
        (7, 131_072),
        (8, 65_536),
        (1000, 1024),
        (20_000, 32),
        (1 << 18, 2),
        (1 << 19, 1),
        (1 << 21, 1),
    ];

    #[test]
    fn wide_tables_are_read_fewer_rows_at_a_time() {
        for (width, rows) in CHUNK_ROWS {
            assert_eq!(Header::new(&[b"a"], *width, None).chunk_rows(), *rows, "{width} fields");
        }
    }
}
