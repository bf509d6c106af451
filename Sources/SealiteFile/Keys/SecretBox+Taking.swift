package import SealiteCrypto

extension SecretBox where Content: ~Copyable {
    /// Moves the content out of the box, which is possible once.
    ///
    /// - Throws: `internalFailure` if the content was taken before.
    package func taken() throws(SealedFileError) -> Content {
        guard let content = take() else {
            throw SealedFileError(.internalFailure, "the key was used already, and can be used only once")
        }
        return content
    }
}
