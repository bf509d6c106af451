package import SealiteRevisions

/// The request `norev`, which announces that a promised revision will not be sent.
package struct NoRevisionRequest: Sendable, Hashable {
    package var documentID: String
    package var version: Version
    package var sequence: RemoteSequence?
    /// The reason why the revision isn't sent, as an HTTP status such as 404, 410 or 500.
    package var status: Int
    package var reason: String?
    package var collection: Int?

    package init(
        documentID: String, version: Version, sequence: RemoteSequence?, status: Int, reason: String? = nil,
        collection: Int? = nil
    ) {
        self.documentID = documentID
        self.version = version
        self.sequence = sequence
        self.status = status
        self.reason = reason
        self.collection = collection
    }

    /// Reads a peer's `norev` request, in which Sync Gateway names the sequence `seq` under CBMobile_2.
    ///
    /// - Throws: `missingProperty`, `badCollection`, `tooLarge`, `notJSON` and `wrongShape` for a bad `sequence`.
    package init(_ request: BLIPRequest, limits: MessageLimits) throws(MessageError) {
        let properties = request.properties
        documentID = try properties.documentID(limits: limits)
        version = Version(try properties.required("rev"))
        sequence = nil
        if let text = properties["sequence"] ?? properties["seq"] {
            sequence = try RemoteSequence(json: text, limits: limits)
        }
        status = properties.number("error") ?? 500
        reason = properties["reason"]
        collection = try properties.collection()
    }

    /// The request to send, which expects no reply.
    package var message: BLIPOutgoing {
        var properties = BLIPProperties(.norev, collection: collection)
        properties["id"] = documentID
        properties["rev"] = version.text
        properties["sequence"] = sequence?.json
        properties["error"] = String(status)
        properties["reason"] = reason
        return BLIPOutgoing(properties, isCompressed: true, isNoReply: true)
    }
}
