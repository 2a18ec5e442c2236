//! What type a column has, and its values.
//!
//! pandas types a column chunk of rows by chunk of rows (`low_memory`) and then joins the arrays of the chunks. Within
//! a chunk it tries, in this order, int64 (then uint64), float64, bool and at last objects; what a text decides is
//! spelled out at each step. Read off pandas 2.2.3: `TextReader._convert_tokens` and what it calls,
//! `_concatenate_chunks`, and `concat_compat` with numpy 1.26.4's `result_type`.

use super::cells::{Ranges, Texts};
use super::number::{
    NotInteger, Unsigned, parse_digits_alone, parse_float64, parse_int64, parse_plain_float,
    parse_uint64,
};
use super::objects::{Objects, Span, StoredCell};
use super::{Dtype, Values};

/// The texts of one column.
#[derive(Clone, Copy)]
pub(super) struct ColumnTexts<'a> {
    /// The texts of the table.
    pub(super) texts: &'a Texts,
    /// Which of the kept fields of a row the column is.
    pub(super) field: usize,
    /// The number of rows.
    pub(super) rows: usize,
    /// The number of rows that are typed at a time.
    pub(super) chunk_rows: usize,
}

/// Types a column. Without rows it is of objects.
pub(super) fn infer(column: ColumnTexts<'_>) -> Values {
    let mut chunks: Vec<Array> = Vec::new();
    let mut first = 0;
    while first < column.rows {
        let end = column.rows.min(first + column.chunk_rows);
        let array = Chunk { column, first, end }.infer();
        let apart = match chunks.last_mut() {
            Some(last) => last.append(array, column.rows - first),
            None => Some(array),
        };
        chunks.extend(apart);
        first = end;
    }
    join(column.texts, chunks)
}

/// The array of a chunk. Objects still lack the arena, which all chunks share.
#[derive(Debug)]
enum Array {
    Int64(Vec<i64>),
    UInt64(Vec<u64>),
    Float64(Vec<f64>),
    Bool(Vec<bool>),
    /// Texts and missing values.
    Texts(Vec<Span>),
    /// Objects of all kinds.
    Object(Vec<StoredCell>),
}

/// Rows of a column that are typed together.
#[derive(Clone, Copy)]
struct Chunk<'a> {
    column: ColumnTexts<'a>,
    first: usize,
    end: usize,
}

