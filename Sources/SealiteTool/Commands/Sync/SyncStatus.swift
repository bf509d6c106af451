import ArgumentParser
import FoundationEssentials
import SealiteDatabase
import SealiteReplicator

/// `sealite sync-status`
struct SyncStatus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync-status",
        abstract: "List the documents that a remote has refused, why and when.",
        discussion: """
            One line a document: the remote's URL, the collection, the id, the error code, the time and the reason. A document \
            is listed until the remote takes it, or it is changed or purged; 'sealite sync' offers it again each time.

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
                Console.print(options.output.json ? document.json.jsonForOutput : document.row.shownLine)
            }
        }
    }
}

extension RefusedDocument {
    /// The code of an HTTP status, or the code of another domain with the domain's name.
    private var codeText: String {
        switch code {
        case .http(let status): String(status)
        case .remote(let domain, let code): "\(domain)/\(code)"
        default: "?"
        }
    }

    fileprivate var row: String {
        let name = CollectionName(scope: scope, name: collection)
        return [target, "\(name)", id, codeText, time.ISO8601Format(), reason].joined(separator: "\t")
    }

    fileprivate var json: String {
        var domain = JSONValue.null
        var number: Int64 = 0
        switch code {
        case .http(let status): number = Int64(status)
        case .remote(let name, let code): (domain, number) = (.text(name), Int64(code))
        default: break
        }
        return JSONValue.object([
            ("url", .text(target)), ("scope", .text(scope)), ("collection", .text(collection)), ("id", .text(id)),
            ("revision", .text(revisionID)), ("code", .integer(number)), ("domain", domain),
            ("reason", .text(reason)), ("time", .text(time.ISO8601Format())),
        ]).encoded
    }
}
