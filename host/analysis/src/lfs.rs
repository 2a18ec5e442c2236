//! Git LFS pointers: what lies in the place of a large file in a checkout that was made without LFS.

/// What every pointer begins with, by the specification of Git LFS.
const BEGIN: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Whether these bytes are a pointer and not the file itself.
pub(crate) fn is_pointer(bytes: &[u8]) -> bool {
    // A pointer has less than 1,024 bytes, so that a file is not taken for one that only quotes one.
    bytes.len() < 1024 && bytes.starts_with(BEGIN)
}

#[cfg(test)]
mod tests {
    use super::is_pointer;

    #[test]
    fn a_pointer_is_told_from_a_file() {
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:5372\nsize 4275\n";
        assert!(is_pointer(pointer));
        assert!(!is_pointer(b"{\"competition_reports\": []}"));
        assert!(!is_pointer(b""));
        let mut long = pointer.to_vec();
        long.resize(2_000, b'\n');
        assert!(!is_pointer(&long));
    }
}
