import CSQLite
import SealiteCrypto

/// A file that SQLite opens: its name, its flags and the base VFS's file.
@safe struct OpenRequest {
    let name: UnsafePointer<CChar>?
    let flags: CInt
    let base: BaseFile
    let baseVFS: String

    private static let kinds: CInt =
        SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_MAIN_JOURNAL
        | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_SUBJOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL

    var path: String { unsafe name.map { unsafe String(cString: $0) } ?? "" }

    /// The object for a file that the base VFS has just opened.
    func makeFile() throws(VFSFailure) -> VFSFile {
        guard let name = unsafe name else { return try makeTemporaryFile() }
        switch flags & Self.kinds {
        case SQLITE_OPEN_MAIN_DB:
            // As other products are given their keys; ignored, it would seem to have worked.
            for word in ["key", "hexkey", "textkey"] where unsafe sqlite3_uri_parameter(name, word) != nil {
                throw VFSFailure(SQLITE_CANTOPEN, .keyInURI(word))
            }
            let file = try unsafe MainFile(
                base: base,
                origin: FileOrigin(
                    path: path, nameKey: UInt(bitPattern: name), baseVFS: baseVFS,
                    template: flags & SQLITE_OPEN_CREATE != 0 ? CreationTemplate.find(name) : nil,
                    handleNumber: sqlite3_uri_parameter(name, KeyRegistry.handleParameter)
                        .flatMap { unsafe Int(String(cString: $0)) }))
            LiveFiles.add(file)
            return file
        case SQLITE_OPEN_MAIN_JOURNAL:
            // Not of a database of ours: another file's recovery looks for a super-journal's name, in clear.
            guard let main = unsafe LiveFiles.database(ofJournal: name) else { return VFSFile(base: base) }
            let file = JournalFile(base: base, main: main, ring: try main.keys.load()?.ring)
            main.journal = file
            return file
        case SQLITE_OPEN_WAL:
            guard let main = unsafe LiveFiles.database(ofWAL: name) else {
                throw VFSFailure(SQLITE_CANTOPEN, SealedFileError(.internalFailure, "a WAL without its database"))
            }
            let file = WALFile(base: base, main: main, ring: try main.keys.require().ring)
            main.wal = file
            return file
        case SQLITE_OPEN_SUPER_JOURNAL:
            // In clear: file names only, and every process that recovers must be able to read it.
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
    static func keyInURI(_ parameter: String) -> SealedFileError {
        SealedFileError(
            .refused,
            "the URI parameter \"\(parameter)\" does nothing on a sealed database: keys never travel in a URI",
            hint: "unlock the file before opening it, and change keys with 'sealite key'")
    }
}
