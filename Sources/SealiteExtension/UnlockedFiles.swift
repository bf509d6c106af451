import SealiteCrypto
import SealiteFile
import Synchronization

/// The files that were unlocked through SQL in this process, until `sealite_lock`.
enum UnlockedFiles {
    private static let handles = Mutex<[String: SealedDatabase]>([:])

    /// Unlocks a file and keeps its handle. If the file was unlocked before, the new handle replaces the older one;
    /// open connections continue with the older handle's keys.
    ///
    /// A recovery slot of an earlier version, which doesn't prove who created the file, is refused, because SQL can't
    /// report a warning.
    static func unlock(_ path: String, with key: borrowing UnlockKey) throws(SealedFileError) -> SealedDatabase {
        let database = try SealedDatabase.open(try plainPath(path), key: key)
        handles.withLock { $0[database.databaseID] = database }
        return database
    }

    /// Wipes the keys of a file.
    ///
    /// - Returns: false if no file was unlocked at this path.
    static func lock(_ path: String) throws(SealedFileError) -> Bool {
        let path = try plainPath(path)
        let unlocked = handles.withLock { handles in
            let found = handles.filter { $0.value.path == path }
            for entry in found { handles[entry.key] = nil }
            return Array(found.values)
        }
        for database in unlocked { database.lock() }
        return !unlocked.isEmpty
    }

    private static func plainPath(_ path: String) throws(SealedFileError) -> String {
        guard !path.hasPrefix("file:") else {
            throw SealedFileError(
                .invalidArgument, "\"\(path)\" is a URI", hint: "give the path alone; the URI is for opening the file")
        }
        return path
    }
}
