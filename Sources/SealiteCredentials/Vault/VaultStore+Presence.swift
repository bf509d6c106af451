package import SealiteFile

extension VaultStore {
    /// Returns whether the database of a connection is a vault: by its application id, or, where that was changed, by its table.
    /// Both are sealed content, which only a key changes.
    ///
    /// - Throws: `SealedFileError`, as reading the schema does.
    package static func isPresent(in connection: RawConnection) throws(SealedFileError) -> Bool {
        if try connection.integer("PRAGMA application_id") == VaultTable.applicationID { return true }
        let names = ["service", "account", "kind", "sealed"].map { "'\($0)'" }.joined(separator: ", ")
        return try connection.integer(
            "SELECT count(*) FROM pragma_table_info('credentials') WHERE name IN (\(names))") == 4
    }
}
