//! Signatures of components: who vouches for one, beside what it is.
//!
//! Signatures and keys are those of minisign. A component `x.wasm` has its signature beside it, in `x.wasm.minisig`. A
//! signature says nothing by itself: it is held against the keys that somebody trusts (see [`trust`](crate::trust)).
//! Relies on minisign-verify for the arithmetic.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use minisign_verify::PublicKey;

use crate::message;
use crate::regular_file;

/// What is appended to the name of a component's file to name that of its signature.
const SUFFIX: &str = ".minisig";

/// No signature is larger: it has four lines, two of them comments.
const MOST_BYTES: u64 = 64 << 10;

/// The characters of a trusted comment that are kept.
const COMMENT_CHARACTERS: usize = 500;

/// A signature as minisign writes it. Whether it holds, and for what, is for [`Signer::check`] to say.
#[derive(Clone)]
pub struct Signature {
    text: String,
    decoded: minisign_verify::Signature,
}

/// What is wrong with a file that should be a signature.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureProblem {
    /// The file is there, but could not be read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The bytes are something else.
    #[error("this is no signature of minisign; sign the component again, or remove the file")]
    NotASignature,
}

impl Signature {
    /// Parses the text of a `.minisig` file.
    ///
    /// # Errors
    /// [`SignatureProblem::NotASignature`].
    pub fn parse(text: &str) -> Result<Signature, SignatureProblem> {
        let decoded = minisign_verify::Signature::decode(text)
            .map_err(|_| SignatureProblem::NotASignature)?;
        Ok(Signature { text: text.to_owned(), decoded })
    }

    /// Where the signature of the component at `path` lies, whether there is one or not.
    pub fn path_beside(path: &Path) -> PathBuf {
        let mut name = OsString::from(path.as_os_str());
        name.push(SUFFIX);
        PathBuf::from(name)
    }

    /// Reads the signature beside a component; `None` where there is none.
    ///
    /// # Errors
    /// A file that cannot be read, or is no signature.
    pub fn beside(path: &Path) -> Result<Option<Signature>, SignatureProblem> {
        match regular_file::read_text(&Signature::path_beside(path), MOST_BYTES) {
            Ok(text) => Signature::parse(&text).map(Some),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound => Ok(None),
                io::ErrorKind::InvalidData | io::ErrorKind::FileTooLarge => {
                    Err(SignatureProblem::NotASignature)
                }
                _ => Err(SignatureProblem::Unreadable(error.to_string())),
            },
        }
    }

    /// The text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the signer says of the signature: a time, the name of the file. It is covered by the signature, so it can
    /// be believed as far as the signer can, once [`Signer::check`] says that the signature holds. Cut, and free of
    /// control characters.
    pub fn trusted_comment(&self) -> String {
        message::fit(self.decoded.trusted_comment(), COMMENT_CHARACTERS)
    }
}

impl PartialEq for Signature {
    fn eq(&self, other: &Signature) -> bool {
        self.text == other.text
    }
}

impl Eq for Signature {}

impl fmt::Debug for Signature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Signature").field(&self.text).finish()
    }
}

/// The public key of somebody who signs components.
#[derive(Clone, PartialEq, Eq)]
pub struct Signer {
    text: String,
    key: PublicKey,
}

/// What a signature is, held against one key and one component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureCheck {
    /// The holder of the key signed these bytes, and the trusted comment.
    Holds,
    /// It says that it was made with another key.
    OtherKey,
    /// It says that it was made with this key, and does not hold: the component, or the signature, was changed since.
    DoesNotHold,
    /// It is of the form from before components were hashed first, which is not taken any more.
    OldForm,
}

/// Text that is not a public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a public key of minisign: give the line of a .pub file that begins with RW, 56 characters"
)]
pub struct NotAKey;

impl Signer {
    /// Parses a public key: the line of a `.pub` file that begins with `RW`.
    ///
    /// # Errors
    /// [`NotAKey`].
    pub fn parse(text: &str) -> Result<Signer, NotAKey> {
        let text = text.trim();
        let key = PublicKey::from_base64(text).map_err(|_| NotAKey)?;
        Ok(Signer { text: text.to_owned(), key })
    }

    /// Holds a signature against this key and the bytes of a component.
    pub fn check(&self, bytes: &[u8], signature: &Signature) -> SignatureCheck {
        use minisign_verify::Error;
        match self.key.verify(bytes, &signature.decoded, false) {
            Ok(()) => SignatureCheck::Holds,
            Err(Error::UnexpectedKeyId) => SignatureCheck::OtherKey,
            Err(Error::UnexpectedAlgorithm | Error::UnsupportedLegacyMode) => {
                SignatureCheck::OldForm
            }
            Err(_) => SignatureCheck::DoesNotHold,
        }
    }
}

