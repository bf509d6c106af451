import CSQLite
import SealiteBase

/// A request of SQLite to open a file: its name, its flags and the base VFS's file.
@safe struct OpenRequest {
    let name: UnsafePointer<CChar>?
    let flags: CInt
    let base: BaseFile
    let baseVFS: String
    let creation: FileOrigin.Creation

    private static let kinds: CInt =
        SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_MAIN_JOURNAL
        | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_SUBJOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL

    var path: String { unsafe name.map { unsafe String(cString: $0) } ?? "" }

    /// Creates the object for a file that the base VFS has just opened.
    func makeFile() throws(VFSFailure) -> VFSFile {
        guard let name = unsafe name else { return try makeTemporaryFile() }
        switch flags & Self.kinds {
        case SQLITE_OPEN_MAIN_DB:
            // Parameters by which other products receive keys. Ignoring them would appear to work.
            for word in ["key", "hexkey", "textkey"] where unsafe sqlite3_uri_parameter(name, word) != nil {
                throw VFSFailure(SQLITE_CANTOPEN, .keyInURI(word))
            }
            guard unsafe sqlite3_uri_boolean(name, "psow", 1) != 0 else {
                throw VFSFailure(SQLITE_CANTOPEN, .withoutPowersafeOverwrite)
            }
            let file = try unsafe MainFile(
                base: base,
                origin: FileOrigin(
                    path: path, nameKey: UInt(bitPattern: name), baseVFS: baseVFS,
                    template: flags & SQLITE_OPEN_CREATE != 0 ? CreationTemplate.find(name) : nil,
                    creation: creation,
                    handleNumber: sqlite3_uri_parameter(name, KeyRegistry.handleParameter)
                        .flatMap { unsafe Int(String(cString: $0)) }))
            LiveFiles.add(file)
            return file
        case SQLITE_OPEN_MAIN_JOURNAL:
            // The file isn't the journal of a sealed database that is open. SQLite opens it during the recovery of
            // another file, to look for the name of a super-journal, which is stored in clear text.
            guard let main = unsafe LiveFiles.database(ofJournal: name) else { return VFSFile(base: base) }
            assert(main.journal == nil, "a database has one journal open")
            let file = JournalFile(base: base, main: main, ring: try main.keys.load()?.ring)
            main.journal = file
            return file
        case SQLITE_OPEN_WAL:
            guard let main = unsafe LiveFiles.database(ofWAL: name) else {
                throw VFSFailure(
                    SQLITE_CANTOPEN,
                    SealedFileError(.internalFailure, "SQLite opened a write-ahead log whose database isn't open"))
            }
            assert(main.wal == nil, "a database has one log open")
            let file = WALFile(base: base, main: main, ring: try main.keys.require().ring)
            main.wal = file
            return file
        case SQLITE_OPEN_SUPER_JOURNAL:
            // In clear text: it contains file names only, and every process that recovers must be able to read it.
            return VFSFile(base: base)
        default:
            return try makeTemporaryFile()
        }
    }

    private func makeTemporaryFile() throws(VFSFailure) -> VFSFile {
        try sealing { () throws(SealedFileError) in try TemporaryFile(sealing: base) }
    }
}

extension SealedFileError {
    /// The error for a database opened without powersafe overwrite: SQLite would pad the WAL to sectors and split
    /// frames, which are sealed whole.
    static let withoutPowersafeOverwrite = SealedFileError(
        .refused, "a sealed database can't be opened with psow=0: its WAL frames are written whole",
        hint: "omit psow, and keep the file on storage where a power loss damages only the bytes that are being written"
    )

    static func keyInURI(_ parameter: String) -> SealedFileError {
        SealedFileError(
            .refused,
            "the URI parameter \"\(parameter)\" is refused: the key of a sealed database is never given in a URI",
            hint: FileRemedy.unlockBeforeOpening.hint)
    }
}
