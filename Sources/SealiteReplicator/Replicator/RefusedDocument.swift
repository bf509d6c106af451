public import SealiteCredentials
public import FoundationEssentials
public import SealiteDatabase
internal import SealiteJSON
internal import SealiteRevisions

/// A document that a remote refused and doesn't have.
public struct RefusedDocument: Sendable, Hashable {
    /// The document's id.
    public let id: String
    /// The scope of the document's collection.
    public let scope: String
    /// The name of the document's collection.
    public let collection: String
    /// The id of the refused revision, which is still the document's current revision.
    public let revisionID: String
    /// The URL of the remote.
    public let target: String
    /// The error of the refusal: an HTTP status, 409 for a conflict, or an error of another domain.
    public let code: ReplicatorError.Code
    /// The reason in one line, which may include the remote's text.
    public let reason: String
    /// The time of the last refusal.
    public let time: Date
}

extension Database {
    /// Returns the documents that remotes have refused and don't have, grouped by remote and sorted by collection and
    /// id within each group. Blocks.
    ///
    /// A refusal counts until the remote accepts the document, or the document is changed or purged. At most 10,000 are
    /// stored for each remote and collection; further refused documents are offered again at each sync.
    ///
    /// - Parameter target: the remote; nil for all remotes that the database has synced with.
    /// - Returns: the documents.
    /// - Throws: errors of reading the database.
    public func refusedDocuments(by target: EndpointURL? = nil) throws -> [RefusedDocument] {
        try read {
            let collections = try scopes().flatMap { try self.collections(scope: $0.name) }
            return try remotes().filter { target == nil || $0.name == target?.description }.flatMap { remote in
                try collections.flatMap { collection in
                    try ReplicatedCollection(collection: collection, remote: remote.number).refusals().map {
                        RefusedDocument($0.refusal, time: $0.time, in: collection, target: remote.name)
                    }
                }
            }
        }
    }
}

extension RefusedDocument {
    /// Creates the description of a stored refusal. `time` is the time of the refusal in milliseconds since 1970,
    /// `target` the remote's URL.
    init(_ refusal: Refusal, time: Int64, in collection: SealiteDatabase.Collection, target: String) {
        id = refusal.documentID
        (scope, self.collection) = (collection.scopeName, collection.name)
        revisionID = refusal.version.text
        self.target = target
        code = refusal.domain == "HTTP" ? .http(refusal.code) : .remote(domain: refusal.domain, code: refusal.code)
        reason = refusal.reason
        self.time = Date(timeIntervalSince1970: Double(time) / 1_000)
    }
}

extension ReplicatorConfiguration {
    /// Returns the documents of the configuration's collections that the remote has refused and doesn't have; none for
    /// a replicator that doesn't push. Blocks.
    package func refusedDocuments() throws -> [RefusedDocument] {
        guard replicatorType.isPush, let remote = try database.remotes().first(where: { $0.name == target.description })
        else { return [] }
        return try collections.flatMap { own in
            let ids = own.documentIDs.map { Set($0.map(ExactText.init)) }
            return try ReplicatedCollection(collection: own.collection, remote: remote.number).refusals()
                .filter { ids?.contains(ExactText($0.refusal.documentID)) ?? true }
                .map { RefusedDocument($0.refusal, time: $0.time, in: own.collection, target: remote.name) }
        }
    }
}
