/// The name of an attachment's content: `sha1-` and the base64 of its SHA-1.
package struct AttachmentDigest: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package var description: String { text }

    /// Takes a digest; nil unless it has the form of one (33 bytes, `sha1-`, standard base64 of 20 bytes).
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 33, text.hasPrefix("sha1-"), bytes[32] == UInt8(ascii: "=") else { return nil }
        let isBase64 = bytes[5..<32].allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
        guard isBase64 else { return nil }
        self.text = text
    }
}

extension AttachmentDigest {
    /// The 20 bytes of the digest; nil if the text is not what those bytes are written as.
    var bytes: [UInt8]? {
        var bytes: [UInt8] = []
        var (bits, bitCount): (UInt32, UInt32) = (0, 0)
        for character in text.utf8.dropFirst(5).dropLast() {
            bits = bits << 6 | Self.value(of: character)
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            bits &= 1 << bitCount - 1
        }
        return bytes.count == 20 && bits == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt32 {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        default: 63
        }
    }
}

/// Asks for the content of an attachment; the reply's body is that.
package struct GetAttachmentRequest: Sendable, Hashable {
    package var digest: AttachmentDigest
    /// The document that has it. Sync Gateway wants it from CBMobile_3 on.
    package var documentID: String?
    /// Whether the reply is worth compressing.
    package var isCompressible: Bool
    package var collection: Int?

    package init(
        digest: AttachmentDigest, documentID: String?, isCompressible: Bool = false, collection: Int? = nil
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
        digest = try AttachmentDigest(in: request.properties)
        documentID = request.properties["docID"]
        isCompressible = request.properties.flag("compress")
        collection = try request.properties.collection()
    }

    /// The request to send.
    package var message: BLIPOutgoing {
        var properties = BLIPProperties(.getAttachment, collection: collection)
        properties["digest"] = digest.text
        properties["docID"] = documentID
        properties.set("compress", if: isCompressible)
        return BLIPOutgoing(properties)
    }
}

/// Asks for a proof that the other side has the content of an attachment.
package struct ProveAttachmentRequest: Sendable, Hashable {
    package var digest: AttachmentDigest
    /// 1 to 255 bytes that make the proof a new one.
    package var nonce: [UInt8]
    package var collection: Int?

    package init(digest: AttachmentDigest, nonce: [UInt8], collection: Int? = nil) {
        self.digest = digest
        self.nonce = nonce
        self.collection = collection
    }

    /// Reads a peer's request.
    ///
    /// - Throws: `missingProperty`, `badProperty`, also for a nonce of no or more than 255 bytes; `badCollection`.
    package init(_ request: BLIPRequest) throws(MessageError) {
        digest = try AttachmentDigest(in: request.properties)
        nonce = request.body
        collection = try request.properties.collection()
        guard (1...255).contains(nonce.count) else {
            throw MessageError(.badProperty, "a nonce has \(nonce.count) bytes instead of 1 to 255")
        }
    }

    /// The request to send.
    package var message: BLIPOutgoing {
        var properties = BLIPProperties(.proveAttachment, collection: collection)
        properties["digest"] = digest.text
        return BLIPOutgoing(properties, body: nonce)
    }

    /// What is hashed with SHA-1 before the content; the proof is the digest of both, written as an attachment's is.
    package var hashedPrefix: [UInt8] { [UInt8(nonce.count)] + nonce }
}

extension AttachmentDigest {
    init(in properties: BLIPProperties) throws(MessageError) {
        guard let digest = AttachmentDigest(try properties.required("digest")) else {
            throw MessageError(.badProperty, "the digest of an attachment has no known form")
        }
        self = digest
    }
}
