import CSQLite
import Glibc
import SealiteBase
import SealiteFile

/// Copies a whole database, and proves that the copy is equal. Uses SQLite's VACUUM INTO, which keeps every rowid; for
/// a copy without reserved bytes, first tries to copy row by row.
struct DatabaseCopier {
    private let source: RawConnection
    private let journalMode: String?
    private let willCompare: () -> Void
    private let destination: NewFile
    private let place: CopyFiles
    private let pageSize: Int?
    private let progress: CopyProgressHandler

    /// The maximum number of attempts to copy a source that other connections write to.
    private static let attemptLimit = 3

    /// Creates a copier. `journalMode` is that of the source, nil if its connection says; `pageSize` is the page size of
    /// the copy in bytes, nil for the source's, or 1024 if that is 512.
    init(
        source: RawConnection, journalMode: String?, willCompare: @escaping () -> Void, destination: NewFile,
        place: CopyFiles, pageSize: Int?,
        progress: @escaping CopyProgressHandler
    ) {
        self.source = source
        self.journalMode = journalMode
        self.willCompare = willCompare
        self.destination = destination
        self.place = place
        self.pageSize = pageSize
        self.progress = progress
        // Otherwise closing the last connection would checkpoint the WAL into the file.
        unsafe sealite_configure(source.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        // A schema may name functions of its own program; it is copied without running them.
        source.limitSchemaTrust()
    }

    /// Creates the copy, and compares it with its source.
    func copy() throws(SealedFileError) -> CopyReport {
        let facts = try readFacts()
        try MissingNames.requireNone(in: source)
        var rowSourceURI = place.rowSourceURI
        var attempts = 0
        while attempts < Self.attemptLimit {
            do throws(SealedFileError) {
                if let report = try attempt(facts, rowSourceURI) { return report }
                attempts += 1
            } catch {
                // VACUUM INTO copies databases that can't be copied row by row, and reports a defect of the source too.
                guard rowSourceURI != nil, !place.isCopiedByRowsOnly, error.code != .cancelled else { throw error }
                rowSourceURI = nil
            }
            try destination.empty()
        }
        throw SealedFileError(
            .busy, "\"\(source.path)\" was written to during each of \(Self.attemptLimit) attempts to copy it",
            hint: place.rowSourceURI == nil
                ? "stop the programs that write to it, then try again" : MaintenanceRemedy.copyBackup.hint)
    }

    // MARK: Steps

    /// Copies and compares once; returns nil if another connection committed to the source meanwhile.
    private func attempt(_ facts: Facts, _ rowSourceURI: String?) throws(SealedFileError) -> CopyReport? {
        let version = try source.integer("PRAGMA data_version")
        if let rowSourceURI { try copyRows(facts, from: rowSourceURI) } else { try vacuum(facts) }
        let copy = try place.open(destination.temporaryPath)
        if facts.journalMode == "wal" { _ = try copy.text("PRAGMA journal_mode=WAL") }
        try source.execute("BEGIN")
        defer { try? source.execute("ROLLBACK") }
        _ = try source.integer("SELECT count(*) FROM sqlite_schema")
        // Equal versions: no connection committed between the copy and the snapshot that it is compared with.
        guard try source.integer("PRAGMA data_version") == version else { return nil }
        willCompare()
        return try compare(copy, facts)
    }

    private struct Facts {
        let pageSize: Int
        let pageCount: Int64
        let journalMode: String
        let autoVacuum: Int64
        let encoding: String

        var byteCount: Int64 { pageCount * Int64(pageSize) }
    }

    /// The page size of the copy in bytes.
    private func wanted(_ facts: Facts) -> Int { pageSize ?? max(1024, facts.pageSize) }

    private func readFacts() throws(SealedFileError) -> Facts {
        do throws(SealedFileError) {
            let stated = if let journalMode { journalMode } else { try source.text("PRAGMA journal_mode") }
            return Facts(
                pageSize: Int(try source.integer("PRAGMA page_size")),
                pageCount: try source.integer("PRAGMA page_count"),
                journalMode: stated ?? "delete",
                autoVacuum: try source.integer("PRAGMA auto_vacuum"),
                encoding: try source.text("PRAGMA encoding") ?? "UTF-8")
        } catch {
            throw error.explained(source)
        }
    }

    private func copyRows(_ facts: Facts, from uri: String) throws(SealedFileError) {
        let path = destination.temporaryPath
        let step = CopyStep(byteCount: facts.byteCount, stepCount: 1, index: 0)
        let watch = ProgressWatch(path: path, step: step, handler: progress)
        let copier = try RowCopier(sourceURI: uri, copy: try place.open(path)) {
            (connection, body) throws(SealedFileError) in
            try watch.watching(connection, body)
        }
        try copier.run(pageSize: wanted(facts), autoVacuum: facts.autoVacuum, encoding: facts.encoding)
    }

    private func vacuum(_ facts: Facts) throws(SealedFileError) {
        let wanted = wanted(facts)
        if wanted != facts.pageSize { try source.execute("PRAGMA page_size=\(wanted)") }
        // Set after the pragma, which resets the requested number of reserved bytes.
        var reserved = CInt(HeaderLayout.reservedByteCount)
        let code = unsafe withUnsafeMutablePointer(to: &reserved) {
            unsafe source.control(SQLITE_FCNTL_RESERVE_BYTES, $0)
        }
        guard code == SQLITE_OK else { throw source.error(code) }
        let byteCount = facts.byteCount
        guard try makesLooseIndexes() else {
            return try vacuum(source, into: destination, CopyStep(byteCount: byteCount, stepCount: 1, index: 0))
        }
        let loose = try NewFile(destination.path, writer: .connection(base: place.vfs.base))
        try vacuum(source, into: loose, CopyStep(byteCount: byteCount, stepCount: 2, index: 0))
        let writable = try place.open(loose.temporaryPath)
        writable.limitSchemaTrust()
        try vacuum(writable, into: destination, CopyStep(byteCount: byteCount, stepCount: 2, index: 1))
    }

    /// Returns whether VACUUM INTO would leave up to a third of the space in indexes unused.
    ///
    /// On a read-only connection SQLite doesn't load CHECK constraints. Tables with such constraints then differ
    /// between source and copy, so SQLite inserts row by row in table order, instead of copying each b-tree in its own
    /// order. A second VACUUM INTO, from the writable copy, compacts the indexes.
    private func makesLooseIndexes() throws(SealedFileError) -> Bool {
        try source.integer(
            """
            SELECT EXISTS (
                SELECT 1 FROM sqlite_schema AS t WHERE type = 'table' AND sql LIKE '%CHECK%' AND (
                    sql LIKE '%WITHOUT%ROWID%'
                    OR EXISTS (SELECT 1 FROM sqlite_schema AS i WHERE i.type = 'index' AND i.tbl_name = t.name)))
            """) != 0
    }

    private func vacuum(
        _ connection: RawConnection, into file: NewFile, _ step: CopyStep
    ) throws(SealedFileError) {
        let watch = ProgressWatch(path: file.temporaryPath, step: step, handler: progress)
        let uri = try place.uri(file.temporaryPath)
        try watch.watching(connection) { () throws(SealedFileError) in
            do throws(SealedFileError) {
                // A bound parameter, because a path may contain a quote.
                try connection.query("VACUUM INTO ?1", bind: [.text(uri)])
            } catch {
                // SQLite's message names the connection, which is the source's.
                guard error.code == .diskFull else { throw error }
                throw SealedFileError(
                    .diskFull, "no room for \"\(file.path)\": the disk or the user's quota is full",
                    hint: "free space there, or choose another folder")
            }
        }
    }

    private func compare(_ copy: RawConnection, _ facts: Facts) throws(SealedFileError) -> CopyReport {
        var comparison = ContentComparison(source: source, copy: copy, progress: progress)
        try comparison.run()
        var reserved: CInt = -1
        _ = unsafe withUnsafeMutablePointer(to: &reserved) { unsafe copy.control(SQLITE_FCNTL_RESERVE_BYTES, $0) }
        let madePageSize = Int(try copy.integer("PRAGMA page_size"))
        let wanted = wanted(facts)
        guard madePageSize == wanted else {
            throw SealedFileError(
                .internalFailure,
                "the copy of \"\(source.path)\" has pages of \(madePageSize) bytes instead of \(wanted)")
        }
        return CopyReport(
            tableCount: comparison.tableCount, rowCount: comparison.rowCount, pageCount: 0, pageSize: madePageSize,
            sourcePageSize: facts.pageSize, journalMode: facts.journalMode == "wal" ? "wal" : "delete",
            reservedByteCount: Int(reserved),
            byteCount: FilePermissions.size(of: destination.temporaryPath))
    }
}

/// One of the passes of a copy, each of which writes about as many bytes as the source has.
private struct CopyStep {
    let byteCount: Int64
    let stepCount: Int64
    let index: Int64

