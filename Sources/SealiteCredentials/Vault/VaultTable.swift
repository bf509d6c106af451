internal import FoundationEssentials
internal import SealiteBase
internal import SealiteCrypto
internal import SealiteFile

/// The table of a vault, accessed through one connection. Used from one thread at a time.
package struct VaultTable {
    /// The value of `PRAGMA application_id` that marks a vault: "SVLT".
    static let applicationID: Int64 = 0x5356_4C54
    /// The version of the vault's format, which `PRAGMA user_version` contains.
    package static let version: Int64 = 1
    /// The label of the key that seals records. The key is derived from this label and the file's application key, a
    /// random key that the file's header contains in encrypted form.
    static let keyLabel = "vault record"

    private static let schema = """
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        \(definition)
        """

    /// The statement that creates the vault's only table.
    static let definition = """
        CREATE TABLE credentials(
          service TEXT NOT NULL, account TEXT NOT NULL, kind TEXT NOT NULL, label TEXT NOT NULL,
          created INTEGER NOT NULL, modified INTEGER NOT NULL, sealed BLOB NOT NULL,
          UNIQUE(service, account, kind)) STRICT;
        """

    private let connection: RawConnection
    /// The key that records are sealed with.
    private let key: SharedSecret

    /// Prepares a connection, and refuses a database that isn't a vault.
    init(_ connection: RawConnection, key: SharedSecret) throws(CredentialError) {
        (self.connection, self.key) = (connection, key)
        try inVault { () throws(SealedFileError) in
            // Deleted data must not stay in free pages, and SQLite's temporary data must not be written to files.
            try connection.execute("PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF")
        }
        let (identifier, version) = try inVault { () throws(SealedFileError) in
            (try connection.integer("PRAGMA application_id"), try connection.integer("PRAGMA user_version"))
        }
        guard identifier == Self.applicationID else {
            throw CredentialError.notVault(connection.path)
        }
        guard version == Self.version else {
            throw CredentialError(
                .unsupportedVersion,
                "the vault \"\(connection.path)\" has version \(version); this program reads \(Self.version)",
                hint: "use a newer Sealite")
        }
    }

    /// A row of the vault's table: the description of a credential, and its encrypted record.
    struct Row {
        fileprivate let metadata: CredentialMetadata
        fileprivate let sealed: [UInt8]

        /// Encrypts the record (the stored form) of a credential for its row.
        init(
            _ metadata: CredentialMetadata, record: borrowing SecretBytes, key: borrowing SecretBytes
        ) throws(CredentialError) {
            self.metadata = metadata
            sealed = try VaultTable.seal(record, as: metadata.reference, key: key)
        }
    }

    /// Creates the table in a new vault file, and inserts the rows.
    static func fill(_ connection: RawConnection, with rows: [Row]) throws(SealedFileError) {
        try connection.execute("PRAGMA secure_delete=ON; BEGIN; \(schema)")
        for row in rows { try insert(row, connection, onConflict: "") }
        try connection.execute("COMMIT")
    }

    /// Saves a credential's record, replacing the row with the same reference. If `label` is nil, a replaced row keeps
    /// its label, and a new one gets a standard label.
    func save(
        _ record: borrowing SecretBytes, as reference: CredentialReference, label: String?
    ) throws(CredentialError) {
        let now = Date()
        let row = try Row(
            CredentialMetadata(
                reference: reference, label: label ?? reference.standardLabel, created: now, modified: now,
                isLocked: false), record: record, key: key.secret)
        let newLabel = label == nil ? "" : "label = excluded.label, "
        try inVault { () throws(SealedFileError) in
            try Self.insert(
                row, connection,
                onConflict: """
                    ON CONFLICT(service, account, kind)
                    DO UPDATE SET \(newLabel)modified = excluded.modified, sealed = excluded.sealed
                    """)
        }
    }

    private static func insert(_ row: Row, _ connection: RawConnection, onConflict: String) throws(SealedFileError) {
        let (metadata, now) = (row.metadata, Date())
        try connection.query(
            """
            INSERT INTO credentials(service, account, kind, label, created, modified, sealed)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) \(onConflict)
            """,
            bind: columns(metadata.reference) + [
                .text(metadata.label), .integer(seconds(metadata.created ?? now)),
                .integer(seconds(metadata.modified ?? now)), .blob(row.sealed),
            ])
    }

    /// Returns the decrypted record (the stored form) of a credential; nil if the vault doesn't have it.
    func record(of reference: CredentialReference) throws(CredentialError) -> SecretBytes? {
        guard let sealed = try sealedRecord(of: reference) else { return nil }
        return try Self.open(sealed, as: reference, key: key.secret)
    }

    /// Adds the credential of a reference to a match, if the vault has it. A record that can't be decrypted is added as
    /// a failure, which the match throws only when that credential is requested.
    func load(_ reference: CredentialReference, into match: inout CredentialMatch) throws(CredentialError) {
        guard let sealed = try sealedRecord(of: reference) else { return }
        do throws(CredentialError) {
            match.keep(.success(SharedSecret(try Self.open(sealed, as: reference, key: key.secret))), as: reference)
        } catch {
            match.keep(.failure(error), as: reference)
        }
    }

    private func sealedRecord(of reference: CredentialReference) throws(CredentialError) -> [UInt8]? {
        var sealed: [UInt8]?
        try inVault { () throws(SealedFileError) in
            try connection.query(
                "SELECT sealed FROM credentials WHERE service = ?1 AND account = ?2 AND kind = ?3",
                bind: Self.columns(reference)
            ) { (row) throws(SealedFileError) in sealed = row.blob(0) }
        }
        return sealed
    }

    /// Removes the row of a reference.
    ///
    /// - Returns: false if there is none.
    func remove(_ reference: CredentialReference) throws(CredentialError) -> Bool {
        try inVault { () throws(SealedFileError) in
            var isGone = false
            try connection.query(
                "DELETE FROM credentials WHERE service = ?1 AND account = ?2 AND kind = ?3 RETURNING 1",
                bind: Self.columns(reference)
            ) { (row) throws(SealedFileError) in isGone = true }
            return isGone
        }
    }

    /// Returns the descriptions of the credentials of a service, or of all if it is nil, without reading the encrypted
    /// records. Rows of kinds that only a newer version knows are omitted.
    func list(_ service: CredentialService?) throws(CredentialError) -> [CredentialMetadata] {
        let condition = service.map { ("WHERE service = ?1", [SQLValue.text($0.canonical)]) } ?? ("", [])
        var found: [CredentialMetadata] = []
        var strange: CredentialError?
        try inVault { () throws(SealedFileError) in
            try connection.query(
                "SELECT service, account, kind, label, created, modified FROM credentials \(condition.0)",
                bind: condition.1
            ) { (row) throws(SealedFileError) in
                do throws(CredentialError) {
                    let reference = try CredentialReference(
                        service: row.text(0), account: row.text(1), kind: row.text(2))
                    guard let reference else { return }
                    found.append(
                        CredentialMetadata(
                            reference: reference, label: row.text(3) ?? "", created: Self.date(row.integer(4)),
                            modified: Self.date(row.integer(5)), isLocked: false))
                } catch {
                    strange = error
                }
            }
        }
        if let strange { throw strange }
        return found
    }

    private static func columns(_ reference: CredentialReference) -> [SQLValue] {
        [.text(reference.service.canonical), .text(reference.account), .text(reference.kind.rawValue)]
    }

    private static func seconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970.rounded(.down)) }

    private static func date(_ seconds: Int64) -> Date { Date(timeIntervalSince1970: Double(seconds)) }
}