impl fmt::Display for Signer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Signer({self})")
    }
}

/// A key and signatures that were made with it, for tests of this crate; tests of the whole make their own.
#[cfg(test)]
pub(crate) mod testing {
    /// The public key that the library's own documentation shows.
    pub(crate) const KEY: &str = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";

    /// A signature of the four bytes `test` with that key.
    pub(crate) const OF_TEST: &str = "untrusted comment: signature from minisign secret key\n\
        RUQf6LRCGA9i559r3g7V1qNyJDApGip8MfqcadIgT9CuhV3EMhHoN1mGTkUidF/z7SrlQgXdy8ofjb7bNJJylDOocrCo8KLzZwo=\n\
        trusted comment: timestamp:1633700835\tfile:test\tprehashed\n\
        wLMDjy9FLAuxZ3q4NlEvkgtyhrr0gtTu6KC4KBJdITbbOeAi1zBIYo0v4iTgt8jJpIidRJnp94ABQkJAgAooBQ==\n";
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::testing::{KEY, OF_TEST};
    use super::*;

    #[test]
    fn a_signature_holds_for_the_bytes_and_the_key_that_it_was_made_of() {
        let signer = Signer::parse(KEY).unwrap();
        let other =
            Signer::parse("RWQAAAAAAAAAAHmlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3").unwrap();
        let same_id =
            Signer::parse("RWQf6LRCGA9i5wAAAAAO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3").unwrap();
        let signature = Signature::parse(OF_TEST).unwrap();
        let comment_changed = Signature::parse(&OF_TEST.replace("file:test", "file:last")).unwrap();
        let old_form = Signature::parse(&OF_TEST.replace("\nRUQ", "\nRWQ")).unwrap();
        for (what, signer, bytes, signature, expected) in [
            ("as it was made", &signer, b"test".as_slice(), &signature, SignatureCheck::Holds),
            ("other bytes", &signer, b"tess", &signature, SignatureCheck::DoesNotHold),
            ("no bytes", &signer, b"", &signature, SignatureCheck::DoesNotHold),
            ("another key", &other, b"test", &signature, SignatureCheck::OtherKey),
            ("a key of that id", &same_id, b"test", &signature, SignatureCheck::DoesNotHold),
            ("another comment", &signer, b"test", &comment_changed, SignatureCheck::DoesNotHold),
            ("the old form", &signer, b"test", &old_form, SignatureCheck::OldForm),
        ] {
            assert_eq!(signer.check(bytes, signature), expected, "{what}");
        }
        assert_eq!(signature.trusted_comment(), "timestamp:1633700835\tfile:test\tprehashed");
        assert_eq!(signer.to_string(), KEY);
    }

    #[test]
    fn comments_are_shown_without_what_steers_a_terminal() {
        let text = OF_TEST.replace("file:test", "\u{1b}[2J\u{202e}");
        let comment = Signature::parse(&text).unwrap().trusted_comment();
        assert!(comment.contains("\\u{1b}[2J\\u{202e}"), "{comment:?}");
    }

    #[test]
    fn what_is_no_signature_or_key_is_refused() {
        let cut = &OF_TEST[..OF_TEST.len() / 2];
        let no_comment = OF_TEST.replace("trusted comment: ", "comment: ");
        for text in ["", "hello", cut, &no_comment, &OF_TEST.replace("RUQ", "ABC")] {
            assert_eq!(Signature::parse(text), Err(SignatureProblem::NotASignature), "{text:?}");
        }
        for text in ["", "RWQ", &KEY[1..], &KEY.replace('R', "é"), &format!("{KEY}{KEY}")] {
            assert_eq!(Signer::parse(text), Err(NotAKey), "{text:?}");
        }
        assert!(Signer::parse(&format!("  {KEY}\n")).is_ok());
    }

    #[test]
    fn the_signature_lies_beside_the_component() {
        let folder = tempfile::tempdir().unwrap();
        let component = folder.path().join("seals.wasm");
        assert_eq!(Signature::beside(&component), Ok(None));
        let path = folder.path().join("seals.wasm.minisig");
        std::fs::write(&path, OF_TEST).unwrap();
        assert_eq!(Signature::beside(&component).unwrap().unwrap().text(), OF_TEST);
        for bytes in [vec![0xff, 0xfe], vec![b'x'; 1 << 20]] {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(Signature::beside(&component), Err(SignatureProblem::NotASignature));
        }
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        let problem = Signature::beside(&component).unwrap_err();
        assert!(problem.to_string().contains("this is a folder"), "{problem}");
    }

    proptest! {
        #[test]
        fn any_text_is_taken_or_refused(text in "\\PC*|[A-Za-z0-9+/=\n: ]{0,400}") {
            let _ = Signature::parse(&text);
            let _ = Signer::parse(&text);
        }
    }
}
