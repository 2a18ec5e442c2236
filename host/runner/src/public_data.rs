//! What agents will miss of the public data, found before the start: links that lead out of the folder, which is all that a
//! container gets, and what nobody but its owner may read.

use std::fs;
use std::iter;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What is wrong with a folder of public data.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Missing {
    /// The first link that leads out of the folder, and how many there are.
    pub(crate) leading_out: Option<(PathBuf, usize)>,
    /// The first file or folder at the top that others may not read, with its mode.
    pub(crate) unreadable: Option<(PathBuf, u32)>,
}

/// Looks over a folder, whose path has no links in it, as far as it can be read from here.
pub(crate) fn look_over(folder: &Path) -> Missing {
    let mut missing = Missing::default();
    let mut note = |path: &Path, mode: u32| {
        let needed = if mode & 0o170_000 == 0o040_000 { 0o005 } else { 0o004 };
        if mode & needed != needed {
            missing.unreadable.get_or_insert_with(|| (path.to_owned(), mode & 0o7777));
        }
    };
    let mut top: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    top.sort();
    for path in iter::once(folder).chain(top.iter().map(PathBuf::as_path)) {
        match fs::symlink_metadata(path) {
            Ok(metadata) if !metadata.is_symlink() => note(path, metadata.mode()),
            _ => {}
        }
    }
    find_links(folder, folder, &mut missing);
    missing
}

fn find_links(root: &Path, folder: &Path, missing: &mut Missing) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        if kind.is_dir() {
            find_links(root, &path, missing);
        } else if kind.is_symlink() && leads_out(root, &path) {
            let (_, count) = missing.leading_out.get_or_insert((path, 0));
            *count += 1;
        }
    }
}

/// Whether a link leads nowhere where the folder lies under another path.
fn leads_out(root: &Path, link: &Path) -> bool {
    fs::read_link(link).is_ok_and(|target| target.is_absolute())
        || !fs::canonicalize(link).is_ok_and(|target| target.starts_with(root))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn links_that_lead_out_and_what_others_may_not_read_are_found() {
        let above = tempfile::tempdir().unwrap();
        let above = fs::canonicalize(above.path()).unwrap();
        let public = above.join("public");
        fs::create_dir_all(public.join("images")).unwrap();
        fs::write(public.join("train.csv"), "").unwrap();
        fs::write(above.join("large"), "").unwrap();
        let set_mode = |path: &Path, mode: u32| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        set_mode(&public, 0o755);
        set_mode(&public.join("images"), 0o755);
        set_mode(&public.join("train.csv"), 0o644);
        symlink("../train.csv", public.join("images/inside")).unwrap();
        assert_eq!(look_over(&public), Missing::default());

        for (target, is_out) in [
            ("../../large", true),
            ("/etc/hostname", true),
            ("nowhere", true),
            // Of this machine's path, which is another in a container.
            (public.join("train.csv").to_str().unwrap(), true),
            (".", false),
        ] {
            let link = public.join("images/link");
            symlink(target, &link).unwrap();
            let found = look_over(&public).leading_out;
            assert_eq!(found, is_out.then(|| (link.clone(), 1)), "{target}");
            fs::remove_file(link).unwrap();
        }
        for (path, mode) in [(public.join("train.csv"), 0o600), (public.clone(), 0o700)] {
            set_mode(&path, mode);
            assert_eq!(look_over(&public).unreadable, Some((path, mode)));
        }
    }
}
