import CSQLite
import Foundation
import SealiteCrypto
package import SealiteFile

/// The note beside a golden file. Until the first release there are only files of the newest format.
package struct GoldenNote: Codable {
    /// A secret that opens one of the file's slots. Test keys, published on purpose.
    package struct Key: Codable {
        /// "raw-key", "passphrase" or "recovery".
        package var kind: String
        /// The raw key, or the X25519 private key, in hex.
        package var hex: String?
        package var passphrase: String?
        /// The recovery key as a person writes it.
        package var paper: String?

        package init(kind: String, hex: String? = nil, passphrase: String? = nil, paper: String? = nil) {
            self.kind = kind
            self.hex = hex
            self.passphrase = passphrase
            self.paper = paper
        }
    }

    package struct File: Codable {
        package var name: String
        package var sha256: String

        package init(name: String, sha256: String) {
            self.name = name
            self.sha256 = sha256
        }
    }

    package var name: String
    package var formatVersion = 1
    package var made: String
    package var pageSize: Int
    package var keys: [Key]
    /// The database, and what lies beside it.
    package var files: [File]
    /// SHA-256 of the plain database: every page opened, in order, its last 48 bytes zero, with the WAL's committed frames
    /// applied and a hot journal rolled back; as long as that state's page count says.
    package var plainSHA256: String
    /// The number of rows that the table `notes` has in that state.
    package var noteCount: Int

    package init(
        name: String, made: String, pageSize: Int, keys: [Key], files: [File], plainSHA256: String, noteCount: Int
    ) {
        self.name = name
        self.made = made
        self.pageSize = pageSize
        self.keys = keys
        self.files = files
        self.plainSHA256 = plainSHA256
        self.noteCount = noteCount
    }
}

package enum Golden {
    package static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path
    package static let folder = root + "/Fixtures/Golden"

    package static func notes() throws -> [GoldenNote] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }
        return try names.sorted().map { name in
            try JSONDecoder().decode(
                GoldenNote.self, from: try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
        }
    }

    package static func sha256(_ bytes: [UInt8]) throws -> String { try SHA256.digest(of: bytes).hex }

    package static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// The plain pages as a reader sees them. https://sqlite.org/c3ref/serialize.html
    package static func plainBytes(_ connection: RawConnection) -> [UInt8] {
        var byteCount: sqlite3_int64 = 0
        guard let start = unsafe sqlite3_serialize(connection.handle, "main", &byteCount, 0) else { return [] }
        defer { unsafe sqlite3_free(start) }
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(byteCount)))
    }

    package static func open(_ path: String, with key: GoldenNote.Key) throws -> SealedDatabase {
        switch key.kind {
        case "raw-key": try SealedDatabase.open(path, key: .rawKey(secret(hexBytes(key.hex ?? ""))))
        case "recovery":
            try SealedDatabase.open(
                path, key: .recoveryKey(RecoveryKey(privateKey: secret(hexBytes(key.hex ?? "")))))
        default: try SealedDatabase.open(path, key: .passphrase(secret(key.passphrase ?? "")))
        }
    }
}
