import CSQLite
import Foundation
import SealiteCrypto

@testable import SealiteFile

/// What the note beside a golden file says. The files themselves are never changed, only added to.
struct GoldenNote: Codable {
    /// A secret that opens one of the file's slots. Test keys, published on purpose.
    struct Key: Codable {
        /// "raw-key", "passphrase" or "recovery".
        var kind: String
        /// The raw key, or the X25519 private key, in hex.
        var hex: String?
        var passphrase: String?
        /// The recovery key as a person writes it.
        var paper: String?
    }

    struct File: Codable {
        var name: String
        var sha256: String
    }

    var name: String
    var formatVersion = 1
    var made: String
    var pageSize: Int
    var keys: [Key]
    /// The database, and what lies beside it.
    var files: [File]
    /// SHA-256 of the plain database: every page opened, in order, its last 48 bytes zero, with the WAL's committed frames
    /// applied and a hot journal rolled back; as long as that state's page count says.
    var plainSHA256: String
    /// How many rows the table `notes` has in that state.
    var noteCount: Int
}

enum Golden {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path
    static let folder = root + "/Fixtures/Golden"

    static func notes() throws -> [GoldenNote] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }
        return try names.sorted().map { name in
            try JSONDecoder().decode(
                GoldenNote.self, from: try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
        }
    }

    static func sha256(_ bytes: [UInt8]) throws -> String { try SHA256.digest(of: bytes).hex }

    static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

    /// The plain pages as a reader sees them. https://sqlite.org/c3ref/serialize.html
    static func plainBytes(_ connection: RawConnection) -> [UInt8] {
        var byteCount: sqlite3_int64 = 0
        guard let start = unsafe sqlite3_serialize(connection.handle, "main", &byteCount, 0) else { return [] }
        defer { unsafe sqlite3_free(start) }
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(byteCount)))
    }

    static func open(_ path: String, with key: GoldenNote.Key) throws -> SealedDatabase {
        switch key.kind {
        case "raw-key": try SealedDatabase.open(path, key: .rawKey(secret(hexBytes(key.hex ?? ""))))
        case "recovery":
            try SealedDatabase.open(
                path, key: .recoveryKey(RecoveryKey(privateKey: secret(hexBytes(key.hex ?? "")), edition: .first)),
                limits: UnlockLimits(acceptsUnauthenticatedSlots: true))
        default: try SealedDatabase.open(path, key: .passphrase(secret(key.passphrase ?? "")))
        }
    }
}
