internal import SealiteJSON

/// The request `setCheckpoint`, which stores a replication checkpoint at the passive side. The reply contains the
/// checkpoint's new revision as `rev`.
package struct SetCheckpointRequest: Sendable, Hashable {
    /// The replication checkpoint's ID.
    package var client: String
    /// The revision of the stored checkpoint that is replaced; empty if none is stored.
    package var revision: String
    /// The checkpoint, a JSON object.
    package var body: [UInt8]
    package var collection: Int?
}

extension SetCheckpointRequest {
    /// Reads a peer's request. The body must be a JSON object; its content is opaque.
    ///
    /// - Throws: `missingProperty`, `badCollection`, `notJSON`, `wrongShape`, `tooLarge`.
    package init(_ request: BLIPRequest, limits: MessageLimits) throws(MessageError) {
        client = try request.properties.required("client")
        revision = request.properties["rev"] ?? ""
        collection = try request.properties.collection()
        guard client.utf8.count <= limits.checkpointIDByteCount else {
            throw MessageError(.tooLarge, "a checkpoint's ID has more than \(limits.checkpointIDByteCount) bytes")
        }
        guard request.body.count <= limits.checkpointByteCount else {
            throw MessageError(.tooLarge, "a replication checkpoint has more than \(limits.checkpointByteCount) bytes")
        }
        var reader = JSONReader(request.body)
        guard try reader.peek() == .object else {
            throw MessageError(.wrongShape, "a replication checkpoint is not a JSON object")
        }
        _ = try reader.rawValue()
        try reader.end()
        body = request.body
    }

    /// The request to send.
    package var message: BLIPOutgoing {
        var properties = BLIPProperties(.setCheckpoint, collection: collection)
        properties["client"] = client
        // If there is no revision to replace, Couchbase Lite sends an empty `rev`. Sync Gateway treats an empty and a
        // missing `rev` alike.
        if !revision.isEmpty { properties["rev"] = revision }
        return BLIPOutgoing(properties, body: body)
    }
}

/// The request `getCheckpoint` for a replication checkpoint that the passive side has stored.
package struct GetCheckpointRequest: Sendable, Hashable {
    /// The replication checkpoint's ID.
    package var client: String
    package var collection: Int?
}

extension GetCheckpointRequest {
    /// Reads a peer's request.
    ///
    /// - Throws: `missingProperty`, `badCollection`.
    package init(_ request: BLIPRequest) throws(MessageError) {
        client = try request.properties.required("client")
        collection = try request.properties.collection()
    }

    /// The request to send.
    package var message: BLIPOutgoing {
        var properties = BLIPProperties(.getCheckpoint, collection: collection)
        properties["client"] = client
        return BLIPOutgoing(properties)
    }
}

/// The reply to `getCheckpoint`: the replication checkpoint that the passive side has stored.
package struct GetCheckpointReply: Sendable, Hashable {
    /// The checkpoint's revision, which a later `setCheckpoint` request must name to replace it; empty if a peer's
    /// reply has none.
    package var revision: String
    /// The checkpoint's JSON.
    package var body: [UInt8]

    package init(revision: String, body: [UInt8]) {
        self.revision = revision
        self.body = body
    }

    /// Reads a peer's reply.
    package init(_ reply: BLIPReply) {
        revision = reply.properties["rev"] ?? ""
        body = reply.body
    }

    /// The reply to send.
    package var message: BLIPOutgoing { BLIPOutgoing(["rev": revision], body: body) }
}
