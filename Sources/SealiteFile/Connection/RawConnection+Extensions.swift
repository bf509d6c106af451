import CSQLite
import Glibc

extension RawConnection {
    /// Opens a connection to an empty database in memory. `path` is for messages.
    package static func inMemory(path: String) throws(SealedFileError) -> RawConnection {
        try RawConnection(
            uri: "file::memory:", path: path,
            flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY)
    }

    /// Loads SQLite extensions on this connection. Loading is enabled for these calls only.
    package func load(extensions paths: [String]) throws(SealedFileError) {
        guard !paths.isEmpty else { return }
        unsafe sealite_configure(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1)
        defer { unsafe sealite_configure(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0) }
        for path in paths { try load(extension: path) }
    }

    private func load(extension path: String) throws(SealedFileError) {
        if let reason = FilePermissions.reasonNotToOpen(path) { throw reason }
        // The system's loader looks for a name without a folder in its own folders.
        let place = path.contains("/") ? path : "./" + path
        // SQLite tries further names if this one can't be loaded, and gives the reason for the last.
        guard let library = unsafe dlopen(place, RTLD_NOW) else {
            throw unsafe Self.unloadable(path, dlerror())
        }
        defer { unsafe dlclose(library) }
        var message: UnsafeMutablePointer<CChar>?
        let code = unsafe sqlite3_load_extension(handle, place, nil, &message)
        defer { unsafe sqlite3_free(message) }
        guard code == SQLITE_OK else { throw unsafe Self.unloadable(path, message) }
        extensions.append(path)
    }

    private static func unloadable(_ path: String, _ reason: UnsafePointer<CChar>?) -> SealedFileError {
        let reason = unsafe reason.map { unsafe ": " + String(cString: $0) } ?? ""
        return SealedFileError(
            .invalidArgument, "the SQLite extension \"\(path)\" can't be loaded\(reason)",
            hint: "name a loadable extension of SQLite that is built for this system")
    }
}
