internal import SealiteRevisions

extension BlobDigest {
    /// Reads the attachment's digest in the property `digest` of a request.
    ///
    /// - Throws: `missingProperty`, `badProperty`.
    init(in properties: BLIPProperties) throws(MessageError) {
        guard let digest = BlobDigest(try properties.required("digest")) else {
            throw MessageError(.badProperty, "the digest of an attachment has no known form")
        }
        self = digest
    }
}