impl<'a> Chunk<'a> {
    fn texts(self) -> impl Iterator<Item = &'a [u8]> {
        let bytes = self.column.texts.arena().as_bytes();
        self.ranges().map(|(start, end)| &bytes[start..end])
    }

    /// Where the texts lie in the arena.
    #[inline(always)]
    fn ranges(self) -> Ranges<'a> {
        self.column.texts.ranges(self.first..self.end, self.column.field)
    }

    fn len(self) -> usize {
        self.end - self.first
    }

    /// Room for values: those of the first chunk are joined by those of all others.
    fn room<T>(self) -> Vec<T> {
        Vec::with_capacity(if self.first == 0 { self.column.rows } else { self.len() })
    }

    fn infer(self) -> Array {
        match self.int64() {
            Ok(array) => return array,
            Err(NotInteger::Malformed) => {}
            Err(NotInteger::Overflow) => match self.uint64() {
                Ok(values) => return Array::UInt64(values),
                Err(NotUnsigned::Malformed) => {}
                Err(NotUnsigned::Overflow) => return self.objects(true),
                // Here pandas gives up on missing values, too: an empty cell is an empty text.
                Err(NotUnsigned::Conflict) => return self.objects(false),
            },
        }
        if let Some(values) = self.float64() {
            return Array::Float64(values);
        }
        self.bool().unwrap_or_else(|| self.objects(true))
    }

    /// Integers; floats where cells are missing. The first text that is no integer decides why this fails.
    fn int64(self) -> Result<Array, NotInteger> {
        // What stands in for a missing value. Where any is missing, the number itself is taken for one as well.
        const MISSING: i64 = i64::MIN;
        let mut values = self.room();
        let mut missing = false;
        let bytes = self.column.texts.arena().as_bytes();
        let mut ranges = self.ranges();
        let mut block = [0; BLOCK];
        loop {
            // No number of digits alone is a missing value.
            take_blocks(&mut ranges, &mut values, &mut block, digits_alone);
            let Some((start, end)) = ranges.next() else { break };
            let text = &bytes[start..end];
            if is_missing_word(text) {
                missing = true;
                values.push(MISSING);
            } else {
                values.push(parse_int64(text)?);
            }
        }
        if !missing {
            return Ok(Array::Int64(values));
        }
        let to_float = |value| if value == MISSING { f64::NAN } else { value as f64 };
        Ok(Array::Float64(values.into_iter().map(to_float).collect()))
    }

    fn uint64(self) -> Result<Vec<u64>, NotUnsigned> {
        let mut values = Vec::with_capacity(self.len());
        let (mut large, mut negative, mut missing) = (false, false, false);
        for text in self.texts() {
            if is_missing_word(text) {
                missing = true;
                values.push(0);
                continue;
            }
            match parse_uint64(text) {
                Ok(Unsigned::Number(value)) => {
                    large |= i64::try_from(value).is_err();
                    values.push(value);
                }
                Ok(Unsigned::Negative) => {
                    negative = true;
                    values.push(0);
                }
                Err(NotInteger::Malformed) => return Err(NotUnsigned::Malformed),
                Err(NotInteger::Overflow) => return Err(NotUnsigned::Overflow),
            }
        }
        match (large, negative, missing) {
            (true, true, _) | (true, _, true) => Err(NotUnsigned::Conflict),
            (false, true, _) => Err(NotUnsigned::Overflow),
            _ => Ok(values),
        }
    }

    fn float64(self) -> Option<Vec<f64>> {
        let mut values = self.room();
        let bytes = self.column.texts.arena().as_bytes();
        let mut ranges = self.ranges();
        let mut block = [0.0; BLOCK];
        loop {
            // No missing value is spelled as a number.
            take_blocks(&mut ranges, &mut values, &mut block, plain_floats);
            let Some((start, end)) = ranges.next() else { break };
            let text = &bytes[start..end];
            match parse_float64(text) {
                Some(value) => values.push(value),
                None if is_missing_word(text) => values.push(f64::NAN),
                None => return None,
            }
        }
        Some(values)
    }

    /// Truth values; objects where cells are missing.
    fn bool(self) -> Option<Array> {
        let mut values = Vec::with_capacity(self.len());
        let mut missing = false;
        for text in self.texts() {
            values.push(if is_missing_word(text) {
                missing = true;
                None
            } else if text.eq_ignore_ascii_case(b"true") {
                Some(true)
            } else if text.eq_ignore_ascii_case(b"false") {
                Some(false)
            } else {
                return None;
            });
        }
        Some(if missing {
            let cell = |value: Option<bool>| value.map_or(StoredCell::Missing, StoredCell::Bool);
            Array::Object(values.into_iter().map(cell).collect())
        } else {
            Array::Bool(values.into_iter().flatten().collect())
        })
    }

    fn objects(self, know_missing: bool) -> Array {
        let bytes = self.column.texts.arena().as_bytes();
        let mut spans = self.room();
        spans.extend(self.ranges().map(|(start, end)| {
            if know_missing && is_missing_word(&bytes[start..end]) {
                Span::MISSING
            } else {
                Span { start: start as u32, length: (end - start) as u32 }
            }
        }));
        Array::Texts(spans)
    }
}

/// How many values are parsed together.
const BLOCK: usize = 64;

