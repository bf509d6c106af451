internal import SealiteRevisions

extension BlobDigest {
    /// Reads the digest that a request names.
    ///
    /// - Throws: `missingProperty`, `badProperty`.
    init(in properties: BLIPProperties) throws(MessageError) {
        guard let digest = BlobDigest(try properties.required("digest")) else {
            throw MessageError(.badProperty, "the digest of an attachment has no known form")
        }
        self = digest
    }
}
