import CSQLite
internal import SealiteBase

/// Refuses, with a reason, pragmas that have no effect on a sealed file. https://sqlite.org/pragma.html
enum PragmaRules {
    /// Pragmas of encrypting forks of SQLite. The stock library would silently ignore them.
    private static let foreignNames: Set<String> = [
        "key", "rekey", "hexkey", "hexrekey", "textkey", "textrekey", "activate_extensions",
        "kdf_iter", "fast_kdf_iter", "hmac_check", "mc_legacy_wal",
    ]

    /// Throws a failure with code `SQLITE_ERROR` for a pragma that has no effect on a sealed file, and with
    /// `SQLITE_NOTFOUND`, by which SQLite handles the pragma itself, for any other. `argument` is SQLite's `char *[3]`:
    /// an output parameter for a message, the pragma's name and its value.
    static func check(_ argument: UnsafeMutableRawPointer?, pageSize: Int?) throws(VFSFailure) {
        guard let argument = unsafe argument else { throw VFSFailure(SQLITE_NOTFOUND) }
        let words = unsafe argument.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
        guard let nameWord = unsafe words[1] else { throw VFSFailure(SQLITE_NOTFOUND) }
        let name = unsafe String(cString: nameWord).lowercased()
        let value = unsafe words[2].map { unsafe String(cString: $0) }
        guard let refusal = refusal(name, value, pageSize: pageSize) else { throw VFSFailure(SQLITE_NOTFOUND) }
        unsafe words[0] = unsafe sealite_copy_string(refusal.description)
        throw VFSFailure(SQLITE_ERROR, refusal)
    }

    static func refusal(_ name: String, _ value: String?, pageSize: Int?) -> SealedFileError? {
        if foreignNames.contains(name) || name.hasPrefix("cipher") {
            return SealedFileError(
                .refused,
                "PRAGMA \(name) is refused on a sealed database: its keys and encryption are never set in SQL",
                hint: FileRemedy.unlockBeforeOpening.hint)
        }
        if name == "page_size", let value, let pageSize, Int(value) != pageSize {
            return SealedFileError(
                .refused, "the page size of a sealed database is fixed at creation (\(pageSize) bytes)",
                hint: FileRemedy.changePageSize.hint)
        }
        return nil
    }
}
