public import SealiteCredentials
public import FoundationEssentials
public import SealiteDatabase
internal import SealiteJSON
internal import SealiteRevisions

/// A document that a remote refused and doesn't have, or a document of a remote that couldn't be stored here.
public struct RefusedDocument: Sendable, Hashable {
    /// The document's id.
    public let id: String
    /// The scope of the document's collection.
    public let scope: String
    /// The name of the document's collection.
    public let collection: String
    /// A Boolean value that says whether the remote refused the document. If it is false, the remote has the document or
    /// a newer revision of it, and it couldn't be stored here.
    public let isPush: Bool
    /// The id of the refused revision: the document's current revision if the remote refused it, otherwise the remote's.
    public let revisionID: String
    /// The URL of the remote.
    public let target: String
    /// The error of the refusal: an HTTP status, 409 for a conflict, an error of another domain, or `aheadOfClock`.
    public let code: ReplicatorError.Code
    /// The reason in one line, which may include the remote's text.
    public let reason: String
    /// The time of the last refusal.
    public let time: Date
}

extension Database {
    /// Returns the documents that remotes have refused and don't have, and those of remotes that couldn't be stored,
    /// grouped by remote and collection. Within each group the documents that the remote refused come first, sorted by
    /// id. Blocks.
    ///
    /// A refusal by the remote counts until the remote accepts the document, or the document is changed or purged; one by
    /// this side until the document arrives, or the remote no longer has it for this user. At most 10,000 of each are
    /// stored for each remote and collection; further documents are offered, or pulled, again at each sync.
    ///
    /// - Parameter target: the remote; nil for all remotes that the database has synced with.
    /// - Returns: the documents.
    /// - Throws: errors of reading the database.
    public func refusedDocuments(by target: EndpointURL? = nil) throws -> [RefusedDocument] {
        try read {
            let collections = try scopes().flatMap { try self.collections(scope: $0.name) }
            return try remotes().filter { target == nil || $0.name == target?.description }.flatMap { remote in
                try collections.flatMap { collection in
                    let view = ReplicatedCollection(collection: collection, remote: remote.number)
                    return try (view.refusals() + view.refusals(by: .local)).map {
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
        isPush = refusal.side == .remote
        revisionID = refusal.version.text
        self.target = target
        code =
            switch (refusal.domain, refusal.code) {
            case ("HTTP", let status): .http(status)
            case (Refusal.ownDomain, Refusal.aheadOfClockCode) where refusal.side == .local: .aheadOfClock
            case (let domain, let code): .remote(domain: domain, code: code)
            }
        reason = refusal.reason
        self.time = Date(timeIntervalSince1970: Double(time) / 1_000)
    }
}

extension ReplicatorConfiguration {
    /// Returns the documents of the configuration's collections that the remote has refused and doesn't have, if the
    /// replicator pushes, and those of the remote that couldn't be stored, if it pulls. Blocks.
    package func refusedDocuments() throws -> [RefusedDocument] {
        guard let remote = try database.remotes().first(where: { $0.name == target.description }) else { return [] }
        return try collections.flatMap { own in
            let ids = own.documentIDs.map { Set($0.map(ExactText.init)) }
            let view = ReplicatedCollection(collection: own.collection, remote: remote.number)
            let pushed = replicatorType.isPush ? try view.refusals() : []
            return try (pushed.filter { ids?.contains(ExactText($0.refusal.documentID)) ?? true } + unstored(own))
                .map { RefusedDocument($0.refusal, time: $0.time, in: own.collection, target: remote.name) }
        }
    }
}
