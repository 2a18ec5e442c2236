//! Keys and signatures of components, as the minisign program makes them.

use std::io::Cursor;
use std::path::Path;

use minisign::KeyPair;

/// A key that signs components.
pub struct SigningKey(KeyPair);

impl SigningKey {
    /// A new one.
    ///
    /// # Panics
    /// When the system gives no random numbers.
    #[expect(clippy::new_without_default, reason = "a key that is made anew is no default")]
    pub fn new() -> SigningKey {
        SigningKey(KeyPair::generate_unencrypted_keypair().expect("random numbers"))
    }

    /// The public key, as a trust policy names it.
    pub fn public(&self) -> String {
        self.0.pk.to_base64()
    }

    /// A signature of bytes, with a comment that it covers.
    ///
    /// # Panics
    /// When the comment has more than one line.
    pub fn sign(&self, bytes: &[u8], trusted_comment: &str) -> String {
        minisign::sign(None, &self.0.sk, Cursor::new(bytes), Some(trusted_comment), None)
            .expect("a signature")
            .into_string()
    }

    /// Signs a file, and writes the signature beside it.
    ///
    /// # Panics
    /// When the file cannot be read, or the signature not be written.
    pub fn sign_file(&self, path: &Path, trusted_comment: &str) {
        let bytes = std::fs::read(path).expect("a file to sign");
        let beside = podium::Signature::path_beside(path);
        std::fs::write(beside, self.sign(&bytes, trusted_comment)).expect("a writable folder");
    }
}
