//! Submissions that are wrong in the ways in which submissions are wrong, made from one that is right.
//!
//! Relies on the submission being CSV with a header, ids in the first column and something to be graded in the last.

use csv::{ReaderBuilder, WriterBuilder};

/// A submission with one thing wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BrokenSubmission {
    /// What is wrong with it.
    pub(super) name: &'static str,
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
    /// Whether a grader may accept it all the same: there are metrics that such a submission means something to.
    pub(super) may_be_accepted: bool,
}

type Row = Vec<Vec<u8>>;

/// The broken submissions; none if the right one is not CSV with at least two columns and two rows.
pub(super) fn broken(submission: &[u8]) -> Vec<BrokenSubmission> {
    let Some(rows) = parse(submission) else { return Vec::new() };
    let (header, body) = (&rows[0], &rows[1..]);
    let last = header.len() - 1;
    let with_cell = |column: usize, cell: &[u8]| {
        let mut rows = rows.clone();
        rows[1][column] = cell.to_vec();
        write(&rows)
    };
    let with_row = |row: Row| {
        let mut rows = rows.clone();
        rows.push(row);
        write(&rows)
    };
    let with_first_row = |change: fn(&mut Row)| {
        let mut rows = rows.clone();
        change(&mut rows[1]);
        write(&rows)
    };
    let mut unknown = body[0].clone();
    unknown[0] = UNKNOWN_ID.to_vec();
    // Four bytes a character after the first, so that whoever cuts it after so many bytes mostly cuts one in two.
    let long_id = format!("x{}", "\u{1f433}".repeat(300));
    let narrower: Vec<Row> = rows.iter().map(|row| row[..last].to_vec()).collect();
    let refused = |name, bytes| BrokenSubmission { name, bytes, may_be_accepted: false };
    let doubtful = |name, bytes| BrokenSubmission { name, bytes, may_be_accepted: true };
    vec![
        refused("nothing at all", Vec::new()),
        doubtful("a header without rows", write(&rows[..1])),
        doubtful("rows without a header", write(body)),
        refused("without its last column", write(&narrower)),
        doubtful("without its last row", write(&rows[..rows.len() - 1])),
        doubtful("a row twice", with_row(body[0].clone())),
        doubtful("a row more, of an unknown id", with_row(unknown)),
        doubtful("an unknown id in the place of the first", with_cell(0, UNKNOWN_ID)),
        doubtful("an unknown id of many characters beyond ASCII", with_cell(0, long_id.as_bytes())),
        doubtful("an unknown id that is not UTF-8", with_cell(0, b"\xff\xfe\xe9")),
        doubtful("an empty cell", with_cell(last, b"")),
        doubtful("a word that is no value", with_cell(last, b"###")),
        doubtful("a cell of a megabyte", with_cell(last, &vec![b'x'; 1 << 20])),
        doubtful("a row with a cell too many", with_first_row(|row| row.push(b"1".to_vec()))),
        doubtful("a row with a cell too few", with_first_row(|row| drop(row.pop()))),
        doubtful("bytes that are not UTF-8", with_cell(last, b"\xff\xfe")),
        doubtful("a quote that never ends", [submission, b"\"".as_slice()].concat()),
        refused("a gzip archive", b"\x1f\x8b\x08\0\0\0\0\0\0\x03".repeat(20)),
        refused("a thousand zeros", vec![0; 1_000]),
    ]
}

/// What is in nobody's answers.
const UNKNOWN_ID: &[u8] = b"no-such-id";

fn parse(submission: &[u8]) -> Option<Vec<Row>> {
    let mut reader = ReaderBuilder::new().has_headers(false).from_reader(submission);
    let rows: Vec<Row> = reader
        .byte_records()
        .map(|record| record.map(|record| record.iter().map(<[u8]>::to_vec).collect()))
        .collect::<Result<_, _>>()
        .ok()?;
    (rows.len() > 2 && rows[0].len() > 1).then_some(rows)
}

fn write(rows: &[Row]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = WriterBuilder::new().flexible(true).from_writer(&mut bytes);
    for row in rows {
        // Writing into memory does not fail.
        let _ = writer.write_record(row);
    }
    drop(writer);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_one_thing_wrong() {
        let submission = b"id,label\n1,\"a,b\"\n2,c\n";
        let broken = broken(submission);
        let of = |name: &str| {
            let found = broken.iter().find(|broken| broken.name == name).unwrap();
            String::from_utf8_lossy(&found.bytes).into_owned()
        };
        assert_eq!(of("a header without rows"), "id,label\n");
        assert_eq!(of("rows without a header"), "1,\"a,b\"\n2,c\n");
        assert_eq!(of("without its last column"), "id\n1\n2\n");
        assert_eq!(of("without its last row"), "id,label\n1,\"a,b\"\n");
        assert_eq!(of("a row twice"), "id,label\n1,\"a,b\"\n2,c\n1,\"a,b\"\n");
        assert_eq!(
            of("an unknown id in the place of the first"),
            "id,label\nno-such-id,\"a,b\"\n2,c\n"
        );
        assert_eq!(of("an empty cell"), "id,label\n1,\n2,c\n");
        assert_eq!(of("a row with a cell too few"), "id,label\n1\n2,c\n");
        for (index, one) in broken.iter().enumerate() {
            assert_ne!(one.bytes, submission, "{}", one.name);
            assert!(broken[..index].iter().all(|other| other.bytes != one.bytes), "{}", one.name);
        }
    }

    #[test]
    fn what_is_no_table_cannot_be_broken() {
        for submission in [&b""[..], b"id\n1\n2\n", b"id,label\n", b"id,label\n1,2,3\n"] {
            assert_eq!(broken(submission), [], "{submission:?}");
        }
    }
}
