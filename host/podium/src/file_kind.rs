//! What the bytes of a file are, told by how they begin: for people who handed in something else than was expected.
//!
//! Nothing is decided by it. It says why what was refused for other reasons was refused.

/// A kind of file that is told by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileKind {
    /// What it is, to follow "this is".
    pub(crate) name: &'static str,
    /// What to do to get at what was wanted.
    pub(crate) advice: &'static str,
}

/// Where the bytes begin, how they begin, what they are, what to do. More exact ones first.
const KINDS: &[(usize, &[u8], &str, &str)] = &[
    (0, b"\x1f\x8b", "gzip-compressed data", "decompress it first"),
    (0, b"\x28\xb5\x2f\xfd", "zstandard-compressed data", "decompress it first"),
    (0, b"BZh", "bzip2-compressed data", "decompress it first"),
    (0, b"\xfd7zXZ\0", "xz-compressed data", "decompress it first"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it first"),
    (30, b"[Content_Types].xml", "an Office document such as an Excel workbook", EXPORT),
    (30, b"xl/", "an Excel workbook", EXPORT),
    (30, b"mimetypeapplication/vnd.oasis", "an OpenDocument file", EXPORT),
    (0, b"PK\x03\x04", "a zip archive", "unpack it first"),
    (0, b"PK\x05\x06", "an empty zip archive", "unpack it first"),
    (
        0,
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an old Office document such as an Excel workbook",
        EXPORT,
    ),
    (257, b"ustar", "a tar archive", "unpack it first"),
    (0, b"PAR1", "a Parquet file", WRITE),
    (0, b"ARROW1", "an Arrow (Feather) file", WRITE),
    (0, b"FEA1", "a Feather file", WRITE),
    (0, b"ORC", "an ORC file", WRITE),
    (0, b"\x89HDF\r\n\x1a\n", "an HDF5 file", WRITE),
    (0, b"\x93NUMPY", "a NumPy array", WRITE),
    (0, b"SQLite format 3\0", "an SQLite database", WRITE),
    (0, b"\x80\x04\x95", "a Python pickle", WRITE),
    (0, b"\x80\x05\x95", "a Python pickle", WRITE),
    (0, b"\xff\xfe\0\0", "UTF-32 text", UTF_8),
    (0, b"\xff\xfe", "UTF-16 text", UTF_8),
    (0, b"\xfe\xff", "UTF-16 text", UTF_8),
    (0, b"%PDF-", "a PDF document", WRITE),
    (0, b"\x89PNG\r\n\x1a\n", "a PNG image", WRITE),
    (0, b"\xff\xd8\xff", "a JPEG image", WRITE),
    (0, b"\x7fELF", "a native program or library", "give the right file"),
    (0, b"version https://git-lfs", "a pointer to a large file", "fetch it with `git lfs pull`"),
    (0, b"<", "a web page or other markup", "if it was downloaded, the download failed"),
];

const EXPORT: &str = "export the sheet as CSV first";
const WRITE: &str = "write the table as CSV first";
const UTF_8: &str = "save it as UTF-8";

impl FileKind {
    /// The kind of a file that begins with these bytes; `None` where they say nothing.
    pub(crate) fn of(head: &[u8]) -> Option<FileKind> {
        let begins = |offset: usize, magic: &[u8]| {
            head.get(offset..).is_some_and(|rest| rest.starts_with(magic))
        };
        // Names within an archive say something only if it is one.
        let is_zip = head.starts_with(b"PK\x03\x04");
        KINDS
            .iter()
            .find(|(offset, magic, _, _)| begins(*offset, magic) && (*offset != 30 || is_zip))
            .map(|&(_, _, name, advice)| FileKind { name, advice })
    }
}

#[cfg(test)]
mod tests {
    use super::FileKind;

    #[test]
    fn files_are_told_by_their_beginning() {
        let zip = |first: &str| [b"PK\x03\x04".as_slice(), &[0; 26], first.as_bytes()].concat();
        let tar = [&[b'x'; 257][..], b"ustar"].concat();
        for (bytes, name) in [
            (b"\x1f\x8b\x08\0".to_vec(), "gzip-compressed data"),
            (zip("submission.csv"), "a zip archive"),
            (zip("[Content_Types].xml"), "an Office document such as an Excel workbook"),
            (zip("xl/workbook.xml"), "an Excel workbook"),
            (b"PAR1\x15\x04".to_vec(), "a Parquet file"),
            (tar, "a tar archive"),
            (b"\xff\xfei\0d\0".to_vec(), "UTF-16 text"),
            (b"\xff\xfe\0\0i\0\0\0".to_vec(), "UTF-32 text"),
            (b"<!DOCTYPE html>".to_vec(), "a web page or other markup"),
        ] {
            assert_eq!(FileKind::of(&bytes).map(|kind| kind.name), Some(name));
        }
        let text = "id,value\n1,0.5\n2,0.25\nxl/xl/xl/,xl/xl/xl\n";
        for bytes in [&b""[..], b"P", b"id,value\n1,0.5\n", b"\xef\xbb\xbfid\n", text.as_bytes()] {
            assert_eq!(FileKind::of(bytes), None, "{bytes:?}");
        }
    }
}
