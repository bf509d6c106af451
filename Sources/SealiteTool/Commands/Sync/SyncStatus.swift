import ArgumentParser
import FoundationEssentials
import SealiteDatabase
import SealiteReplicator

/// The command `sealite sync-status`, which lists the documents that a remote has refused, those of a remote that
/// couldn't be stored, and the state of each individually synced document.
struct SyncStatus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync-status",
        abstract: "List the documents that a remote has refused or that could not be stored, and those of a kept set.",
        discussion: """
            One line for each document: the remote's URL, the collection, the id, the error code, the time and the reason. A document that the \
            remote refused is listed until the remote takes it, or it is changed or purged; 'sealite sync' offers it again each time. A document \
            of the remote that could not be stored is listed until it is stored, or the remote no longer has it; 'sealite sync' asks for it again \
            each time. Its code is clock if it is dated more than two minutes ahead of this computer's clock.

            The documents of the set that 'sealite sync --keep-ids' keeps follow: the word sync, the collection, the id, whether the \
            document is synced, uncommitted (the remote hasn't got a change) or paused, and for a paused one the error's code and reason.

            Example: sealite sync-status notes.db wss://sync.example.com:4984/notes --key-file notes.key
            """)

    @OptionGroup var place: DatabaseArgument

    @Argument(help: "Only this remote, as it is given to 'sealite sync'.")
    var url: String?

    @OptionGroup var options: DocumentOptions

    func run() throws {
        let target = try url.map { try SyncURL.endpoint($0) }
        try options.withDatabase(place.database) { database in
            if let target, try !database.remotes().contains(where: { $0.name == target.description }) {
                throw ToolError(
                    .noInput, code: "no-such-remote", "the database has never synced with \(target)",
                    hint: "give the URL as it was given to 'sealite sync', or none to list all remotes")
            }
            for document in try database.refusedDocuments(by: target) {
                options.output.print(document.row, json: document.json)
            }
            try listSynced(of: target, in: database)
        }
    }

    /// Lists the individually synced documents with their states; if a remote is given, only those that are synced with
    /// it.
    private func listSynced(of target: EndpointURL?, in database: Database) throws {
        let number = try database.remotes().first { $0.name == target?.description }?.number
        for collection in try database.scopes().flatMap({ try database.collections(scope: $0.name) }) {
            let documents = SyncedDocuments(collection)
            guard let space = try documents.space(), target == nil || space.remote == number else { continue }
            for (id, record) in try documents.records() {
                let state = record.pause != nil ? "paused" : record.pending != nil ? "uncommitted" : "synced"
                let name = CollectionArgument(collection)
                let pause = record.pause.map { [$0.code, $0.reason] } ?? []
                options.output.print(
                    (["sync", "\(name)", id, state] + pause).shownLine,
                    json: [
                        "scope": collection.scopeName, "collection": collection.name, "id": id, "state": state,
                        "code": record.pause?.code, "reason": record.pause?.reason,
                    ])
            }
        }
    }
}

extension RefusedDocument {
    /// The code of the error with which the remote refused the document: an HTTP status such as `403`, or another
    /// domain's name and code such as `LiteCore/19`.
    private var codeText: String {
        switch code {
        case .http(let status): String(status)
        case .remote(let domain, let code): "\(domain)/\(code)"
        case .aheadOfClock: "clock"
        default: "?"
        }
    }

    fileprivate var row: String {
        let name = CollectionArgument(scope: scope, name: collection)
        return [target, "\(name)", id, codeText, time.ISO8601Format(), reason].shownLine
    }

    fileprivate var json: JSONValue {
        var domain: String?
        var number: Int64 = 0
        switch code {
        case .http(let status): number = Int64(status)
        case .remote(let name, let code): (domain, number) = (name, Int64(code))
        case .aheadOfClock: domain = "clock"
        default: break
        }
        return [
            "url": target, "scope": scope, "collection": collection, "id": id, "way": isPush ? "push" : "pull",
            "revision": revisionID, "code": number, "domain": domain, "reason": reason, "time": time.ISO8601Format(),
        ]
    }
}
