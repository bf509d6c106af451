import ArgumentParser
import Glibc
import SealiteFile
import SealiteKnownAnswers
import SealiteMaintenance

/// The command `sealite audit`, which runs the cryptographic known-answer tests, and reports on databases.
struct Audit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Run the cryptographic known-answer tests, and report on databases.",
        discussion: """
            Runs the published known-answer tests, compiled in, through the code that production uses; if a suite fails or is \
            incomplete, the command exits with 70. It says whether this version of SQLite can lose transactions by its WAL-reset bug, and \
            tests the guard that prevents it in sealed files. Then, for each database: parameters, slots, epoch, whether any nonce was used twice, \
            permissions, and what crashes left. If a nonce was used twice or a header was altered, it exits with 65; if others may access a \
            file or change its folder, with 78. A database that can't be opened is an error that doesn't hide the others. One key opens all \
            of the databases.

            Example: sealite audit notes.db --key-file notes.key
            """)

    @Argument(help: "Databases to report on.", completion: .file())
    var databases: [String] = []

    @OptionGroup var key: KeyOptions
    @OptionGroup(title: HelpSections.keys) var freshness: FreshnessOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard freshness.recordPath == nil || databases.count == 1 else {
            throw ValidationError("With --freshness, give exactly one database.")
        }
    }

    /// The known-answer suites to run: all of them. A test build can restrict them to the fast ones, for tests of other
    /// features.
    private static var suites: [KnownAnswerSuite] {
        #if SEALITE_TESTS
            if let text = unsafe getenv("SEALITE_QUICK_AUDIT"), unsafe text[0] == 0x31 {
                return (KnownAnswers.suites + KnownAnswers.properties).filter(\.isQuick)
            }
        #endif
        return KnownAnswers.suites + KnownAnswers.properties
    }

    func run() throws {
        let progress = ProgressReporter(json: output.json)
        defer { progress.finish() }
        var done = 0
        let results = KnownAnswers.run(Self.suites) { _ in
            done += 1
            progress.report("known answers", completed: done, total: Self.suites.count)
        }
        progress.finish()
        var reports: [AuditReport] = []
        var failures: [ToolError] = []
        for database in databases {
            do {
                reports.append(
                    try key.unlock(database, freshness: freshness).audit {
                        progress.report($0.phase.rawValue, completed: $0.done, total: $0.total)
                    })
            } catch {
                // The other databases are reported nevertheless.
                failures.append(ToolError(any: error))
            }
            progress.finish()
        }
        if output.json { try printJSON(results, reports) } else { print(results, reports) }
        do throws(ToolError) {
            try judge(results, reports)
        } catch {
            failures.append(error)
        }
        // The last error decides the exit code.
        guard let last = failures.popLast() else { return }
        for failure in failures { Console.note(output.json ? failure.json.encoded + "\n" : failure.text) }
        throw last
    }

    // MARK: Output

    private func print(_ results: [KnownAnswerResult], _ reports: [AuditReport]) {
        let width = results.map(\.name.count).max() ?? 0
        Console.print(SealiteVersion.line)
        Console.print("\("suite".padded(to: width))  passed  of   source")
        for result in results {
            let counts =
                "\(String(result.passedCount).padded(to: 6, right: false))  \(String(result.expectedCount).padded(to: 3))"
            Console.print(
                "\(result.name.padded(to: width))  \(counts)  \(result.source)\(result.isPassed ? "" : "  FAILED")")
            for failure in result.failures { Console.print("    \(failure)") }
        }
        let passed = results.reduce(0) { $0 + $1.passedCount }
        Console.print("\(passed) of \(results.reduce(0) { $0 + $1.expectedCount }) known answers are right")
        Console.print(LogReport().line)
        for report in reports { print(report) }
    }

    private func print(_ report: AuditReport) {
        Console.print("\n" + "\"\(report.path)\"".withoutControls)
        let nonces = report.nonces
        Report.print(
            report.header.lines + [
                (
                    "nonces",
                    "\(nonces.count) (\(nonces.pageCount) pages, \(nonces.frameCount) WAL frames,"
                        + " \(nonces.unitCount) journal units), \(nonces.repeated.count) used twice"
                ),
                (
                    "pages by epoch",
                    nonces.pagesByEpoch.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(
                        separator: ", ")
                ),
            ])
        for slot in report.header.slots { Console.print(slot.line) }
        for pair in nonces.repeated { Console.print("nonce used twice: \(pair.first) and \(pair.second)") }
        for file in report.files {
            Console.print(
                "\(file.role.rawValue.padded(to: 8))  mode \(file.mode)  \(file.path)\(file.concern.map { ": \($0)" } ?? "")"
                    .withoutControls)
        }
        for leftover in report.leftovers {
            Console.print("left over (\(leftover.kind.rawValue)): \(leftover.path)".withoutControls)
        }
        Console.print(report.isSound ? "nothing to act on" : "there is something to act on, above")
    }

    /// The state of the guard against the loss of transactions when a log is restarted during a checkpoint. https://sqlite.org/wal.html#the_wal_reset_bug
    private struct LogReport: Encodable {
        let sqlite = SealiteVersion.sqlite
        let hasWALResetBug = WALResetGuard.isNeeded
        let isGuarded = WALResetGuard.isInForce()

        var line: String {
            "SQLite \(sqlite) \(hasWALResetBug ? "has" : "doesn't have") the WAL-reset bug, which loses transactions;"
                + " the guard of sealed files against it is \(isGuarded ? "" : "NOT ")in force"
        }
    }

    private struct JSONReport: Encodable {
        let version: String
        let log = LogReport()
        let suites: [KnownAnswerResult]
        let databases: [AuditReport]
    }

    private func printJSON(_ results: [KnownAnswerResult], _ reports: [AuditReport]) throws {
        try Report.printJSON(JSONReport(version: SealiteVersion.line, suites: results, databases: reports))
    }

    // MARK: Verdict

    private func judge(_ results: [KnownAnswerResult], _ reports: [AuditReport]) throws(ToolError) {
        let failed = results.filter { !$0.isPassed }
        guard failed.isEmpty, results.count == Self.suites.count, !results.isEmpty else {
            throw ToolError(
                .internalError, code: "known-answer-failed",
                failed.isEmpty
                    ? "not all known-answer tests were run"
                    : "known-answer tests failed: \(failed.map(\.name).joined(separator: ", "))",
                hint: "don't use this build of 'sealite': its cryptography didn't pass the known-answer tests")
        }
        guard LogReport().isGuarded else {
            throw ToolError(
                .internalError, code: SealedFileError.Code.internalFailure.rawValue,
                "the guard against SQLite's WAL-reset bug isn't in force",
                hint: "don't use this build of 'sealite': it can lose transactions")
        }
        if let reused = reports.first(where: { !$0.nonces.repeated.isEmpty }) {
            throw ToolError(
                .damaged, code: "nonce-reuse", "\"\(reused.path)\" uses a nonce twice",
                hint: "rotate its keys with 'sealite key rotate'")
        }
        if let tampered = reports.first(where: { $0.header.copies.contains(.tampered) }) {
            throw ToolError(
                .damaged, code: SealedFileError.Code.tamperedHeader.rawValue,
                "a header copy of \"\(tampered.path)\" was made by someone without the key",
                hint:
                    "restore a saved header with 'sealite header restore', or choose the copy to keep with 'sealite header accept'"
            )
        }
        if let loose = reports.lazy.flatMap(\.files).first(where: { $0.concern != nil }), let concern = loose.concern {
            throw ToolError(
                .permission, code: SealedFileError.Code.permission.rawValue, "\"\(loose.path)\": \(concern)",
                hint: loose.role == .folder
                    ? "keep the database in a folder that you own and only you can write to"
                    : "the file has to be a regular file that you own (chown) and only you can read and write (chmod 600)"
            )
        }
    }
}