extension CredentialReference {
    /// Creates a reference from a row of the table; nil if the kind is unknown, as one that a newer version wrote.
    /// Throws `damaged` if a value is missing or isn't valid.
    init?(service: String?, account: String?, kind: String?) throws(CredentialError) {
        guard let service, let account, let kind else { throw Self.notReference }
        guard let kind = CredentialKind(rawValue: kind) else { return nil }
        do throws(CredentialError) {
            try self.init(service: try CredentialService(service), account: account, kind: kind)
        } catch {
            throw Self.notReference
        }
        guard self.service.canonical == service else { throw Self.notReference }
    }

    private static var notReference: CredentialError {
        CredentialError.damaged("a row of the vault's table has a missing or invalid service, account or kind")
    }
}

extension VaultTable {
    private static let lengthByteCount = 4
    private static let paddingUnit = 256

    /// Returns the size of a padded record: its length and its bytes, filled up with zeros to a multiple of 256 bytes.
    private static func paddedByteCount(of byteCount: Int) -> Int {
        (lengthByteCount + byteCount + paddingUnit - 1) / paddingUnit * paddingUnit
    }

    /// Pads a record to a multiple of 256 bytes and encrypts it, with its reference as the associated data. SQLite sees
    /// neither the secret nor its exact length.
    static func seal(
        _ record: borrowing SecretBytes, as reference: CredentialReference, key: borrowing SecretBytes
    ) throws(CredentialError) -> [UInt8] {
        let used = lengthByteCount + record.byteCount
        let padded = unsafe SecretBytes(byteCount: paddedByteCount(of: record.byteCount)) { output in
            unsafe output.storeBytes(of: UInt32(record.byteCount).littleEndian, as: UInt32.self)
            unsafe record.withUnsafeBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(rebasing: output[lengthByteCount..<used]).copyMemory(from: bytes)
            }
        }
        return try seal(padded: padded, as: reference, key: key)
    }

    /// Encrypts a padded plaintext with XAES-256-GCM, with `reference` as the associated data. Returns nonce,
    /// ciphertext and tag.
    static func seal(
        padded: borrowing SecretBytes, as reference: CredentialReference, key: borrowing SecretBytes
    ) throws(CredentialError) -> [UInt8] {
        do throws(CryptoError) {
            return try XAES256GCM.seal(padded, key: key, associatedData: binding(reference)).combined
        } catch {
            throw CredentialError(.providerFailed, "encrypting the credential failed: \(error.reason)")
        }
    }

    /// Decrypts a record that was sealed for the same reference, and removes the padding. Throws `damaged` if its
    /// authentication or its padding is wrong.
    static func open(
        _ sealed: [UInt8], as reference: CredentialReference, key: borrowing SecretBytes
    ) throws(CredentialError) -> SecretBytes {
        let padded: SecretBytes
        do throws(CryptoError) {
            let box = try SealedBox(combined: sealed, nonceByteCount: XAES256GCM.nonceByteCount)
            padded = try XAES256GCM.open(box, key: key, associatedData: binding(reference))
        } catch {
            throw CredentialError.damaged(
                "the credential's record in the vault failed authentication: it was altered or damaged")
        }
        let record = unsafe padded.withUnsafeBytes { bytes -> SecretBytes? in
            guard bytes.count >= lengthByteCount else { return nil }
            let length = unsafe Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
            guard bytes.count == paddedByteCount(of: length) else { return nil }
            let end = lengthByteCount + length
            guard unsafe bytes[end...].allSatisfy({ $0 == 0 }) else { return nil }
            return unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[lengthByteCount..<end]))
        }
        guard let record else {
            throw CredentialError.damaged(
                "the credential's record in the vault was decrypted, but its length or padding is invalid")
        }
        return record
    }

    private static func binding(_ reference: CredentialReference) -> [UInt8] {
        var binding = Array("Sealite 1 vault record".utf8)
        for text in [reference.service.canonical, reference.account, reference.kind.rawValue] {
            unsafe withUnsafeBytes(of: UInt32(text.utf8.count).littleEndian) { binding += unsafe Array($0) }
            binding += Array(text.utf8)
        }
        return binding
    }
}