/// Appends values as long as whole blocks of them are parsed, and those before the first text that is not. The block is
/// written over: whoever has many texts that are not parsed makes it once.
#[inline(always)]
fn take_blocks<T: Copy>(
    ranges: &mut Ranges<'_>,
    values: &mut Vec<T>,
    block: &mut [T; BLOCK],
    parse: fn(&mut Ranges<'_>, &mut [T; BLOCK]) -> usize,
) {
    loop {
        let parsed = parse(ranges, block);
        values.extend_from_slice(&block[..parsed]);
        if parsed < BLOCK {
            return;
        }
    }
}

/// Parses integers of digits alone, in a function that does nothing else.
#[inline(never)]
fn digits_alone(ranges: &mut Ranges<'_>, block: &mut [i64; BLOCK]) -> usize {
    ranges.parse(block, parse_digits_alone)
}

/// Parses plain floats, in a function that does nothing else.
#[inline(never)]
fn plain_floats(ranges: &mut Ranges<'_>, block: &mut [f64; BLOCK]) -> usize {
    ranges.parse(block, parse_plain_float)
}

/// Why a chunk is not of uint64.
enum NotUnsigned {
    /// A text is not an integer.
    Malformed,
    /// An integer does not fit; or all are negative or small, and one of them did not fit int64.
    Overflow,
    /// A number beyond int64 together with a negative one or a missing one.
    Conflict,
}

/// Whether a text stands for a missing value: `STR_NA_VALUES` of pandas.
#[inline(always)]
fn is_missing_word(text: &[u8]) -> bool {
    // The shortest such word has two letters, the longest eight. Of others not even the first is looked at, which may
    // have to come from far away.
    match text.len() {
        0 => true,
        2..=8 => matches!(text[0], b'#' | b'-' | b'1' | b'<' | b'N' | b'n') && is_listed_word(text),
        _ => false,
    }
}

fn is_listed_word(text: &[u8]) -> bool {
    matches!(
        text,
        b"#N/A"
            | b"#N/A N/A"
            | b"#NA"
            | b"-1.#IND"
            | b"-1.#QNAN"
            | b"-NaN"
            | b"-nan"
            | b"1.#IND"
            | b"1.#QNAN"
            | b"<NA>"
            | b"N/A"
            | b"NA"
            | b"NULL"
            | b"NaN"
            | b"None"
            | b"n/a"
            | b"nan"
            | b"null"
    )
}

/// Joins the arrays of the chunks as `pandas.core.dtypes.concat.concat_compat` does.
fn join(texts: &Texts, mut chunks: Vec<Array>) -> Values {
    let objects =
        |cells| Values::Object(Objects::from_cells(std::rc::Rc::clone(texts.arena()), cells));
    let only_texts =
        |spans| Values::Object(Objects::from_spans(std::rc::Rc::clone(texts.arena()), spans));
    if chunks.len() <= 1 {
        return match chunks.pop() {
            None => objects(Vec::new()),
            Some(Array::Int64(values)) => Values::Int64(values),
            Some(Array::UInt64(values)) => Values::UInt64(values),
            Some(Array::Float64(values)) => Values::Float64(values),
            Some(Array::Bool(values)) => Values::Bool(values),
            Some(Array::Texts(spans)) => only_texts(spans),
            Some(Array::Object(cells)) => objects(cells),
        };
    }
    let mut has = [false; 5];
    for chunk in &chunks {
        has[chunk.dtype() as usize] = true;
    }
    let has = |dtype: Dtype| has[dtype as usize];
    let numbers = has(Dtype::Int64) || has(Dtype::UInt64) || has(Dtype::Float64);
    if has(Dtype::Object) {
        return objects(collect(chunks, Array::into_cells));
    }
    if !numbers {
        return Values::Bool(collect(chunks, Array::into_bools));
    }
    let joined = if has(Dtype::Float64) || (has(Dtype::Int64) && has(Dtype::UInt64)) {
        Values::Float64(collect(chunks, Array::into_floats))
    } else if has(Dtype::Int64) {
        Values::Int64(collect(chunks, Array::into_ints))
    } else {
        Values::UInt64(collect(chunks, Array::into_unsigned))
    };
    if has(Dtype::Bool) {
        // Truth values became numbers of the common type, and then all became objects.
        return objects(match joined {
            Values::Int64(values) => Array::Int64(values).into_cells(),
            Values::UInt64(values) => Array::UInt64(values).into_cells(),
            Values::Float64(values) => Array::Float64(values).into_cells(),
            Values::Bool(_) | Values::Object(_) => unreachable!("the common type is a number's"),
        });
    }
    joined
}

fn collect<T>(chunks: Vec<Array>, convert: fn(Array) -> Vec<T>) -> Vec<T> {
    let mut all = Vec::with_capacity(chunks.iter().map(Array::len).sum());
    for chunk in chunks {
        all.append(&mut convert(chunk));
    }
    all
}

impl Array {
    /// Appends an array of the same type, making room for `more` values; gives back one of another type.
    fn append(&mut self, other: Array, more: usize) -> Option<Array> {
        fn append<T>(values: &mut Vec<T>, mut others: Vec<T>, more: usize) -> Option<Array> {
            values.reserve_exact(more);
            values.append(&mut others);
            None
        }
        match (self, other) {
            (Array::Int64(values), Array::Int64(others)) => append(values, others, more),
            (Array::UInt64(values), Array::UInt64(others)) => append(values, others, more),
            (Array::Float64(values), Array::Float64(others)) => append(values, others, more),
            (Array::Bool(values), Array::Bool(others)) => append(values, others, more),
            (Array::Texts(spans), Array::Texts(others)) => append(spans, others, more),
            (Array::Object(cells), Array::Object(others)) => append(cells, others, more),
            (_, other) => Some(other),
        }
    }

    fn dtype(&self) -> Dtype {
        match self {
            Array::Int64(_) => Dtype::Int64,
            Array::UInt64(_) => Dtype::UInt64,
            Array::Float64(_) => Dtype::Float64,
            Array::Bool(_) => Dtype::Bool,
            Array::Texts(_) | Array::Object(_) => Dtype::Object,
        }
    }

    fn len(&self) -> usize {
        match self {
            Array::Int64(values) => values.len(),
            Array::UInt64(values) => values.len(),
            Array::Float64(values) => values.len(),
            Array::Bool(values) => values.len(),
            Array::Texts(values) => values.len(),
            Array::Object(values) => values.len(),
        }
    }

    /// `astype(object)`. A NaN becomes an object of its own, not the one of missing cells.
    fn into_cells(self) -> Vec<StoredCell> {
        fn unsigned(value: u64) -> StoredCell {
            i64::try_from(value).map_or(StoredCell::UInt(value), StoredCell::Int)
        }
        match self {
            Array::Int64(values) => values.into_iter().map(StoredCell::Int).collect(),
            Array::UInt64(values) => values.into_iter().map(unsigned).collect(),
            Array::Float64(values) => values.into_iter().map(StoredCell::Float).collect(),
            Array::Bool(values) => values.into_iter().map(StoredCell::Bool).collect(),
            Array::Texts(spans) => spans.into_iter().map(StoredCell::from).collect(),
            Array::Object(cells) => cells,
        }
    }

    fn into_bools(self) -> Vec<bool> {
        match self {
            Array::Bool(values) => values,
            other => unreachable!("{:?} among truth values", other.dtype()),
        }
    }

    fn into_ints(self) -> Vec<i64> {
        match self {
            Array::Int64(values) => values,
            Array::Bool(values) => values.into_iter().map(i64::from).collect(),
            other => unreachable!("{:?} among integers", other.dtype()),
        }
    }

    fn into_unsigned(self) -> Vec<u64> {
        match self {
            Array::UInt64(values) => values,
            Array::Bool(values) => values.into_iter().map(u64::from).collect(),
            other => unreachable!("{:?} among integers without sign", other.dtype()),
        }
    }

    fn into_floats(self) -> Vec<f64> {
        match self {
            Array::Float64(values) => values,
            Array::Int64(values) => values.into_iter().map(|value| value as f64).collect(),
            Array::UInt64(values) => values.into_iter().map(|value| value as f64).collect(),
            Array::Bool(values) => {
                values.into_iter().map(|value| f64::from(u8::from(value))).collect()
            }
            Array::Texts(_) | Array::Object(_) => unreachable!("objects among floats"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::Cells;
    use super::super::printed::{printed_type, printed_values};
    use super::super::{Column, Role};
    use super::*;

    /// The texts of a column and what pandas 2.2.3 makes of them.
    const TYPES: &[(&[&str], &str)] = &[
        (&["1", "2"], "int64 1, 2"),
        (&["1", ""], "float64 1.0, nan"),
        (&["1", "x"], "object '1', 'x'"),
        (&["1.0", "2"], "float64 1.0, 2.0"),
        (&["1", "1.5"], "float64 1.0, 1.5"),
        (&["007", "+5"], "int64 7, 5"),
        (&[" 1", "2 "], "int64 1, 2"),
        (&["\t1", "\u{b}2\u{c}"], "int64 1, 2"),
        (&["\u{a0}1"], "object '\u{a0}1'"),
        (&["1_0"], "object '1_0'"),
        (&["0x10"], "object '0x10'"),
        (&["1 000"], "object '1 000'"),
        (&["-0"], "int64 0"),
        (&["-0.0"], "float64 -0.0"),
        (&["- 1"], "object '- 1'"),
        (&["--1"], "object '--1'"),
        (&["1e5"], "float64 100000.0"),
        (&["1E5"], "float64 100000.0"),
        (&["1e"], "object '1e'"),
        (&["1e+"], "object '1e+'"),
        (&["e5"], "object 'e5'"),
        (&["."], "object '.'"),
        (&[".5", "5."], "float64 0.5, 5.0"),
        (&["1.5 "], "float64 1.5"),
        (&["1.5 x"], "object '1.5 x'"),
        (&["1d5"], "object '1d5'"),
        (&["inf", "-inf"], "float64 inf, -inf"),
        (&["Infinity", "+INFINITY"], "float64 inf, inf"),
        (&[" inf"], "object ' inf'"),
        (&["infinit"], "object 'infinit'"),
        (&["1e400"], "object '1e400'"),
        (&["1e400", ""], "object '1e400', nan"),
        (&["-1e400"], "float64 -inf"),
        (&["1e-400"], "float64 0.0"),
        (&["1.7976931348623159e308"], "object '1.7976931348623159e308'"),
        (&["4.9e-324", "2e-324"], "float64 5e-324, 0.0"),
        (&["0.1", "0.30000000000000004"], "float64 0.1, 0.30000000000000004"),
        (&["123456789012345678901234567890.5"], "object '123456789012345678901234567890.5'"),
        (&["0e99999999999999999999"], "float64 0.0"),
        (&["9223372036854775807"], "int64 9223372036854775807"),
        (&["9223372036854775808"], "uint64 9223372036854775808"),
        (&["9223372036854775808", "-1"], "object '9223372036854775808', '-1'"),
        (&["9223372036854775808", "-x"], "object '9223372036854775808', '-x'"),
        (&["9223372036854775808", ""], "object '9223372036854775808', ''"),
        (&["9223372036854775808", "1.5"], "float64 9.223372036854776e+18, 1.5"),
        (&["18446744073709551615"], "uint64 18446744073709551615"),
        (&["18446744073709551616"], "object '18446744073709551616'"),
        (&["18446744073709551616", ""], "object '18446744073709551616', nan"),
        (&["18446744073709551616", "1.5"], "object '18446744073709551616', '1.5'"),
        (&["1.5", "18446744073709551616"], "float64 1.5, 1.8446744073709552e+19"),
        (&["x", "18446744073709551616"], "object 'x', '18446744073709551616'"),
        (&["99999999999999999999.5"], "object '99999999999999999999.5'"),
        (&["-9223372036854775808"], "int64 -9223372036854775808"),
        (&["-9223372036854775809"], "object '-9223372036854775809'"),
        (&["-9223372036854775809", ""], "object '-9223372036854775809', nan"),
        (&["-9223372036854775808", ""], "float64 nan, nan"),
        (&["-9223372036854775807", ""], "float64 -9.223372036854776e+18, nan"),
        (&["9007199254740993", ""], "float64 9007199254740992.0, nan"),
        (&["true", "FALSE", "tRuE"], "bool True, False, True"),
        (&["True", ""], "object True, nan"),
        (&["True", "1"], "object 'True', '1'"),
        (&["True", "x"], "object 'True', 'x'"),
        (&["T"], "object 'T'"),
        (&["yes"], "object 'yes'"),
        (
            &[
                "NA", "nan", "NaN", "NULL", "null", "None", "N/A", "n/a", "<NA>", "#N/A", "#NA",
                "#N/A N/A", "-nan", "-NaN", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN", "",
            ],
            "float64 nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan",
        ),
        (&["1", "NA", "2.5"], "float64 1.0, nan, 2.5"),
        (&["NAN"], "object 'NAN'"),
        (&["na"], "object 'na'"),
        (&["none"], "object 'none'"),
        (&["Null"], "object 'Null'"),
        (&["-"], "object '-'"),
        (&["NA "], "object 'NA '"),
        (&[" NA"], "object ' NA'"),
        (&["+nan"], "object '+nan'"),
        (&["x", "NA"], "object 'x', nan"),
        (&["1", "\0"], "float64 1.0, nan"),
        (&["NA\0x"], "float64 nan"),
        (&["true\0"], "bool True"),
        (&["1\x002"], "int64 1"),
        (&["１"], "object '１'"),
        (&["Ⅷ"], "object 'Ⅷ'"),
    ];

    /// The same where each text is that of a whole chunk of rows (and the values are those of its first row).
    const CHUNKS: &[(&[&str], &str)] = &[
        (&["1", "2", "3"], "int64 1, 2, 3"),
        (&["1", "2", "x"], "object 1, 2, 'x'"),
        (&["1.5", "2", "x"], "object 1.5, 2, 'x'"),
        (&["", "2", "x"], "object nan, 2, 'x'"),
        (&["1", "2", ""], "float64 1.0, 2.0, nan"),
        (&["1", "2", "9223372036854775808"], "float64 1.0, 2.0, 9.223372036854776e+18"),
        (
            &["9223372036854775808", "1", "18446744073709551615"],
            "float64 9.223372036854776e+18, 1.0, 1.8446744073709552e+19",
        ),
        (&["true", "false", "true"], "bool True, False, True"),
        (&["true", "false", "1"], "object 1, 0, 1"),
        (&["true", "false", "1.5"], "object 1.0, 0.0, 1.5"),
        (&["true", "false", "9223372036854775808"], "object 1, 0, 9223372036854775808"),
        (&["true", "", "1"], "object 1.0, nan, 1.0"),
        (&["true", "", "x"], "object True, nan, 'x'"),
        (&["true", "false", "x"], "object True, False, 'x'"),
        (&["true", "false", ""], "object 1.0, 0.0, nan"),
        (&["1", "", "2"], "float64 1.0, nan, 2.0"),
        (&["x", "y", ""], "object 'x', 'y', nan"),
        (&["9223372036854775808", "", "1"], "float64 9.223372036854776e+18, nan, 1.0"),
        (&["1.5", "2", "18446744073709551616"], "object 1.5, 2, '18446744073709551616'"),
        (&["9223372036854775808", "1", ""], "float64 9.223372036854776e+18, 1.0, nan"),
        (&["1", "x", "2", "3"], "object 1, 'x', 2, 3"),
        (
            &["true", "false", "1", "1", "9223372036854775808"],
            "object 1.0, 0.0, 1.0, 1.0, 9.223372036854776e+18",
        ),
        (&["true", "false", "", "", "1"], "object 1.0, 0.0, nan, nan, 1.0"),
    ];

    fn inferred(texts: &[&str], chunk_rows: usize) -> String {
        let mut cells = Cells::with_room(0);
        for text in texts {
            cells.copy(text);
            cells.copy(",");
            cells.end(0);
        }
        cells.note_nul();
        let cells = cells.finish(1);
        let texts = ColumnTexts { texts: &cells, field: 0, rows: texts.len(), chunk_rows };
        let column = Column::new("a", Role::Submission, infer(texts));
        format!("{} {}", printed_type(&column), printed_values(&column))
    }

    #[test]
    fn a_column_has_the_type_that_pandas_gives_it() {
        for (texts, expected) in TYPES {
            assert_eq!(inferred(texts, 1 << 19), *expected, "{texts:?}");
        }
    }

    #[test]
    fn chunks_are_typed_alone_and_joined_as_pandas_does() {
        for (texts, expected) in CHUNKS {
            assert_eq!(inferred(texts, 1), *expected, "{texts:?}");
        }
    }

    #[test]
    fn without_rows_a_column_is_of_objects() {
        assert_eq!(inferred(&[], 1), "object ");
    }
}
