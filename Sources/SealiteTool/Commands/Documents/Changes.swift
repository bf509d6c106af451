import ArgumentParser
import Dispatch
import SealiteDatabase
import Synchronization

/// The command `sealite changes`, which writes the changes of a collection as JSON, one change on each line.
struct Changes: DocumentsCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "Write the changes of a collection as JSON, one change on each line.",
        discussion: """
            Each document is listed once, with its latest change: sequence, id, revision, and whether it was \
            deleted. With --follow the command also lists later changes, by any process, until it is interrupted. \
            Purges by other processes are listed without ids.

            Example: sealite changes notes.db --follow --since now --key-file notes.key
            """)

    @OptionGroup var place: DatabaseArgument

    @Flag(help: "Continue with new changes until interrupted.")
    var follow = false

    @Option("sequence|now", help: "Only changes after this sequence; 'now' for the latest.")
    var since = ChangeStart.sequence(0)

    @Option("n", help: "End after this many changes. Default: no limit.")
    var limit: Int?

    @OptionGroup var collection: CollectionOptions
    @OptionGroup var options: DocumentOptions

    func validate() throws { try limit.requirePositive("--limit") }
    func run(on collection: Collection) throws {
        // The subscription is registered before the first read, so that changes between the two aren't missed.
        let changes = collection.changes
        let writer = ChangeWriter(
            collection: collection, since: try since.sequence(of: collection), limit: limit ?? .max)
        guard follow else { return try writer.writeAll() }
        let environment = try CommandEnvironment(place.database)
        try stoppable { try await environment.watched { try await writer.follow(changes) } }
    }
}

/// Writes changes in the order of their sequences.
private actor ChangeWriter {
    private let collection: Collection
    private var last: UInt64
    private var remaining: Int
    private static let pageSize = 1000

    init(collection: Collection, since: UInt64, limit: Int) {
        self.collection = collection
        last = since
        remaining = limit
    }

    /// Writes all changes that haven't been written yet, up to the limit.
    nonisolated func writeAll() throws {
        let over = DispatchSemaphore(value: 0)
        let failure = Mutex<(any Error)?>(nil)
        Task {
            do { try await writeNew() } catch { failure.withLock { $0 = error } }
            over.signal()
        }
        over.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    func follow(_ changes: CollectionChanges) async throws {
        try await writeNew()
        guard remaining > 0 else { return }
        for try await change in changes {
            for id in change.purgedDocumentIDs { write(["id": id, "purged": true]) }
            if change.hasUnnamedPurges { write(["purged": true]) }
            try await writeNew()
            guard remaining > 0 else { return }
        }
    }

    private func writeNew() async throws {
        while remaining > 0 {
            let page = try await collection.changes(since: last, limit: min(remaining, Self.pageSize))
            for record in page {
                write([
                    "sequence": record.sequence, "id": record.id, "revision": record.revisionID,
                    "deleted": JSONValue.flag(record.isDeleted), "conflict": JSONValue.flag(record.hasConflict),
                ])
                last = record.sequence
            }
            try Console.requireWritten()
            if page.isEmpty { return }
        }
    }

    private func write(_ change: JSONValue) {
        guard remaining > 0 else { return }
        remaining -= 1
        Console.print(change)
    }
}

/// The value of `--since`, after which changes are listed: a sequence, or `now` for the collection's last sequence.
enum ChangeStart: ExpressibleByArgument {
    case sequence(UInt64)
    case now

    init?(argument: String) {
        if argument == "now" {
            self = .now
        } else if let number = UInt64(argument) {
            self = .sequence(number)
        } else {
            return nil
        }
    }

    var defaultValueDescription: String { "0" }

    /// Returns the sequence after which changes are listed.
    func sequence(of collection: Collection) throws -> UInt64 {
        switch self {
        case .sequence(let number): number
        case .now: try collection.lastSequence
        }
    }
}
