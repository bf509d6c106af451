import CSQLite
import Synchronization

/// The database files open through the encrypting VFS in this process, found by the address of the name that SQLite
/// gave them.
///
/// SQLite builds the names of a journal and a WAL into the buffer that holds the database's name, so the name's address
/// identifies the database. A name outside such a buffer belongs to no pager of this VFS: it is a super-journal's list,
/// read while another file recovers.
enum LiveFiles {
    /// An unretained reference: a file is removed when it closes, and found only by its own connection, whose SQLite
    /// mutex prevents a concurrent close.
    // Sendable: only carried through the table, under its lock; the file is used by its own connection alone.
    private struct Entry: @unchecked Sendable {
        unowned(unsafe) let file: MainFile
    }

    private static let files = Mutex<[UInt: Entry]>([:])

    static var isEmpty: Bool { files.withLock { $0.isEmpty } }

    static func add(_ file: MainFile) {
        let entry = Entry(file: file)
        files.withLock { $0[file.origin.nameKey] = entry }
    }

    static func remove(_ file: MainFile) {
        let entry = files.withLock { $0.removeValue(forKey: file.origin.nameKey) }
        assert(unsafe entry?.file === file, "a file is removed once, and before its name is freed")
    }

    /// Returns the open database whose rollback journal has this name in its pager's buffer; nil if there is none.
    static func database(ofJournal name: UnsafePointer<CChar>) -> MainFile? {
        unsafe database(of: name, sqlite3_filename_journal)
    }

    /// Returns the open database whose WAL has this name in its pager's buffer; nil if there is none.
    static func database(ofWAL name: UnsafePointer<CChar>) -> MainFile? {
        unsafe database(of: name, sqlite3_filename_wal)
    }

    private static func database(
        of name: UnsafePointer<CChar>, _ sidecar: (UnsafePointer<CChar>?) -> UnsafePointer<CChar>?
    ) -> MainFile? {
        guard let database = unsafe sqlite3_filename_database(name),
            let entry = files.withLock({ $0[UInt(bitPattern: database)] })
        else { return nil }
        return unsafe sidecar(database) == name ? entry.file : nil
    }
}
