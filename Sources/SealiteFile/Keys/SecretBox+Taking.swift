package import SealiteCrypto

extension SecretBox where Content: ~Copyable {
    /// Takes the content out, for the only time.
    ///
    /// - Throws: `internalFailure` when it was taken before.
    package func taken() throws(SealedFileError) -> Content {
        guard let content = take() else { throw SealedFileError(.internalFailure, "the key was used already") }
        return content
    }
}