    func progress(written: Int64) -> CopyProgress {
        CopyProgress(
            phase: .copying, completed: index * byteCount + min(written, byteCount), total: stepCount * byteCount)
    }
}

/// Reports the growth of a file while SQLite runs a statement, and interrupts the statement on request.
private final class ProgressWatch {
    private let path: String
    private let step: CopyStep
    private let handler: CopyProgressHandler
    private var isCancelled = false

    /// The number of SQLite VM instructions between two calls of the handler: some milliseconds.
    private static let stepCount: CInt = 100_000

    init(path: String, step: CopyStep, handler: @escaping CopyProgressHandler) {
        self.path = path
        self.step = step
        self.handler = handler
    }

    /// Runs statements that the handler may cancel.
    func watching(
        _ connection: RawConnection, _ body: () throws(SealedFileError) -> Void
    ) throws(SealedFileError) {
        do throws(SealedFileError) {
            if !report() { throw .copyCancelled }
            try unsafe ProgressHandler.run(
                on: connection.handle, every: Self.stepCount, { _ in !self.report() }, body)
        } catch {
            throw isCancelled ? .copyCancelled : error
        }
    }

    private func report() -> Bool {
        let goesOn = handler(step.progress(written: FilePermissions.size(of: path)))
        if !goesOn { isCancelled = true }
        return goesOn
    }
}

extension SealedFileError {
    static let copyCancelled = SealedFileError(
        .cancelled, "encrypting or decrypting was cancelled, and the unfinished copy was removed")

