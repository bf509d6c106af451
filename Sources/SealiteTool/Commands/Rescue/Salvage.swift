import ArgumentParser
import SealiteCredentials
import SealiteDatabase
import SealiteFile
import SealiteMaintenance

/// The command `sealite salvage`, which recovers the authentic content of a damaged database.
struct Salvage: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "salvage",
        abstract: "Recover the authentic content of a damaged database.",
        discussion: """
            Writes every row whose pages are intact to a new sealed database; rows whose table isn't known are \
            written to the table lost_and_found. Documents of a document database are recovered in their collections \
            or, if the collection isn't known, in a collection of the scope 'recovered'. The damaged file isn't \
            changed. Prints what is lost, with -v each document that couldn't be assigned, and ends with exit code \
            65 if anything is lost. The new database has the key slots of the damaged one, or its own slot with \
            --new-…. --header-backup replaces a header whose two copies are lost.

            Example: sealite salvage broken.db rescued.db --key-file notes.key
            """)

    @Argument(help: "The damaged database.", completion: .file())
    var database: String

    @Argument(help: "The database to make.", completion: .file())
    var destination: String

    @Option("file", help: "Use a header saved by 'sealite header backup' instead of the file's own.")
    var headerBackup: String?

    @OptionGroup var key: KeyOptions
    @OptionGroup var slots: CopySlotOptions
    @OptionGroup var extensions: ExtensionOptions

    @OptionGroup var wait: WaitOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try NewFile.requireFree(destination)
        Leftovers.tell(beside: destination)
        let sealed = try unlock()
        try extensions.load(for: sealed)
        let made = try slots.copy(
            sealed, to: destination, key: key, json: output.json,
            withSlot: {
                try Database.salvage(
                    sealed, to: destination, slot: $0, options: $1, others: [VaultGuide()], progress: $2)
            },
            withSlotsOfSource: {
                try Database.salvage(sealed, to: destination, others: [VaultGuide()], progress: $0)
            })
        guard let made else { return }
        if output.json {
            try Report.printJSON(made)
        } else {
            made.file.print()
            made.documents?.print()
        }
        guard !made.isComplete else { return }
        throw ToolError(
            .damaged, code: "incomplete", "not all of \"\(database)\" could be recovered",
            hint: hint(made.file, made.documents))
    }

    /// Returns the next steps: inspecting the rows and documents that couldn't be assigned, and combining a backup with
    /// the recovered documents.
    private func hint(_ file: SalvageReport, _ documents: SalvagedDocuments?) -> String {
        var steps: [String] = []
        if file.schemaFailures.contains(where: \.isNameMissing) {
            steps.append(MaintenanceRemedy.loadExtension.command)
        }
        let place = destination.shellArgument
        if let table = file.lostAndFoundTable { steps.append("look at \(table) in \"\(destination)\"") }
        if let found = documents?.collections.first(where: { $0.scope == "recovered" && $0.documentCount > 0 }) {
            steps.append(
                "'sealite export \(place) FILE --collection \(found.fullName.shellArgument)' and 'sealite import' with the"
                    + " collection's own name move documents whose collection isn't known")
        }
        steps.append(
            documents == nil
                ? "restore a backup with 'sealite restore', if there is one with more data"
                : "to combine a backup with the recovered documents: 'sealite restore BACKUP merged.db', 'sealite export \(place) FILE --all', 'sealite import"
                    + " merged.db FILE'")
        return steps.joined(separator: "; ")
    }

    private func unlock() throws -> SealedDatabase {
        guard let headerBackup else { return try key.unlock(database) }
        let slots = try SealedDatabase.publicHeader(of: headerBackup).slots
        return try key.withKey(of: headerBackup, slots: slots) {
            key, limits throws(SealedFileError) in
            try SealedDatabase.openForSalvage(database, headerBackup: headerBackup, key: key, limits: limits)
        }
    }
}

extension SalvageReport {
    /// Writes the report for people.
    func print() {
        Console.print(
            "recovered \(counted(rowCount, "row")) of \(counted(tables.count, "table")) into \"\(path)\""
                .withoutControls)
        Report.print(summary)
        for table in tables where !table.isComplete || table.attributedRowCount > 0 { table.print() }
        for failure in schemaFailures {
            Console.print("\(failure.type) \(failure.name) couldn't be made again: \(failure.reason)".withoutControls)
        }
    }

    private var summary: [(String, String)] {
        var lines = [("pages", "\(pageCount), \(lostPages.reduce(0) { $0 + $1.count }) lost")]
        if !lostPages.isEmpty { lines.append(("lost pages", Self.text(lostPages))) }
        if !unwrittenPages.isEmpty { lines.append(("never written", Self.text(unwrittenPages))) }
        if walFrameCount + lostFrameCount > 0 {
            lines.append(("log frames", "\(walFrameCount) used, \(lostFrameCount) lost"))
        }
        if journalPageCount > 0 {
            lines.append(("journal", "\(counted(journalPageCount, "page")) of an unfinished transaction rolled back"))
        }
        if lostJournalUnitCount > 0 { lines.append(("lost of journal", counted(lostJournalUnitCount, "part"))) }
        if !schemaIsComplete { lines.append(("schema", "not all of it could be read")) }
        if !freelistIsComplete {
            lines.append(("free pages", "not all are known: deleted rows may be among the recovered"))
        }
        if let lostAndFoundTable {
            lines.append((lostAndFoundTable, "\(counted(lostAndFoundRowCount, "row")) without a table"))
        }
        if unplacedRowCount > 0 { lines.append(("unreadable", "\(counted(unplacedRowCount, "row")) without a table")) }
        return lines
    }

