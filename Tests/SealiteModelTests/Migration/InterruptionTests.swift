import Foundation
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteValues
import Testing

@testable import SealiteModel
@testable import SealiteTestSupport

/// Notes as they are before a migration, after it, and in a file.
private struct Notes {
    let count: Int

    static let first = Schema([
        ObjectSchema(
            "Note", primaryKey: "_id",
            properties: [
                Property("_id", .string), Property("number", .long), Property("text", .string),
            ])
    ])
    static let second = Schema([
        ObjectSchema(
            "Note", primaryKey: "_id",
            properties: [
                Property("_id", .string), Property("doubled", .long), Property("text", .string),
            ])
    ])
    static let place = ["Note": QualifiedName(scope: "_default", name: "Note")]

    func make(in database: SealiteDatabase.Database) throws {
        let configuration = ModelConfiguration(version: 1, types: [])
        let collection = try #require(
            try SchemaOpening(database, Self.first, places: Self.place, configuration).run()["Note"])
        try database.write { _ in
            for number in 0..<count {
                let json = #"{"number":\#(number),"text":"note \#(number)"}"#
                try collection.save(document: MutableDocument(id: "n\(number)", json: json))
            }
        }
    }

    /// Opens a database with the second version.
    static func migrate(_ database: SealiteDatabase.Database) throws {
        let configuration = ModelConfiguration(version: 2, types: []) { migration in
            try migration.enumerate("Note") { old, new in
                try new?.set("doubled", .int64((old?.integer("number") ?? 0) * 2))
                try new?.set("text", "\(old?.string("text") ?? ""), again")
            }
        }
        _ = try SchemaOpening(database, second, places: place, configuration).run()
    }

    /// The version that a database has, if its schema and all its notes are of that version.
    func version(of database: SealiteDatabase.Database) throws -> UInt64? {
        let stored = try #require(try SchemaCatalogue(database).storedSchema("Note"))
        let expected = stored.version == 1 ? Self.first : Self.second
        guard stored.object == expected["Note"], let collection = stored.collection else { return nil }
        var (found, differences) = (0, 0)
        try collection.forEachDocument { document in
            let number = Int(document.id.dropFirst()) ?? -1
            let due =
                stored.version == 1
                ? #"{"number":\#(number),"text":"note \#(number)"}"#
                : #"{"text":"note \#(number), again","doubled":\#(number * 2)}"#
            found += 1
            if try document.toJSON() != due { differences += 1 }
        }
        return found == count && differences == 0 ? stored.version : nil
    }

    static var key: SecretBytes {
        let bytes = [UInt8](repeating: 7, count: 32)
        return unsafe SecretBytes(copying: bytes.span.bytes)
    }
}

@Suite("migrations that end before their time", .serialized)
struct InterruptionTests {
    private let isLong = Effort.current == .soak

    @Test("a kill in the middle of a migration leaves the old version or the new one")
    func kills() throws {
        let folder = NSTemporaryDirectory() + "sealite-kills-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (kept, path) = (folder + "/kept.db", folder + "/a.db")
        let notes = Notes(count: isLong ? 100_000 : 4_000)
        var database = try Database.create(kept, slot: .rawKey(Notes.key))
        try notes.make(in: database)
        try database.close()
        var versions: Set<UInt64?> = []
        let rounds = isLong ? 60 : 8
        // A machine that is busy elsewhere may let a migration end before it is killed: then there are more.
        for round in 0..<rounds * 10 where round < rounds || versions != [1, 2] {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
            try FileManager.default.copyItem(atPath: kept, toPath: path)
            let child = try ChildProcess(ChildProcess.buildFolder + "/SealiteTestChild")
            try child.send("migrate \(path) 7")
            #expect(try child.line() == "begun")
            letTimePass(
                .milliseconds(round % rounds * (isLong ? 50 : 20)), because: "the process is killed at any moment")
            if round % 4 == 3 { #expect(try child.line() == "ok") }
            child.kill()
            child.wait()
            database = try Database.open(path, key: .rawKey(Notes.key))
            let version = try notes.version(of: database)
            versions.insert(version)
            #expect(try database.integrityFindings() == [])
            try Notes.migrate(database)
            #expect(try notes.version(of: database) == 2, "round \(round)")
            try database.close()
        }
        #expect(versions == [1, 2])
    }

    @Test("a power loss in the middle of a migration leaves the old version or the new one")
    func powerLoss() throws {
        let disk = MemoryDisk()
        let vfs = try TestVFS(name: "models, below", disk: disk)
        let choice = VFSChoice(name: "models, sealed", base: vfs.name)
        _ = try SealedDatabase.create("/a.db", slot: .rawKey(Notes.key), vfs: choice)
        func open() throws -> SealiteDatabase.Database {
            try SealiteDatabase.Database(
                file: try SealedDatabase.open("/a.db", key: .rawKey(Notes.key), vfs: choice))
        }
        let notes = Notes(count: isLong ? 100_000 : 1_000)
        var database = try open()
        try notes.make(in: database)
        try database.close()
        let base = disk.image
        disk.load(base)
        database = try open()
        try Notes.migrate(database)
        try database.close()
        let events = disk.events

        var platter = Platter(base)
        var versions: Set<UInt64?> = []
        let step = max(events.count / (isLong ? 300 : 25), 1)
        for (point, event) in events.enumerated() {
            platter.record(event)
            guard point % step == 0 || point == events.count - 1 else { continue }
            disk.load(platter.afterPowerLoss(seed: TestSeed.run &+ UInt64(point / step)).image)
            let left = try open()
            let version = try notes.version(of: left)
            versions.insert(version)
            #expect(version != nil, "operation \(point + 1) of \(events.count), SEALITE_SEED \(TestSeed.run)")
            #expect(try left.integrityFindings() == [])
            try left.close()
        }
        #expect(versions == [1, 2])
    }
}
