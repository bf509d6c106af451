package import SealiteRevisions

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

/// The request `getAttachment` for the content of an attachment, which is the body of the reply.
package struct GetAttachmentRequest: Sendable, Hashable {
    package var digest: BlobDigest
    /// The ID of the document that refers to the attachment. Sync Gateway requires it from the protocol version
    /// CBMobile_3 on.
    package var documentID: String?
    /// A Boolean value that says whether the reply should be compressed.
    package var isCompressible = false
    package var collection: Int?
}

extension GetAttachmentRequest {
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

/// The request `proveAttachment`, by which a side asks for a proof that the receiver of the request has the content of
/// an attachment.
package struct ProveAttachmentRequest: Sendable, Hashable {
    package var digest: BlobDigest
    /// The random bytes, 1 to 255, for which the proof is computed.
    package var nonce: [UInt8]
    package var collection: Int?
}

extension ProveAttachmentRequest {
    /// Reads a peer's request.
    ///
    /// - Throws: `missingProperty`, `badProperty`, also for a nonce of no or more than 255 bytes; `badCollection`.
    package init(_ request: BLIPRequest) throws(MessageError) {
        digest = try BlobDigest(in: request.properties)
        nonce = request.body
        collection = try request.properties.collection()
        guard (1...255).contains(nonce.count) else {
            throw MessageError(.badProperty, "a nonce has \(nonce.count) bytes instead of 1 to 255")
        }
    }

    /// The request to send.
    package var message: BLIPOutgoing {
        var properties = BLIPProperties(.proveAttachment, collection: collection)
        assert((1...255).contains(nonce.count), "the length of a nonce fits into a byte")
        properties["digest"] = digest.description
        return BLIPOutgoing(properties, body: nonce)
    }

    /// The bytes that are hashed before the attachment's content: the length of the nonce in one byte, and the nonce.
    /// The proof is the SHA-1 digest of all of these, written like an attachment's digest.
    package var hashedPrefix: [UInt8] {
        assert((1...255).contains(nonce.count), "the length of a nonce fits into a byte")
        return [UInt8(nonce.count)] + nonce
    }
}
