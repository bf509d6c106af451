package import SealiteFile

extension Database {
    /// Returns whether the file of a connection is a document database, according to its application id or, if that was
    /// changed, to its tables. Both are sealed content, which can be changed only with a key.
    ///
    /// - Throws: `SealedFileError` if the schema can't be read.
    package static func isPresent(in connection: RawConnection) throws(SealedFileError) -> Bool {
        if try connection.integer("PRAGMA application_id") == Schema.applicationID { return true }
        let names = ["collections", "properties", "blob_references", "documents_\(Schema.defaultCollectionNumber)"]
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        let count = try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND lower(name) IN (\(list))")
        return count == names.count
    }
}
