internal import SealiteCrypto
internal import SealiteFile
internal import SealiteMaintenance
internal import SealiteRevisions

/// The rows of a damaged file that identify the database and its peers.
struct SalvagedSchemaRows {
    private let salvage: GuidedSalvage
    private var connection: RawConnection { salvage.connection }

    /// The names of the indexes, besides the indexes of documents, whose entries contain the values of lost rows.
    static let indexNames: Set<String> = [
        "sqlite_autoindex_collections_1", "sqlite_autoindex_blobs_1", "sqlite_autoindex_remotes_1",
    ]
    private static let identities = ["publicUUID", "privateUUID"]

    init(_ salvage: GuidedSalvage) { self.salvage = salvage }

    /// Restores the UUIDs that identify the database, and the remotes.
    ///
    /// - Returns: true if a UUID is new, because the old one is lost.
    func place() throws(SealedFileError) -> Bool {
        let names = (Self.identities + ["previousPrivateUUID"]).map { "'\($0)'" }.joined(separator: ", ")
        let found =
            "\(GuidedSalvage.entries) WHERE rootpgno NOT IN (\(salvage.knownRoots)) AND nfield = 2"
            + " AND c0 IN (\(names)) AND typeof(c1) = 'blob' AND length(c1) = 16"
        try connection.execute("INSERT OR IGNORE INTO properties (name, value) SELECT c0, c1 FROM \(found)")
        try connection.execute("DELETE FROM \(found)")
        var isNew = false
        for name in Self.identities {
            let count = try connection.integer(
                "SELECT count(*) FROM properties WHERE name = '\(name)' AND typeof(value) = 'blob' AND length(value) = 16"
            )
            guard count == 0 else { continue }
            isNew = true
            try connection.query(
                "INSERT OR REPLACE INTO properties (name, value) VALUES (?1, ?2)",
                bind: [.text(name), .blob(try Self.newUUID())])
        }
        try placeRemotes()
        return isNew
    }

    /// Sets the versioning of the new file to version vectors, if the damaged file states it or salvaged documents have
    /// versions. The new file gets a new source id, because the damaged file may continue to write versions with the
    /// old one.
    func keepVersions(_ collections: [Int]) throws(SealedFileError) {
        var count = try connection.integer(
            "SELECT count(*) FROM properties WHERE name = 'versioning' AND value IS NOT 'trees'")
        for number in collections where count == 0 {
            count = try connection.integer(
                """
                SELECT EXISTS (SELECT 1 FROM documents_\(number)
                WHERE length(revision) = \(1 + SourceVersion.storedByteCount) AND substr(revision, 1, 1) = x'01')
                """)
        }
        guard count > 0 else { return }
        try connection.execute("DELETE FROM properties WHERE name = 'sourcePlace'")
        try connection.query(
            "INSERT OR REPLACE INTO properties (name, value) VALUES ('versioning', ?1), ('source', ?2)",
            bind: [.text(DocumentVersioning.vectors.rawValue), .blob(try Self.newUUID())])
    }

    private static func newUUID() throws(SealedFileError) -> [UInt8] {
        do {
            return try UUIDBytes.random()
        } catch {
            throw SealedFileError(.internalFailure, "generating the UUID of the salvaged database failed: \(error)")
        }
    }

    private func placeRemotes() throws(SealedFileError) {
        if let root = salvage.roots["sqlite_autoindex_remotes_1"] {
            try connection.execute(
                """
                INSERT OR IGNORE INTO remotes (number, name) SELECT c1, c0 FROM \(GuidedSalvage.entries)
                WHERE rootpgno = \(root) AND nfield = 2 AND typeof(c0) = 'text' AND typeof(c1) = 'integer'
                """)
        }
        let found =
            "\(salvage.lostAndFound) WHERE nfield = 2 AND id > 0 AND typeof(c0) = 'null' AND typeof(c1) = 'text'"
        try connection.execute("INSERT OR IGNORE INTO remotes (number, name) SELECT id, c1 FROM \(found)")
        try connection.execute("DELETE FROM \(found)")
    }

    /// Reserves the numbers that revision trees use for peers whose row is lost: another peer with such a number would
    /// be assumed to have the revisions of the lost peer.
    func keepRemoteNumbers(_ collections: [Int]) throws(SealedFileError) {
        guard let remotes = salvage.table("remotes"), remotes.isComplete else {
            return try keepUsedNumbers(collections)
        }
    }

    private func keepUsedNumbers(_ collections: [Int]) throws(SealedFileError) {
        var used: Set<Int> = []
        for number in collections {
            try connection.query(
                "SELECT revision, tree, flags FROM documents_\(number) WHERE substr(tree, 1, 1) IN (x'02', x'03')"
            ) {
                (row) throws(SealedFileError) in
                guard let current = RevisionID(stored: row.blob(0)),
                    let tree = try? RevisionTree(
                        stored: row.blob(1), current: current, isDeleted: row.integer(2) & 1 != 0)
                else { return }
                used.formUnion(tree.remotes.keys)
            }
        }
        for number in used {
            try connection.query(
                "INSERT OR IGNORE INTO remotes (number, name) VALUES (?1, ?2)",
                bind: [.integer(Int64(number)), .text("lost-\(number)")])
        }
    }
}