extension CredentialError {
    /// Creates the error of a vault for an error of its sealed file.
    init(vault error: SealedFileError) {
        let code: Code
        var hint = error.hint
        switch error.code {
        case .wrongKey, .notUnlocked: code = .wrongPassphrase
        case .locked, .unlockAgain: code = .locked
        case .damagedHeader, .tamperedHeader, .damagedPage, .damagedFrame, .damagedJournal, .foreignJournal, .integrity,
            .notSealed, .notAFile, .plainDatabase, .statement, .invalidStatement, .costRefused, .rolledBack:
            code = .damaged
        case .unsupportedVersion: code = .unsupportedVersion
        case .busy, .rotationUnderWay: code = .timedOut
        case .noSuchFile:
            code = .noVault
            hint = hint ?? CredentialRemedy.makeVault.hint
        case .exists: code = .exists
        case .permission: code = .permission
        case .diskFull: code = .diskFull
        case .cancelled: code = .cancelled
        case .invalidArgument, .refused: code = .invalidArgument
        case .inputOutput, .fileReplaced, .afterFork, .internalFailure: code = .providerFailed
        }
        self.init(code, error.reason, hint: hint)
    }
}

/// Returns the result of work on the file of a vault, or of the user's setting, and converts its errors.
func inVault<R: ~Copyable>(_ body: () throws(SealedFileError) -> R) throws(CredentialError) -> R {
    do throws(SealedFileError) { return try body() } catch { throw CredentialError(vault: error) }
}
