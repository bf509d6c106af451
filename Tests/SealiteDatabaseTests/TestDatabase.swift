import Foundation
import SealiteCrypto
import SealiteFile
import Testing

@testable import SealiteDatabase

/// A folder that goes with the last reference to it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "sealite-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A database on a sealed file in a folder of its own, which can be opened again.
final class TestDatabase: Sendable {
    let folder: TemporaryFolder
    let file: SealedDatabase
    let database: SealiteDatabase.Database

    init(
        _ configuration: DatabaseConfiguration = DatabaseConfiguration(), in folder: TemporaryFolder? = nil
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        file = try Self.file(self.folder.path + "/test.db")
        database = try SealiteDatabase.Database(file: file, configuration: configuration)
    }

    /// A sealed file under a key that every test uses, made if it isn't there.
    static func file(_ path: String) throws -> SealedDatabase {
        if SealedDatabase.isSealed(path) {
            return try SealedDatabase.open(path, key: .rawKey(testKey(7)))
        }
        return try SealedDatabase.create(path, slot: .rawKey(testKey(7)))
    }

    var collection: SealiteDatabase.Collection { get throws { try database.defaultCollection() } }

    /// Another `Database` on the same file.
    func reopened(_ configuration: DatabaseConfiguration = DatabaseConfiguration()) throws -> TestDatabase {
        try TestDatabase(configuration, in: folder)
    }
}

/// A raw key of one byte, 32 times.
func testKey(_ byte: UInt8) -> SecretBytes {
    let bytes = [UInt8](repeating: byte, count: 32)
    return unsafe SecretBytes(copying: bytes.span.bytes)
}

/// Runs `body` and gives the code of the database error it throws, nil when it throws none.
func code(_ body: () throws -> Void) -> SealiteDatabase.DatabaseError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? SealiteDatabase.DatabaseError)?.code
    }
}
