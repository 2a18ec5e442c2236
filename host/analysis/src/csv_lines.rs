//! Lines of CSV files, as an editor counts them.

use csv::StringRecord;

/// The line that a record begins in. The library says where it began to look for one, which may be some empty lines before.
pub(crate) fn line_of(bytes: &[u8], record: &StringRecord) -> u64 {
    let Some(position) = record.position() else { return 0 };
    let from = usize::try_from(position.byte()).unwrap_or(usize::MAX).min(bytes.len());
    let is_empty = |byte: &&u8| matches!(**byte, b'\r' | b'\n');
    let empty = bytes[from..].iter().take_while(is_empty).filter(|byte| **byte == b'\n').count();
    position.line() + empty as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lines_are_counted() {
        let bytes = b"\xef\xbb\xbfa,b\n\n1,2\r\n\r\n\n3,4\n\"5\n\",6\n7,8";
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let lines: Vec<u64> =
            reader.records().map(|record| line_of(bytes, &record.unwrap())).collect();
        assert_eq!(lines, [3, 6, 7, 9]);
    }
}
