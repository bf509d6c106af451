package import SealiteCrypto
internal import SealiteJSON

/// The properties of a replication that determine which checkpoint it uses. Two replications with the same identity
/// continue each other, and never run at the same time.
package struct CheckpointIdentity: Sendable, Hashable {
    /// The local database's private UUID as text.
    var databaseUUID: String
    /// The remote's URL or another name of the remote database.
    var remote: String
    var collectionPath: String
    var isPush: Bool
    var isPull: Bool
    var channels: [String]?
    var documentIDs: [String]?
    /// The names of the filters and of the selection of the documents, since their code can't be compared; nil if there
    /// are none.
    var filterNames: [String]?

    package init(
        databaseUUID: String, remote: String, collectionPath: String, isPush: Bool, isPull: Bool,
        channels: [String]? = nil, documentIDs: [String]? = nil, filterNames: [String]? = nil
    ) {
        self.databaseUUID = databaseUUID
        self.remote = remote
        self.collectionPath = collectionPath
        self.isPush = isPush
        self.isPull = isPull
        self.channels = channels
        self.documentIDs = documentIDs
        self.filterNames = filterNames
    }

    /// Returns the name under which both sides store the checkpoint: `cp-` and, in Base64, the first 20 bytes of a
    /// SHA-256 digest of the identity.
    ///
    /// - Throws: `CryptoError` if OpenSSL can't allocate memory.
    package func id() throws(CryptoError) -> String {
        var writer = JSONWriter()
        writer.array { writer in
            for text in [databaseUUID, remote, collectionPath, isPush ? "push" : "", isPull ? "pull" : ""] {
                writer.string(text)
            }
            for list in [channels, documentIDs, filterNames] {
                if let list {
                    writer.array { writer in for text in list.sorted() { writer.string(text) } }
                } else {
                    writer.raw("null".utf8)
                }
            }
        }
        return "cp-" + Base64.encode(Array(try SHA256.digest(of: writer.bytes).prefix(20)))
    }
}
