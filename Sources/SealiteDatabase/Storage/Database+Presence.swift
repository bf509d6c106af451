package import SealiteFile

extension Database {
    /// Returns whether the database of a connection is one of documents: by its application id, or, where that was changed, by its
    /// tables. Both are sealed content, which only a key changes.
    ///
    /// - Throws: `SealedFileError`, as reading the schema does.
    package static func isPresent(in connection: RawConnection) throws(SealedFileError) -> Bool {
        if try connection.integer("PRAGMA application_id") == Schema.applicationID { return true }
        let names = ["collections", "properties", "blob_references", "documents_\(Schema.defaultCollectionNumber)"]
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        let count = try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND lower(name) IN (\(list))")
        return count == names.count
    }
}
