package import SealiteRevisions

/// The request `getAttachment` for the content of an attachment, which is the body of the reply.
package struct GetAttachmentRequest: Sendable, Hashable {
    package var digest: BlobDigest
    /// The ID of the document that refers to the attachment. Sync Gateway requires it from the protocol version
    /// CBMobile_3 on.
    package var documentID: String?
    /// A Boolean value that says whether the reply should be compressed.
    package var isCompressible: Bool
    package var collection: Int?

    package init(
        digest: BlobDigest, documentID: String?, isCompressible: Bool = false, collection: Int? = nil
    ) {
        self.digest = digest
        self.documentID = documentID
        self.isCompressible = isCompressible
        self.collection = collection
    }

    /// Reads a peer's request.
    ///
    /// - Throws: `missingProperty`, `badProperty`, `badCollection`.
    package init(_ request: BLIPRequest) throws(MessageError) {
        digest = try BlobDigest(in: request.properties)
        documentID = request.properties["docID"]
        isCompressible = request.properties.flag("compress")
        collection = try request.properties.collection()
    }

    /// The request to send.
    package var message: BLIPOutgoing {
        var properties = BLIPProperties(.getAttachment, collection: collection)
        properties["digest"] = digest.description
        properties["docID"] = documentID
        properties.set("compress", if: isCompressible)
        return BLIPOutgoing(properties)
    }
}