    /// Returns this error with a clearer reason if it is one of those that SQLite reports for a source that can't be
    /// opened.
    fileprivate func explained(_ source: RawConnection) -> SealedFileError {
        switch unsafe sqlite3_extended_errcode(source.handle) {
        case SQLITE_NOTADB:
            return SealedFileError(
                .notSealed, "\"\(source.path)\" isn't an SQLite database, or it is one that another product encrypted",
                hint: "let that product write an unencrypted copy first, and use the copy")
        case SQLITE_READONLY_ROLLBACK, SQLITE_READONLY_RECOVERY:
            return SealedFileError(
                .busy,
                "\"\(source.path)\" can't be read without writing: a crash left an unfinished transaction",
                hint: "open it once with write permission for it and its folder, so that SQLite ends the transaction, "
                    + "then try again")
        case SQLITE_READONLY_DIRECTORY, SQLITE_READONLY_CANTINIT, SQLITE_CANTOPEN:
            // A reason that the encrypting VFS recorded is clearer.
            let isOfSQLite = hint == nil && [.permission, .inputOutput].contains(code)
            return isOfSQLite ? .unopenableSidecar(of: source.path) : self
        default:
            return self
        }
    }

    /// Returns the error for a database whose -wal, -shm or -journal file SQLite can't open or create.
    private static func unopenableSidecar(of path: String) -> SealedFileError {
        let isForbidden =
            unsafe access(FilePath.folder(of: path), W_OK | X_OK) != 0
            || ["-wal", "-shm", "-journal"].contains { suffix in
                unsafe access(path + suffix, F_OK) == 0 && access(path + suffix, R_OK | W_OK) != 0
            }
        let reason = "\"\(path)\" can't be read, because its -wal, -shm or -journal file can't be opened"
        return isForbidden
            ? SealedFileError(
                .permission, "\(reason): no permission",
                hint: "in WAL mode SQLite needs them even to read: copy the database to a folder that can be written")
            : SealedFileError(
                .inputOutput, reason, hint: "look at these files: something else may be in the place of one")
    }
}
