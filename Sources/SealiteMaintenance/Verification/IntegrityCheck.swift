import SealiteFile

/// SQLite's integrity check of the database of a connection. <https://sqlite.org/pragma.html#pragma_integrity_check>
struct IntegrityCheck {
    let connection: RawConnection
    let pageSize: Int
    let isStopped: () -> Bool

    /// Runs the check and returns what it found; a note means that it couldn't be finished.
    ///
    /// - Throws: `busy`, `locked`, `cancelled`; other errors are findings.
    func run() throws(SealedFileError) -> FindingList {
        var findings = FindingList()
        do throws(SealedFileError) {
            try check("PRAGMA integrity_check", &findings)
        } catch {
            guard ![.busy, .locked, .cancelled].contains(error.code) else { throw error }
            // The content can't be read without the names, and isn't damaged for that.
            if MissingNames.missing(in: connection) != nil || Self.lacksModule(error) {
                let missing = (try? MissingNames(connection))?.text ?? ""
                findings.add(
                    .note, .refused, .content, nil,
                    missing.isEmpty ? error.reason : "it needs what only its own program has: \(missing)")
                return findings
            }
            guard !Self.isOfVirtualTable(error) else { return try checkTables(without: error) }
            findings.add(.damage, error.code, .content, nil, "the integrity check stopped: \(error.reason)")
        }
        return findings
    }

    /// Checks all tables but the virtual ones, of which one can't be opened, as `error` says. It is found as a failed statement:
    /// its content is in other tables, or made of theirs.
    private func checkTables(without error: SealedFileError) throws(SealedFileError) -> FindingList {
        var findings = FindingList()
        findings.add(.damage, .statement, .content, nil, "a virtual table can't be checked: \(error.reason)")
        for name in try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0") {
            do throws(SealedFileError) {
                try check("PRAGMA integrity_check(\(quoted(name)))", &findings)
            } catch {
                guard ![.busy, .locked, .cancelled].contains(error.code) else { throw error }
                if Self.isOfVirtualTable(error) { continue }
                findings.add(.damage, error.code, .content, nil, "the check of a table stopped: \(error.reason)")
            }
        }
        return findings
    }

    private func check(_ sql: String, _ findings: inout FindingList) throws(SealedFileError) {
        // The check runs the expressions of indexes and constraints, and trees that share pages make tables of nearly
        // any size.
        let limit = WorkLimit(
            pageCount: Int(clamping: try connection.integer("PRAGMA page_count")), pageSize: pageSize)
        try connection.limited(to: limit) { () throws(SealedFileError) in
            try connection.stopping(if: isStopped) { () throws(SealedFileError) in
                try connection.query(sql) { (row) throws(SealedFileError) in
                    guard let text = row.text(0), text != "ok" else { return }
                    findings.add(.damage, .integrity, .content, nil, text)
                }
            }
        }
    }

    /// Returns whether an error of SQLite says that a virtual table can't be opened, as when tables are lost in which it keeps its
    /// content.
    private static func isOfVirtualTable(_ error: SealedFileError) -> Bool {
        error.reason.contains("vtable constructor failed: ")
    }

    /// Returns whether an error of SQLite says that the module or tokenizer of a virtual table is missing: SQLite 3.44 and
    /// later check virtual tables too.
    private static func lacksModule(_ error: SealedFileError) -> Bool {
        ["no such module: ", "unknown tokenizer: ", "no such tokenizer: "].contains { error.reason.contains($0) }
    }
}

extension SealedDatabase {
    /// Runs SQLite's integrity check on a copy of the database, which is a sealed file without a name, for a database in
    /// rollback-journal mode that others write to: they wait for the last pass of the copying only.
    ///
    /// - Throws: errors of making and reading the copy, `damagedPage` among them, and those of the check.
    func checkCopy(
        isStopped: @escaping () -> Bool, _ progress: (VerificationProgress) -> Void
    ) throws(SealedFileError) -> FindingList {
        let file = try NewFile(path, replacing: true, writer: .connection(base: vfs.base))
        let keys = try NewDatabase(like: ring, path: path)
        try file.write(try keys.image(autoVacuum: .none))
        let copy = SealedDatabase(path: file.temporaryPath, ring: keys.ring, vfs: vfs.reaching(file.temporaryPath))
        defer { copy.lock() }
        try copy.loadExtensions(extensions)
        try withoutActuallyEscaping(progress) { (progress) throws(SealedFileError) in
            _ = try copyPages(uri: uri, to: copy) { now in
                progress(VerificationProgress(phase: .copying, done: now.completed, total: now.total))
                return !isStopped()
            }
        }
        progress(VerificationProgress(phase: .integrity, done: 0, total: 0))
        return try IntegrityCheck(connection: try copy.connect(), pageSize: pageSize, isStopped: isStopped).run()
    }
}
