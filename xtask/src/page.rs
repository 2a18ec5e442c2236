//! Pages of `docs/` that commands write a part of: what stands between two marks is replaced, the rest is left alone.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::workspace;

/// Puts a section in the place of the part of that name, or at the end of the page where there is none yet.
///
/// # Errors
/// The page cannot be read or written. It is written whole or not at all.
pub(crate) fn replace_part(path: &Path, name: &str, section: &str) -> Result<()> {
    let page =
        fs::read_to_string(path).with_context(|| format!("could not read {}", path.display()))?;
    workspace::write_if_changed(path, replaced(&page, name, section).as_bytes())?;
    Ok(())
}

fn replaced(page: &str, name: &str, section: &str) -> String {
    let (begin, end) = (format!("<!-- {name}: begin -->"), format!("<!-- {name}: end -->"));
    let marked = format!("{begin}\n{section}{end}");
    let place = page
        .find(&begin)
        .and_then(|first| Some((first, first + page[first..].find(&end)? + end.len())));
    match place {
        Some((first, last)) => format!("{}{marked}{}", &page[..first], &page[last..]),
        None => format!("{}\n\n{marked}\n", page.trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_marked_part_of_a_page_is_replaced() {
        let (begin, end) = ("<!-- bench: begin -->", "<!-- bench: end -->");
        let first = replaced("# Performance\n\nWords.\n", "bench", "old\n");
        assert_eq!(first, format!("# Performance\n\nWords.\n\n{begin}\nold\n{end}\n"));
        let page = first + "\nMore words.\n";
        assert_eq!(
            replaced(&page, "bench", "new\n"),
            format!("# Performance\n\nWords.\n\n{begin}\nnew\n{end}\n\nMore words.\n")
        );
        let other = replaced(&page, "other", "more\n");
        assert!(other.starts_with(page.trim_end()), "{other}");
        assert!(other.ends_with("<!-- other: begin -->\nmore\n<!-- other: end -->\n"), "{other}");
    }

    #[test]
    fn a_page_has_to_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.md");
        assert!(replace_part(&path, "part", "text\n").is_err());
        fs::write(&path, "# Page\n").unwrap();
        replace_part(&path, "part", "text\n").unwrap();
        let page = fs::read_to_string(&path).unwrap();
        assert_eq!(page, "# Page\n\n<!-- part: begin -->\ntext\n<!-- part: end -->\n");
    }
}
