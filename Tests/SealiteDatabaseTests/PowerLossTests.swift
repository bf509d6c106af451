import Foundation
import SealiteFile
import SealiteFunctions
import Testing

@testable import SealiteDatabase
@testable import SealiteTestSupport

/// Documents and what each revision is: all that a power loss may or may not take.
private typealias Contents = [String]

/// A document database on a disk in memory that can lose power.
private struct PowerlessStage {
    let disk = MemoryDisk()
    /// Registered as long as it is kept.
    let vfs: TestVFS
    let choice: VFSChoice
    let path = "/documents.db"

    init(_ name: String) throws {
        vfs = try TestVFS(name: "\(name), below", disk: disk)
        choice = VFSChoice(name: "\(name), sealed", base: vfs.name)
        _ = try SealedDatabase.create(path, slot: .rawKey(testKey(7)), vfs: choice)
    }

    func open(fullSync: Bool) throws -> SealiteDatabase.Database {
        var configuration = DatabaseConfiguration()
        configuration.fullSync = fullSync
        let file = try SealedDatabase.open(path, key: .rawKey(testKey(7)), vfs: choice)
        return try SealiteDatabase.Database(file: file, configuration: configuration)
    }

    func contents(_ database: SealiteDatabase.Database) throws -> Contents {
        try database.defaultCollection().changes(since: 0, limit: 100_000).map { "\($0.id) \($0.revisionID)" }
    }
}

@Suite("power loss under a document database", .serialized)
struct PowerLossTests {
    /// An acknowledged state, with the length of the disk's log at that time.
    private struct Mark {
        let events: Int
        let contents: Contents
    }

    /// Single saves, batches, blobs of several transactions' size, deletions, purges, a checkpoint in between.
    private static func work(_ database: SealiteDatabase.Database, mark: () throws -> Void) throws {
        let collection = try database.defaultCollection()
        for round in 0..<4 {
            try collection.save(document: MutableDocument(id: "single-\(round)").setInt(round, forKey: "x"))
            try mark()
            try database.write { _ in
                for index in 0..<12 {
                    let document = MutableDocument(id: "batch-\(index)").setInt(round, forKey: "round")
                    document.setBlob(
                        Blob(contentType: nil, bytes: [UInt8](repeating: UInt8(round), count: 3000 + index)),
                        forKey: "b")
                    try collection.save(document: document)
                }
                try collection.save(document: MutableDocument(id: "with-\(round)"))
            }
            try mark()
            let large = Blob(contentType: nil, bytes: [UInt8](repeating: UInt8(100 + round), count: 1_500_000))
            try collection.save(document: MutableDocument(id: "large").setBlob(large, forKey: "b"))
            try mark()
            try collection.delete(id: "single-\(round)")
            try mark()
            try collection.purge(id: "with-\(round)")
            try mark()
            if round == 1 { try database.performMaintenance(type: .compact) }
        }
    }

    @Test(
        "acknowledged saves are there, a batch is there as a whole or not at all, and the database is sound",
        arguments: [true, false])
    func powerLoss(fullSync: Bool) throws {
        let stage = try PowerlessStage("documents, full sync \(fullSync)")
        var database = try stage.open(fullSync: fullSync)
        try database.defaultCollection().createIndex(
            "words",
            TextDefinition(
                texts: [.init(name: "all", sql: "query_value(body)"), .init(name: "id", sql: "id")],
                settings: try WordSettings(text: "language english")))
        try database.close()
        let base = stage.disk.image
        stage.disk.load(base)
        database = try stage.open(fullSync: fullSync)
        var marks = [Mark(events: 0, contents: [])]
        try Self.work(database) {
            marks.append(Mark(events: stage.disk.eventCount, contents: try stage.contents(database)))
        }
        let events = stage.disk.events
        try database.close()

        var platter = Platter(base)
        var lossyRuns = 0
        let runs = Effort.current == .soak ? 3000 : 60
        let stride = max(events.count / runs, 1)
        for (point, event) in events.enumerated() {
            platter.record(event)
            guard point % stride == 0 else { continue }
            let loss = platter.afterPowerLoss(seed: TestSeed.run &+ UInt64(point / stride))
            lossyRuns += loss.lostWrites > 0 ? 1 : 0
            stage.disk.load(loss.image)
            let left = try stage.open(fullSync: fullSync)
            let found = try stage.contents(left)
            let acknowledged = marks.lastIndex { $0.events <= point + 1 } ?? 0
            let allowed = marks[(fullSync ? acknowledged : 0)...min(acknowledged + 1, marks.count - 1)]
            let place: Comment = "operation \(point + 1) of \(events.count), SEALITE_SEED \(TestSeed.run)"
            #expect(allowed.contains { $0.contents == found }, place)
            #expect(try left.integrityFindings() == [], place)
            try left.defaultCollection().save(document: MutableDocument(id: "afterwards"))
            try left.close()
        }
        #expect(lossyRuns > 10)
    }
}
