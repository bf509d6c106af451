import ArgumentParser
import SealiteDatabase
import SealiteFile
import SealiteMaintenance

/// The command `sealite compact`, which deletes blobs that no document refers to and returns free space to the file
/// system.
struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Delete blobs that no document refers to, and return free space to the file system.",
        discussion: """
            In a document database, deletes the blobs that no document, conflict or unsent revision refers to any more, and what \
            interrupted commands left of unfinished blobs. Without this command such blobs are deleted a day after their last \
            reference was removed, by any later command that writes, or by 'sealite serve'. A blob that was stored within the last \
            day and still waits for its first document stays. The earlier bodies from which deltas start are removed as well: \
            each document that a peer has travels whole the next time that it changes.

            Then the file is rewritten without its free pages if they are at least a twentieth of it, and 16 pages, which needs as much free disk \
            space as the content takes, and makes other writers wait; a database with incremental auto-vacuum is shortened step by \
            step instead. --vacuum chooses otherwise. ^C stops the command: blobs that it has deleted stay deleted, and the file is \
            otherwise unchanged.

            Example: sealite compact notes.db --key-file notes.key
            """)

    /// When free space is returned to the file system.
    enum Vacuum: String, ExpressibleByArgument, CaseIterable {
        case auto, always, never

        fileprivate var condition: FreePageReturn {
            switch self {
            case .auto: .ifWorthwhile
            case .always: .always
            case .never: .never
            }
        }
    }

    @OptionGroup var place: DatabaseArgument

    @Option("when", help: "When to return free space to the file system.")
    var vacuum = Vacuum.auto

    @OptionGroup var extensions: ExtensionOptions
    @OptionGroup var options: DocumentOptions

    func run() throws {
        let stopped = StoppingSignal()
        let (freed, pages) = try stopped.ending { try compact(stopped) }
        print(freed, pages)
    }

    private func compact(_ stopped: StoppingSignal) throws -> (FreedBlobs?, FreePageReport) {
        let sealed = try options.unlock(place.database)
        try extensions.load(for: sealed)
        let freed = try DatabaseKind(of: sealed) == .documents ? freeBlobs(sealed, stopped) : nil
        let pages = try ElapsedTime.shown("returning free space", json: options.output.json) {
            try sealed.returnFreePages(vacuum.condition) { stopped.number != nil }
        }
        return (freed, pages)
    }

    private func freeBlobs(_ sealed: SealedDatabase, _ stopped: StoppingSignal) throws -> FreedBlobs {
        let progress = ProgressReporter(json: options.output.json)
        defer { progress.finish() }
        return try options.withDatabase(sealed) { database in
            try database.freeBlobs {
                progress.report("blobs", completed: $0.examinedCount, total: $0.blobCount)
                return stopped.number == nil
            }
        }
    }

    private func print(_ freed: FreedBlobs?, _ pages: FreePageReport) {
        guard !options.output.json else {
            return Console.print([
                "path": place.database, "freedBlobs": freed?.count, "freedBlobBytes": freed?.byteCount,
                "vacuumed": pages.isDone,
                "bytesBefore": pages.byteCountBefore, "bytes": pages.byteCount, "freeBytes": pages.freeByteCount,
            ])
        }
        if let freed {
            let amount = freed.byteCount > 0 ? ", \(sizeText(freed.byteCount))" : ""
            Console.confirm("deleted \(counted(freed.count, "blob"))\(amount)")
        }
        let size = "\"\(place.database)\" has \(sizeText(pages.byteCount))"
        let change = pages.byteCountBefore - pages.byteCount
        let free = sizeText(pages.freeByteCount)
        let rest = pages.freeByteCount > 0 ? "; \(free) of it are free and will be used again" : ""
        Console.confirm(size + (change > 0 ? ", \(sizeText(change)) less than before" : "") + rest)
    }
}