    private static func text(_ ranges: [ClosedRange<UInt32>]) -> String {
        let shown = ranges.prefix(20).map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
        return shown.joined(separator: ", ") + (ranges.count > 20 ? ", … (\(ranges.count) ranges)" : "")
    }
}

extension SalvagedDocuments {
    /// Writes the documents' part of the report for people.
    fileprivate func print() {
        for collection in collections { collection.print() }
        for blob in lostBlobs {
            let size = blob.byteCount.map { " of \(counted($0, "byte"))" } ?? ""
            let count = blob.documentCount
            Console.print(
                "blob \(blob.digest)\(size) is lost; \(counted(count, "document")) \(count == 1 ? "refers" : "refer") to it"
            )
        }
        if strayChunkCount > 0 {
            let pieces = counted(strayChunkCount, "piece")
            Console.print("\(pieces) of content \(strayChunkCount == 1 ? "belongs" : "belong") to no known blob")
        }
        if Console.isVerbose {
            for document in unplaced { Console.print(document.text.withoutControls) }
        } else {
            let places = Dictionary(grouping: unplaced, by: \.reasonText).mapValues(\.count)
            for (reason, count) in places.sorted(by: { $0.key < $1.key }) {
                Console.print("\(counted(count, "document")): \(reason); -v names each".withoutControls)
            }
        }
        if hasNewIdentity {
            Console.print("the database's UUIDs are lost: it has new ones, and is another database for its peers")
        }
        if lostSyncState, syncedDocumentCount == 0 {
            Console.print(
                "the state of per-document sync may be lost: documents that were synced one by one have to be named again, as with 'sealite sync --keep-ids'"
            )
        }
        if syncedDocumentCount > 0 {
            let loss = lostSyncState ? "; parts of what was known of their sync are lost or outdated" : ""
            Console.print(
                "\(counted(syncedDocumentCount, "document")) \(syncedDocumentCount == 1 ? "is" : "are") synced one by one as before\(loss)"
            )
        }
        if gaveUpCheckpoints {
            Console.print("replication checkpoints were removed: the next sync compares all documents")
        }
    }
}

extension SalvagedCollection {
    fileprivate func print() {
        var parts = [counted(documentCount, "document"), counted(tombstoneCount, "tombstone")]
        if foundApartCount > 0 { parts.append("\(foundApartCount) of them found outside the collection's b-tree") }
        if unconfirmedCount > 0 { parts.append("\(unconfirmedCount) of them perhaps older than the last state") }
        if !withoutHistory.isEmpty { parts.append("\(withoutHistory.count) without their history") }
        if missing.isEmpty, !isMissingComplete { parts.append("how many are missing isn't known") }
        if !missing.isEmpty {
            parts.append("\(isMissingComplete ? "" : "at least ")\(missing.count) missing")
        }
        if !isNameKnown, scope != "recovered" || !name.hasPrefix("documents") { parts.append("its name is lost") }
        Console.print("collection \(fullName): \(parts.joined(separator: ", "))".withoutControls)
        for id in missing { Console.print("  missing: \(id)".withoutControls) }
        for id in withoutHistory { Console.print("  without history: \(id)".withoutControls) }
    }
}

extension UnplacedDocument {
    fileprivate var text: String { "document \(id), sequence \(sequence), page \(page): \(reasonText)" }

    /// The reason for which the document couldn't be assigned to its collection, and its present location.
    fileprivate var reasonText: String {
        switch reason {
        case .unknownCollection: "its collection isn't known; it is in \(collection ?? "lost_and_found")"
        case .superseded: "an older state of a document that is there; it is in lost_and_found"
        case .deleted: "deleted content; it is in lost_and_found"
        case .unreadable: "its content isn't readable; it is in lost_and_found"
        }
    }
}

extension SalvagedTable {
    fileprivate func print() {
        var parts = [counted(rowCount, "row")]
        if attributedRowCount > 0 { parts.append("\(attributedRowCount) of them found outside the table's b-tree") }
        if !lostRows.isEmpty { parts.append("\(lostRows.count) with lost content") }
        if oddRowCount > 0 { parts.append("\(oddRowCount) unreadable") }
        if refusedRowCount > 0 { parts.append("\(refusedRowCount) refused by its schema") }
        Console.print("table \(name): \(parts.joined(separator: ", "))".withoutControls)
        for gap in gaps.prefix(100) { Console.print("  lost page \(gap.page): \(gap.text)") }
        if gaps.count > 100 { Console.print("  … \(gaps.count) lost pages in all") }
    }
}

extension RowGap {
    fileprivate var text: String {
        switch (after, through) {
        case (let after?, let through?) where after &+ 1 == through: "rowid \(through)"
        case (let after?, let through?): "rowids from \(after &+ 1) to \(through)"
        case (let after?, nil): "rowids from \(after &+ 1) on"
        case (nil, let through?): "rowids up to \(through)"
        case (nil, nil): "rows of an unknown range"
        }
    }
}
