internal import SealiteRevisions

extension BlobDigest {
    /// Reads the attachment's digest in the property `digest` of a request.
    ///
    /// - Throws: `missingProperty`, `badProperty`.
    init(in properties: BLIPProperties) throws(MessageError) {
        guard let digest = BlobDigest(try properties.required("digest")) else {
            throw MessageError(
                .badProperty, "the property 'digest' isn't a digest of an attachment: sha1- and 28 characters of Base64"
            )
        }
        self = digest
    }
}
