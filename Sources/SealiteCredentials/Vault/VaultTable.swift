internal import FoundationEssentials
internal import SealiteFile

/// The table of a vault, accessed through one connection. Used from one thread at a time.
struct VaultTable {
    private let connection: RawConnection

    /// Prepares a connection, and refuses a database that isn't a vault.
    init(_ connection: RawConnection) throws(CredentialError) {
        self.connection = connection
        try Self.mapped { () throws(SealedFileError) in
            // Deleted data must not stay in free pages, and SQLite's temporary data must not be written to files.
            try connection.execute("PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF")
        }
        let (identifier, version) = try Self.mapped { () throws(SealedFileError) in
            (try connection.integer("PRAGMA application_id"), try connection.integer("PRAGMA user_version"))
        }
        guard identifier == VaultFormat.applicationID else {
            throw CredentialError(
                .invalidArgument, "\"\(connection.path)\" is a sealed database, but no vault",
                hint: "name the file of a vault")
        }
        guard version == VaultFormat.version else {
            throw CredentialError(
                .unsupportedVersion,
                "the vault \"\(connection.path)\" has version \(version); this program reads \(VaultFormat.version)",
                hint: "use a newer Sealite")
        }
    }

    /// Creates and fills the table in a file that is being created.
    static func fill(_ connection: RawConnection, with rows: [VaultRow]) throws(SealedFileError) {
        try connection.execute("PRAGMA secure_delete=ON; BEGIN; \(VaultFormat.schema)")
        for row in rows { try insert(row, connection, onConflict: "") }
        try connection.execute("COMMIT")
    }

    /// Saves a row, replacing the one with its reference. Without `replacesLabel` the replaced row's label stays.
    func save(_ row: VaultRow, replacesLabel: Bool) throws(CredentialError) {
        let label = replacesLabel ? "label = excluded.label, " : ""
        try Self.mapped { () throws(SealedFileError) in
            try Self.insert(
                row, connection,
                onConflict: """
                    ON CONFLICT(service, account, kind)
                    DO UPDATE SET \(label)modified = excluded.modified, sealed = excluded.sealed
                    """)
        }
    }

    private static func insert(_ row: VaultRow, _ connection: RawConnection, onConflict: String) throws(SealedFileError)
    {
        try connection.query(
            """
            INSERT INTO credentials(service, account, kind, label, created, modified, sealed)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) \(onConflict)
            """,
            bind: key(row.reference) + [
                .text(row.label), .integer(seconds(row.created)), .integer(seconds(row.modified)), .blob(row.sealed),
            ])
    }

    /// Returns the sealed record of a reference; nil if there is none.
    func sealedRecord(of reference: CredentialReference) throws(CredentialError) -> [UInt8]? {
        var sealed: [UInt8]?
        try Self.mapped { () throws(SealedFileError) in
            try connection.query(
                "SELECT sealed FROM credentials WHERE service = ?1 AND account = ?2 AND kind = ?3",
                bind: Self.key(reference)
            ) { (row) throws(SealedFileError) in sealed = row.blob(0) }
        }
        return sealed
    }

    /// Removes the row of a reference.
    ///
    /// - Returns: false if there is none.
    func remove(_ reference: CredentialReference) throws(CredentialError) -> Bool {
        try Self.mapped { () throws(SealedFileError) in
            var isGone = false
            try connection.query(
                "DELETE FROM credentials WHERE service = ?1 AND account = ?2 AND kind = ?3 RETURNING 1",
                bind: Self.key(reference)
            ) { (row) throws(SealedFileError) in isGone = true }
            return isGone
        }
    }

    /// Returns the stored credentials without their sealed records, which aren't read. Rows of kinds that only a newer
    /// version knows are left out.
    func list(_ service: CredentialService?) throws(CredentialError) -> [CredentialMetadata] {
        try rows(service, columns: "service, account, kind, label, created, modified").map { row in
            CredentialMetadata(
                reference: row.reference, label: row.label, created: row.created, modified: row.modified,
                isLocked: false)
        }
    }

    /// Returns all rows with their sealed records.
    func allRows() throws(CredentialError) -> [VaultRow] {
        try rows(nil, columns: "service, account, kind, label, created, modified, sealed")
    }

    private func rows(_ service: CredentialService?, columns: String) throws(CredentialError) -> [VaultRow] {
        let condition = service.map { ("WHERE service = ?1", [SQLValue.text($0.canonical)]) } ?? ("", [])
        var found: [VaultRow] = []
        var strange: CredentialError?
        try Self.mapped { () throws(SealedFileError) in
            try connection.query("SELECT \(columns) FROM credentials \(condition.0)", bind: condition.1) {
                (row) throws(SealedFileError) in
                do throws(CredentialError) {
                    let reference = try CredentialReference(
                        service: row.text(0), account: row.text(1), kind: row.text(2))
                    guard let reference else { return }
                    found.append(
                        VaultRow(
                            reference: reference, label: row.text(3) ?? "", created: Self.date(row.integer(4)),
                            modified: Self.date(row.integer(5)), sealed: row.columnCount > 6 ? row.blob(6) : []))
                } catch {
                    strange = error
                }
            }
        }
        if let strange { throw strange }
        return found
    }

    private static func key(_ reference: CredentialReference) -> [SQLValue] {
        [.text(reference.service.canonical), .text(reference.account), .text(reference.kind.rawValue)]
    }

    private static func seconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970.rounded(.down)) }

    private static func date(_ seconds: Int64) -> Date { Date(timeIntervalSince1970: Double(seconds)) }

    private static func mapped<R>(_ body: () throws(SealedFileError) -> R) throws(CredentialError) -> R {
        do throws(SealedFileError) {
            return try body()
        } catch {
            throw CredentialError(vault: error)
        }
    }
}
