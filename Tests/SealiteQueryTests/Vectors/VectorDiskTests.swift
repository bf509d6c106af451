import Foundation
import GRDB
import SealiteFile
import Testing

@testable import SealiteDatabase
@testable import SealiteQuery
@testable import SealiteTestSupport

/// A document database on a disk in memory, which keeps every write and can lose power.
private struct DiskStage {
    let disk = MemoryDisk()
    /// Registered as long as it is kept.
    private let vfs: TestVFS
    private let choice: VFSChoice
    private static let path = "/vectors.db"

    init(_ name: String) throws {
        vfs = try TestVFS(name: "\(name), below", disk: disk)
        choice = VFSChoice(name: "\(name), sealed", base: vfs.name)
        _ = try SealedDatabase.create(Self.path, slot: .rawKey(TestFile.key), vfs: choice)
    }

    func open() throws -> SealiteDatabase.Database {
        var configuration = DatabaseConfiguration()
        configuration.fullSync = true
        let file = try SealedDatabase.open(Self.path, key: .rawKey(TestFile.key), vfs: choice)
        return try SealiteDatabase.Database(file: file, configuration: configuration)
    }
}

@Suite("what vector indexes write to a disk", .serialized)
struct VectorDiskTests {
    @Test("a power loss while an index is trained, filled and changed leaves one that agrees with the documents")
    func powerLoss() throws {
        let stage = try DiskStage("vectors and power")
        var database = try stage.open()
        var vectors = ScannedVectors(database, seed: 1)
        try vectors.fill(0..<700)
        try database.close()
        let base = stage.disk.image
        stage.disk.load(base)
        database = try stage.open()
        vectors = ScannedVectors(database, seed: 2)
        try vectors.makeIndex()
        let made = stage.disk.eventCount
        for _ in 0..<150 { try vectors.step(of: 900) }
        try database.defaultCollection().completeVectorIndex("near")
        let events = stage.disk.events
        try database.close()

        var platter = Platter(base)
        let runs = Effort.current == .soak ? 1_500 : 7
        var (lossyRuns, runsWhileMade) = (0, 0)
        for (point, event) in events.enumerated() {
            platter.record(event)
            // As many points while the index is made as afterwards.
            let stride = max((point < made ? made : events.count - made) / runs, 1)
            guard point % stride == 0 else { continue }
            let loss = platter.afterPowerLoss(seed: TestSeed.run &+ UInt64(point / stride))
            lossyRuns += loss.lostWrites > 0 ? 1 : 0
            stage.disk.load(loss.image)
            let left = try stage.open()
            let hasIndex = try left.defaultCollection().indexes() == ["near"]
            runsWhileMade += point < made ? 1 : 0
            let place: Comment = "operation \(point + 1) of \(events.count), SEALITE_SEED \(TestSeed.run)"
            // Once the index was made and synced, it is there.
            #expect(hasIndex || point < made, place)
            if hasIndex {
                var scanned = ScannedVectors(left, seed: 3)
                #expect(try scanned.findings() == [], place)
            }
            try left.close()
        }
        #expect(lossyRuns > 5 && runsWhileMade > 5)
    }

    // MARK: - Markers

    /// Parts of a vector's forms: two of its numbers as float32, in base64, and one in decimal.
    private struct Marker {
        let floats: [UInt8]
        let base64: [UInt8]
        let decimal: [UInt8]

        init(_ vector: [Float]) {
            let bytes = vector.flatMap { float in
                [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: float.bitPattern >> $0) }
            }
            // From the fourth number on, the twelve bytes of three numbers are sixteen characters.
            floats = Array(bytes[12..<20])
            base64 = Array(Data(bytes).base64EncodedString().utf8)[16..<32].map { $0 }
            decimal = Array("\(Double(vector[3]))".utf8)
        }

