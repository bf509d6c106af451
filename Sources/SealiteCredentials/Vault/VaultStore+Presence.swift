package import SealiteFile

extension VaultStore {
    /// Returns whether the database of a connection is a vault, according to its application id or, if that was
    /// changed, to its table. Both are sealed content, which can be changed only with a key.
    ///
    /// - Throws: `SealedFileError` if the schema can't be read.
    package static func isPresent(in connection: RawConnection) throws(SealedFileError) -> Bool {
        if try connection.integer("PRAGMA application_id") == VaultTable.applicationID { return true }
        let names = ["service", "account", "kind", "sealed"].map { "'\($0)'" }.joined(separator: ", ")
        return try connection.integer(
            "SELECT count(*) FROM pragma_table_info('credentials') WHERE name IN (\(names))") == 4
    }
}
