import Glibc
import SealiteFile
import Synchronization

/// The sealed files that were unlocked through SQL in this process and not locked since.
enum UnlockedFiles {
    /// A path as it was given, and the absolute path to which it led at that time.
    private struct Place: Hashable {
        let path: String
        let absolutePath: String

        init(_ path: String) throws(SealedFileError) {
            guard !path.hasPrefix("file:") else {
                throw SealedFileError(
                    .invalidArgument, "\"\(path)\" is a URI, and a path is needed to unlock or lock a file",
                    hint: "give the path alone; the URI is for opening the file")
            }
            self.path = path
            let resolved = unsafe realpath(path, nil)
            absolutePath = unsafe resolved.map { unsafe String(cString: $0) } ?? path
            unsafe free(resolved)
        }
    }

    private static let handles = Mutex<[Place: SealedDatabase]>([:])

    /// Unlocks a file, keeps its handle and returns it. If the file was unlocked before under the same path, its handle
    /// gets the keys that `key` opens, so that `lock(_:)` reaches every connection.
    static func unlock(_ path: String, with key: borrowing UnlockKey) throws(SealedFileError) -> SealedDatabase {
        let place = try Place(path)
        if let known = handles.withLock({ $0[place] }) {
            do throws(SealedFileError) {
                try known.unlockAgain(key: key)
                return known
            } catch {
                // Another database may have replaced the file, or another thread may have locked it meanwhile.
                guard error.code == .fileReplaced || error.code == .locked else { throw error }
            }
        }
        let opened = try SealedDatabase.open(path, key: key)
        let (kept, unneeded) = handles.withLock { handles -> (SealedDatabase, SealedDatabase?) in
            let known = handles[place]
            // Another thread may have unlocked the file meanwhile.
            if let known, known.databaseID == opened.databaseID { return (known, opened) }
            handles[place] = opened
            return (opened, known)
        }
        unneeded?.lock()
        return kept
    }

    /// Wipes the keys of a file from memory, whichever paths it was unlocked under.
    ///
    /// - Returns: false if no file was unlocked at this path.
    static func lock(_ path: String) throws(SealedFileError) -> Bool {
        let place = try Place(path)
        let unlocked = handles.withLock { handles in
            let found = handles.filter { $0.key.absolutePath == place.absolutePath }
            for entry in found { handles[entry.key] = nil }
            return Array(found.values)
        }
        for database in unlocked { database.lock() }
        return !unlocked.isEmpty
    }
}
