package import SealiteCrypto

extension SecretBox where Content: ~Copyable {
    /// Takes the content out. Allowed once.
    ///
    /// - Throws: `internalFailure` if the content was taken before.
    package func taken() throws(SealedFileError) -> Content {
        guard let content = take() else { throw SealedFileError(.internalFailure, "the key was taken already") }
        return content
    }
}
