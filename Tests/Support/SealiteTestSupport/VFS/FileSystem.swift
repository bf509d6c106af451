internal import CTestVFS

/// The storage of a test VFS's files.
protocol FileSystem: AnyObject, Sendable {
    /// Opens the file of a name, which SQLite keeps while it is open; with nil a file that vanishes when closed. Sets the
    /// `SQLITE_OPEN_…` flags to what was granted.
    func open(_ name: UnsafePointer<CChar>?, flags: inout CInt) throws(ResultCode) -> any OpenFile

    func delete(_ path: String, syncsFolder: Bool) throws(ResultCode)
    func access(_ path: String, flags: CInt) throws(ResultCode) -> Bool
    func fullPath(_ path: String) throws(ResultCode) -> String
}

/// One open file: what SQLite asks of `sqlite3_io_methods`, version 2.
protocol OpenFile: AnyObject {
    func close() throws(ResultCode)
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ResultCode)
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(ResultCode)
    func truncate(to size: Int64) throws(ResultCode)
    func sync(_ flags: CInt) throws(ResultCode)
    func size() throws(ResultCode) -> Int64

    func lock(_ level: CInt) throws(ResultCode)
    func unlock(_ level: CInt) throws(ResultCode)
    func hasReservedLock() throws(ResultCode) -> Bool

    func control(_ operation: CInt, _ argument: UnsafeMutableRawPointer?) throws(ResultCode)
    var sectorSize: CInt { get }
    var characteristics: CInt { get }

    func mapSharedMemory(_ region: Int, size: Int, extends: Bool) throws(ResultCode) -> UnsafeMutableRawPointer?
    func lockSharedMemory(_ slots: Range<Int>, flags: CInt) throws(ResultCode)
    func sharedMemoryBarrier()
    func unmapSharedMemory(deletes: Bool) throws(ResultCode)
}

/// SQLite's use of a file.
package enum FileKind: String, Sendable, CaseIterable {
    case main, temporary, transient, journal, temporaryJournal, statementJournal, superJournal, wal

    /// The kind that `SQLITE_OPEN_…` flags name.
    init(flags: CInt) {
        self =
            switch flags & 0x0F_FF00 {
            case let type where type & SQLITE_OPEN_WAL != 0: .wal
            case let type where type & SQLITE_OPEN_MAIN_JOURNAL != 0: .journal
            case let type where type & SQLITE_OPEN_SUPER_JOURNAL != 0: .superJournal
            case let type where type & SQLITE_OPEN_SUBJOURNAL != 0: .statementJournal
            case let type where type & SQLITE_OPEN_TEMP_JOURNAL != 0: .temporaryJournal
            case let type where type & SQLITE_OPEN_TEMP_DB != 0: .temporary
            case let type where type & SQLITE_OPEN_TRANSIENT_DB != 0: .transient
            default: .main
            }
    }

    /// The kind that SQLite's naming rules give the file at `path`.
    init(path: String) {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if name.hasSuffix("-journal") {
            self = .journal
        } else if name.hasSuffix("-wal") {
            self = .wal
        } else if name.contains("-mj") {
            self = .superJournal
        } else {
            self = .main
        }
    }

    /// A Boolean value that says whether the unix VFS syncs the folder with the first sync of a new file of this kind.
    var syncsFolderWhenNew: Bool { self == .journal || self == .wal || self == .superJournal }
}
