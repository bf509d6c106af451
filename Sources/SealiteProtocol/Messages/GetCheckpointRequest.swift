internal import SealiteJSON

/// The request `getCheckpoint` for a replication checkpoint that the passive side has stored.
package struct GetCheckpointRequest: Sendable, Hashable {
    /// The replication checkpoint's ID.
    package var client: String
    package var collection: Int?

    package init(client: String, collection: Int? = nil) {
        self.client = client
        self.collection = collection
    }

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