        var all: [[UInt8]] { [floats, base64, decimal] }
    }

    private static func text(_ vector: [Float]) -> String {
        Data(vector.flatMap { float in [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: float.bitPattern >> $0) } })
            .base64EncodedString()
    }

    private static func places(_ needle: [UInt8], in bytes: [UInt8]) -> Int {
        unsafe bytes.withUnsafeBytes { unsafe MemoryPiece.count(needle, in: $0) }
    }

    @Test(
        "no part of a vector is in any write in clear, in the database, its log and temporary files, of lazy indexes neither",
        arguments: [false, true])
    func markers(isLazy: Bool) throws {
        let stage = try DiskStage("vectors and markers, \(isLazy)")
        let database = try stage.open()
        typealias Value = SealiteDatabase.Value
        let collection = try database.defaultCollection()
        // Small caches, so that transactions and sorts go to the disk before their end.
        try database.writer.withoutTransaction {
            try $0.execute(sql: "PRAGMA temp_store = FILE; PRAGMA cache_size = 20; PRAGMA cache_spill = 10")
        }
        var random = SeededRandom(seed: 9)
        var vectors: [[Float]] = []
        func vector() -> [Float] { (0..<8).map { _ in Float.random(in: -1...1, using: &random) } }
        func save(_ number: Int) throws {
            let (id, vector) = ("\(number)", vector())
            if number < vectors.count { vectors[number] = vector } else { vectors.append(vector) }
            let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
            let numbers = vector.map { Value.number(Number(Double($0))) }
            let value: Value = number % 2 == 0 ? .array(ArrayObject(numbers)) : .string(Self.text(vector))
            try collection.save(document: document.setValue(value, forKey: "v"))
        }
        try database.write { _ in for number in 0..<400 { try save(number) } }
        var config = VectorIndexConfiguration(expression: "v", dimensions: 8, centroids: 8)
        (config.encoding, config.isLazy) = (.none(), isLazy)
        try collection.createIndex(withName: "near", config: config)
        func update() throws {
            guard isLazy, let index = try collection.index(withName: "near") else { return }
            while let updater = try index.beginUpdate(limit: 100) {
                // The documents have no ids here: other vectors, which are looked for too.
                for place in 0..<updater.count {
                    vectors.append(vector())
                    try updater.setVector(vectors[vectors.count - 1], at: place)
                }
                try updater.finish()
            }
        }
        try update()
        try database.write { _ in for number in 100..<250 { try save(number) } }
        try update()
        try collection.completeVectorIndex("near")
        // In a transaction, a sort of all vectors on the connection with the small cache.
        try database.write { _ in
            let call = "APPROX_VECTOR_DISTANCE(v, $vector)"
            let query = try database.createQuery(
                "SELECT v, \(call) AS d FROM _ ORDER BY d DESC, v LIMIT 1000" as String)
            query.parameters = Parameters().setString(Self.text(vectors[7]), forName: "vector")
            #expect(try query.execute().allResults().count == 400)
        }
        let events = stage.disk.events
        // The parts are in what was sealed.
        let number = try collection.indexRecords()[0].number
        var contents: [UInt8] = []
        for sql in ["SELECT entries FROM vectors_\(number)", "SELECT body FROM documents_\(collection.number)"] {
            try database.readRows(sql, isKept: false) { contents += $0.bytes(at: 0) ?? [] }
        }
        let markers = vectors.map(Marker.init)
        for form in 0..<3 { #expect(markers.contains { Self.places($0.all[form], in: contents) > 0 }, "form \(form)") }
        var kinds: Set<Int> = []
        for event in events {
            guard case .write(let file, _, let bytes) = event else { continue }
            kinds.insert(file)
            for (place, marker) in markers.enumerated() where place % 20 == 7 {
                for form in marker.all where Self.places(form, in: bytes) > 0 {
                    Issue.record("a part of vector \(place) is in a write to file \(file)")
                    return
                }
            }
        }
        // The database, its log and a temporary file at least.
        #expect(kinds.count >= 3)
        try database.close()
    }
}
