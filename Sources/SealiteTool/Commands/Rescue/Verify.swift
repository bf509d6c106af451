import ArgumentParser
import SealiteDatabase
import SealiteFile
import SealiteMaintenance

/// The command `sealite verify`, which authenticates a whole database, and checks its integrity.
struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Authenticate a whole database, and check its integrity.",
        discussion: """
            Reads the header, every page, every WAL frame and the journal, then runs SQLite's integrity check. In a document \
            database it then checks every document, blob and index. Reports every damaged place, and exits with 65 if there is one.

            Example: sealite verify notes.db --key-file notes.key
            """)

    @OptionGroup var place: DatabaseArgument

    @OptionGroup var extensions: ExtensionOptions
    @OptionGroup var options: DocumentOptions

    func run() throws {
        let sealed = try options.unlock(place.database)
        try extensions.load(for: sealed)
        let (report, documents) = try check(sealed)
        if options.output.json {
            try Report.printJSON(Results(file: report, documents: documents))
        } else {
            print(report, documents)
        }
        guard report.isSound else { throw report.error }
        if let reason = report.reasonForNoCheck { throw reason }
        if let documents, !documents.findings.isEmpty { throw documents.error(report.path) }
    }

    /// Checks the file and its documents. A signal ends the check, so that its connections are closed and no log remains.
    private func check(_ sealed: SealedDatabase) throws -> (VerificationReport, DocumentCheckReport?) {
        let stopped = StoppingSignal()
        let progress = ProgressReporter(json: options.output.json)
        defer { progress.finish() }
        return try stopped.ending {
            let report = try sealed.verify(isStopped: { stopped.number != nil }) {
                progress.report($0.phase.rawValue, completed: $0.done, total: $0.total)
            }
            // Documents are checked only if all pages are authentic.
            guard report.isSound, report.integrity == .ok else { return (report, nil) }
            let documents = try Database.checkDocuments(in: sealed) {
                progress.report("documents", completed: $0.rowCount, total: $0.totalRowCount)
                if let number = stopped.number { throw EndedBySignal(number: number) }
            }
            return (report, documents)
        }
    }

    /// The JSON output: the members of the file's report, and `documents`.
    private struct Results: Encodable {
        let file: VerificationReport
        let documents: DocumentCheckReport?

        private enum Name: CodingKey { case documents }

        func encode(to encoder: any Encoder) throws {
            try file.encode(to: encoder)
            var container = encoder.container(keyedBy: Name.self)
            try container.encodeIfPresent(documents, forKey: .documents)
        }
    }

    private func print(_ report: VerificationReport, _ documents: DocumentCheckReport?) {
        for finding in report.findings {
            Console.print("\(finding.severity.rawValue): \(finding.place)\(finding.reason)".withoutControls)
        }
        for finding in documents?.findings ?? [] { Console.print("damage: \(finding)".withoutControls) }
        var lines = [("pages", "\(report.pages.authenticCount) authentic, \(report.pages.damagedCount) damaged")]
        if report.pages.neverWrittenCount > 0 {
            lines.append(("free pages", "\(report.pages.neverWrittenCount) never written"))
        }
        if let wal = report.wal {
            lines.append(
                (
                    "WAL",
                    "\(counted(wal.committedFrameCount, "frame")) in \(counted(wal.commitCount, "commit")), "
                        + "\(wal.damagedCount) damaged"
                ))
        }
        if let journal = report.journal {
            lines.append(
                (
                    "journal",
                    "\(journal.state.rawValue), \(counted(journal.unitCount, "unit")), \(journal.damagedCount) damaged"
                ))
        }
        lines.append(("integrity", report.integrity.rawValue))
        if let documents { lines.append(("documents", documents.summary)) }
        if let missing = documents?.missingBlobCount, missing > 0 {
            Console.print(
                "note: the content of \(counted(missing, "blob")) to which documents refer isn't in the database")
        }
        Report.print(lines)
        if report.isSound, report.integrity == .ok, documents?.findings.isEmpty ?? true {
            Console.print("\"\(place.database)\" is sound".withoutControls)
        }
    }
}

extension VerificationFinding {
    /// The location, such as "page 7: " or "WAL frames 3 to 9: ".
    fileprivate var place: String {
        let name =
            switch part {
            case .header: "header copy"
            case .page: "page"
            case .walFrame: "WAL frame"
            case .journalUnit: "journal unit"
            case .content: "content"
            }
        guard let first, let last else { return "\(name): " }
        return first == last ? "\(name) \(first): " : "\(name)s \(first) to \(last): "
    }
}

extension VerificationReport {
    /// The error for a file whose pages are authentic but whose content SQLite couldn't check, which is neither damage
    /// nor a sound database; nil for any other file.
    fileprivate var reasonForNoCheck: ToolError? {
        guard integrity == .skipped, let note = findings.first(where: { $0.part == .content }) else { return nil }
        return ToolError(
            SealedFileError(
                note.code, "\"\(path)\" is authentic, but its content wasn't checked: \(note.reason)",
                hint: note.code == .refused
                    ? MaintenanceRemedy.loadExtension.command
                    : "copy it to a folder that can be written and has free space, and verify the copy"))
    }

    /// The error with which a report of damage ends the command.
    fileprivate var error: ToolError {
        let worst = findings.first { $0.severity == .damage }
        var error = ToolError(
            .damaged, code: (worst?.code ?? .integrity).rawValue,
            "\"\(path)\" is damaged or was altered in \(counted(damagedPlaceCount, "place"))",
            hint:
                "restore a backup with 'sealite restore', or recover the authentic data with 'sealite salvage'")
        if let worst, worst.part == .page { error.page = worst.first.map(UInt32.init(truncatingIfNeeded:)) }
        return error
    }
}

extension DocumentCheckReport {
    fileprivate var summary: String {
        if let reasonForNoCheck { return "not checked: \(reasonForNoCheck)" }
        return findings.isEmpty ? "ok" : counted(findings.count, "finding")
    }

    /// Returns the error with which damage of documents, blobs or indexes ends the command.
    fileprivate func error(_ path: String) -> ToolError {
        ToolError(
            .damaged, code: "documents",
            "\"\(path)\" is authentic, but \(counted(findings.count, "fault was", "faults were")) found in its documents, blobs or indexes",
            hint: isRepairedByReindexing
                ? "'sealite index rebuild' rebuilds the indexes"
                : "restore a backup with 'sealite restore', or recover the remaining data with 'sealite salvage'")
    }
}
