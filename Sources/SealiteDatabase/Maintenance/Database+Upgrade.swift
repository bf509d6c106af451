package import SealiteFile

extension Database {
    /// Changes the database's versioning from revision trees to version vectors, and closes the database: open it again
    /// to use it. If the database has version vectors already, it is only closed.
    ///
    /// Each document keeps its revision id until its next change, whose version descends from that revision. The
    /// revision ids of its tree are kept, so that peers recognize changes after the upgrade as descendants of revisions
    /// before it. An upgrade can't be undone, and takes the same time for any number of documents. Other programs that
    /// have the database open can continue to read it; their next change fails with `notOpen`, and they have to open it
    /// again.
    ///
    /// A database with version vectors replicates with other such databases, with Couchbase Lite 4 and with Sync
    /// Gateway 4, but not with databases with revision trees: upgrade all databases that replicate with each other.
    ///
    /// - Throws: `invalidParameter` inside a transaction or a read of this database.
    public func upgradeToVersionVectors() throws {
        guard writer.current == nil, readers.current == nil else {
            throw DatabaseError(
                .invalidParameter,
                "a database can't be upgraded to version vectors inside its own transaction or read")
        }
        if versioning != .vectors {
            try writer.perform(self) { transaction in
                try VersionStamp.setVectors(place: configuration.sourcePlace(opener.path), in: transaction.connection)
            }
        }
        try close()
    }

    /// Returns the versioning of the document database on a connection, revision trees or version vectors; nil if the
    /// program doesn't know it, or if the database has no table of properties.
    ///
    /// - Throws: `SealedFileError` if reading fails.
    package static func versioning(of connection: RawConnection) throws(SealedFileError) -> DocumentVersioning? {
        guard try hasProperties(connection) else { return nil }
        guard let name = try property("versioning", of: connection) else { return .trees }
        return DocumentVersioning(rawValue: String(decoding: name, as: UTF8.self))
    }

    /// Returns a property of the document database on a connection; nil if there is none.
    ///
    /// - Throws: `SealedFileError` if reading fails.
    static func property(_ name: String, of connection: RawConnection) throws(SealedFileError) -> [UInt8]? {
        guard try hasProperties(connection) else { return nil }
        return try connection.rows(
            "SELECT CAST(value AS BLOB) FROM properties WHERE name = ?1", bind: [.text(name)]
        ) { $0.optionalBlob(0) }.last ?? nil
    }

    /// Returns whether the table of properties is that of the format. A file that somebody else made may have an endless
    /// view under its name.
    private static func hasProperties(_ connection: RawConnection) throws(SealedFileError) -> Bool {
        let part = FormatTables.parts[0]
        return try connection.rows(
            "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1", bind: [.text(part.name)]
        ) { SchemaTexts.areEqual($0.text(0) ?? "", part.sql) }.last ?? false
    }
}
