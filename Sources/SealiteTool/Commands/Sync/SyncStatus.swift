import ArgumentParser
import FoundationEssentials
import SealiteDatabase
import SealiteReplicator

/// The command `sealite sync-status`, which lists the documents that a remote has refused, those of a remote that
/// couldn't be stored, and the state of each individually synced document.
struct SyncStatus: ParsableCommand {
    static let configuration = CommandConfiguration(
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

    @Argument(help: "The database.", completion: .file())
    var database: String

    @Argument(help: "Only this remote, as it is given to 'sealite sync'.")
    var url: String?

    @OptionGroup var options: DocumentOptions

    func run() throws {
        let target = try url.map { try SyncURL.endpoint($0) }
        try options.withDatabase(database) { database in
            if let target, try !database.remotes().contains(where: { $0.name == target.description }) {
                throw ToolError(
                    .noInput, code: "no-such-remote", "the database has never synced with \(target)",
                    hint: "give the URL as it was given to 'sealite sync', or none to list all remotes")
            }
            for document in try database.refusedDocuments(by: target) {
                Console.print(options.output.json ? document.json : document.row)
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
                guard options.output.json else {
                    let name = CollectionArgument(scope: collection.scopeName, name: collection.name)
                    let pause = record.pause.map { [$0.code, $0.reason] } ?? []
                    Console.print((["sync", "\(name)", id, state] + pause).shownLine)
                    continue
                }
                Console.print(
                    JSONValue.object([
                        ("scope", .text(collection.scopeName)), ("collection", .text(collection.name)),
                        ("id", .text(id)), ("state", .text(state)), ("code", .text(record.pause?.code)),
                        ("reason", .text(record.pause?.reason)),
                    ]).encoded)
            }
        }
    }
}

extension JSONValue {
    /// Returns a text as JSON; null for nil.
    fileprivate static func text(_ text: String?) -> JSONValue { text.map { .text($0) } ?? .null }
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

    fileprivate var json: String {
        var domain = JSONValue.null
        var number: Int64 = 0
        switch code {
        case .http(let status): number = Int64(status)
        case .remote(let name, let code): (domain, number) = (.text(name), Int64(code))
        case .aheadOfClock: domain = .text("clock")
        default: break
        }
        return JSONValue.object([
            ("url", .text(target)), ("scope", .text(scope)), ("collection", .text(collection)), ("id", .text(id)),
            ("way", .text(isPush ? "push" : "pull")), ("revision", .text(revisionID)), ("code", .integer(number)),
            ("domain", domain),
            ("reason", .text(reason)), ("time", .text(time.ISO8601Format())),
        ]).encoded
    }
}
