import Foundation
import Glibc
import GRDB
import SealiteGRDB
import SealiteTestSupport
import Testing

@testable import SealiteDatabase
@testable import SealiteQuery

@Suite("vector indexes whose tables somebody else wrote")
struct VectorDamageTests {
    private let stage: VectorStage

    init() throws { stage = try VectorStage() }

    /// Runs SQL as another program, of which triggers don't exist. `N` is the number of the first index.
    private func run(_ sql: String) throws {
        let number = try stage.collection.indexRecords()[0].number
        try stage.test.unlock().makeQueue().inDatabase { connection in
            try connection.execute(sql: sql.replacing("_N", with: "_\(number)"))
        }
    }

    private func code(_ body: () throws -> Void) -> SealiteDatabase.DatabaseError.Code? {
        do { try body() } catch { return (error as? SealiteDatabase.DatabaseError)?.code }
        return nil
    }

    @Test("more generations than an index has are damage, which neither fills memory nor prevents saves")
    func generations() throws {
        try stage.fill(300)
        try stage.index()
        try run(
            """
            WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO vector_generations_N SELECT i, zeroblob(16), 500, 0, 0, 0,
                (SELECT ranges FROM vector_generations_N WHERE generation = 0) FROM n
            """)
        #expect(code { _ = try stage.found(5, to: stage.vector()) } == .corruptData)
        #expect(
            code { try stage.test.database.write { _ in _ = try stage.found(5, to: stage.vector()) } } == .corruptData)
        #expect(code { try stage.collection.completeVectorIndex("near") } == .corruptData)
        try stage.save("d1", stage.vector())
        #expect(try stage.state().changes == 16)
        #expect(try stage.flaws().count == 1)
        try stage.test.database.performMaintenance(type: .reindex)
        #expect(try stage.found(5, to: stage.vector()).count == 5)
        #expect(try stage.flaws().isEmpty)
    }

    @Test("two indexes with the same token don't take each other's centroids")
    func tokens() throws {
        try stage.fill(300)
        try stage.index(centroids: 1)
        try stage.test.database.write { _ in
            for number in 0..<40 {
                let item = (0..<3000).map { _ in SealiteDatabase.Value.number(Number(Double(number))) }
                try stage.collection.save(
                    document: MutableDocument(id: "w\(number)").setValue(.array(ArrayObject(item)), forKey: "w"))
            }
        }
        let wide = VectorIndexConfiguration(expression: "w", dimensions: 3000, centroids: 1)
        try stage.collection.createIndex(withName: "wide", config: wide)
        let numbers = try stage.collection.indexRecords().map(\.number)
        for number in numbers {
            try stage.test.unlock().makeQueue().inDatabase {
                try $0.execute(sql: "UPDATE vector_generations_\(number) SET token = zeroblob(16)")
            }
        }
        let text: String = "SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(w, $vector) LIMIT 1"
        let zeros = Array(repeating: SealiteDatabase.Value.number(Number(0)), count: 3000)
        // Searches of a transaction are on one connection.
        try stage.test.database.write { _ in
            #expect(try stage.found(5, to: stage.vector()).count == 5)
            let query = try stage.test.database.createQuery(text)
            query.parameters = Parameters().setValue(.array(ArrayObject(zeros)), forName: "vector")
            #expect(try query.execute().map { $0.string(forKey: "id") } == ["w0"])
            #expect(try stage.found(5, to: stage.vector()).count == 5)
        }
    }

    @Test(
        "places outside of the lists are damage",
        arguments: [Int64.max, .max - 1, -1, .min, 1 << 62, 0x7FFF_FFFF_FF00_0000])
    func places(chunk: Int64) throws {
        try stage.fill(300)
        try stage.index()
        try run(
            """
            INSERT OR IGNORE INTO vectors_N SELECT \(chunk), count, entries FROM vectors_N LIMIT 1;
            UPDATE vector_places_N SET chunk = \(chunk);
            """)
        for number in 0..<5 { try stage.save("d\(number)", stage.vector()) }
        #expect(code { try stage.collection.completeVectorIndex("near") } == .corruptData)
        try stage.save("d5", stage.vector())
        #expect(try stage.found(5, to: stage.vector()).count == 5)
    }

    @Test("the count of entries can be any number", arguments: [Int64.min, -1, .max])
    func entries(count: Int64) throws {
        try stage.fill(300)
        try stage.index()
        for number in 0..<5 { try stage.save("d\(number)", stage.vector()) }
        try run("UPDATE vector_generations_N SET entries = \(count)")
        _ = try stage.collection.vectorIndexState("near")
        for number in 0..<100 { try stage.save("e\(number)", stage.vector()) }
        _ = code { _ = try stage.found(5, to: stage.vector()) }
        #expect(try !stage.flaws().isEmpty)
    }

    @Test("the number through which documents are entered can be any number", arguments: [Int64.min, -5, .max])
    func through(number: Int64) throws {
        try stage.fill(300)
        try stage.index()
        try stage.delete("d7")
        try run("UPDATE vector_generations_N SET through = \(number)")
        for number in 0..<100 { try stage.save("e\(number)", stage.vector()) }
        _ = code {
            let found = try stage.found(10_000, to: stage.vector())
            #expect(!found.contains { $0.id == "d7" || $0.id.isEmpty })
        }
        try stage.save("d8", stage.vector())
    }

    @Test("numbers of documents can be any number")
    func documentNumbers() throws {
        try stage.fill(250)
        try stage.index("near", centroids: 16)
        let table = "documents_\(try stage.collection.number)"
        try run("UPDATE \(table) SET number = 9223372036854775807 WHERE id = 'd1'")
        for _ in 0..<3 { #expect(try stage.found(5, to: stage.vector()).count == 5) }
    }

    @Test("centroids that are missing or too short are damage")
    func centroids() throws {
        try stage.fill(300)
        try stage.index()
        try run("UPDATE vector_lists_N SET centroid = x'00'")
        #expect(code { _ = try stage.found(5, to: stage.vector()) } != nil)
        try run("DELETE FROM vector_lists_N")
        #expect(code { _ = try stage.found(5, to: stage.vector()) } != nil)
        try stage.save("d8", stage.vector())
    }

    @Test("names with apostrophes that Swift takes for parts of other characters are names")
    func apostrophes() throws {
        for name in ["a\u{600}'b", "a'\u{301}b", "a\u{600}', 1, 2) --"] {
            try stage.collection.createIndex(
                withName: "x", config: VectorIndexConfiguration(expression: "`\(name)`", dimensions: 2, centroids: 1))
            let vector: [SealiteDatabase.Value] = [.number(Number(1)), .number(Number(2))]
            try stage.collection.save(
                document: MutableDocument(id: "x").setValue(.array(ArrayObject(vector)), forKey: name))
            let text: String = "SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(`\(name)`, [1, 2]) LIMIT 1"
            let query = try stage.test.database.createQuery(text)
            #expect(try query.execute().map { $0.string(forKey: "id") } == ["x"])
        }
    }

    @Test("a full disk doesn't keep a search from its result")
    func fullDisk() throws {
        try stage.fill(300)
        try stage.index()
        try stage.fill(300, "e", clusters: 0)
        try stage.test.database.writer.withoutTransaction { connection in
            try connection.execute(sql: "PRAGMA max_page_count = 1")
        }
        let vector = stage.vector()
        #expect(
            try stage.found(5, to: vector, options: ", NULL, NULL, TRUE").map(\.id)
                == stage.nearest(5, to: vector, .euclideanSquared).map(\.id))
    }

    @Test("a training that another writer prevented is tried again by the next search")
    func busyTraining() throws {
        try stage.index()
        try stage.fill(300)
        try stage.test.unlock().makeQueue().inDatabase { connection in
            try connection.execute(sql: "BEGIN IMMEDIATE")
            #expect(try stage.found(5, to: stage.vector()).count == 5)
            try connection.execute(sql: "ROLLBACK")
        }
        #expect(try stage.state().generations == 0)
        _ = try stage.found(5, to: stage.vector())
        #expect(try stage.state().generations == 1)
    }

    @Test("a training stops when its thread is stopped")
    func stopped() throws {
        try stage.index()
        try stage.fill(300)
        let control = WriteControl()
        control.stop()
        #expect(
            code {
                try WriteControl.$current.withValue(control) {
                    _ = try stage.test.database.prepareSearch(ofIndex: stage.collection.indexRecords()[0].number)
                }
            } == .cancelled)
        #expect(try stage.state().generations == 0)
    }

    @Test("a search doesn't wait for a transaction of the same process that waits for it", .endsIfItHangs)
    func writingThread() throws {
        let stage = try VectorStage()
        try stage.index()
        try stage.fill(300)
        let database = stage.test.database
        let (started, found) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let writing = DispatchGroup()
        DispatchQueue.global().async(group: writing) {
            #expect(throws: Never.self) {
                try database.write { _ in
                    started.signal()
                    found.wait()
                }
            }
        }
        started.wait()
        #expect(try stage.found(5, to: stage.vector()).count == 5)
        found.signal()
        writing.wait()
    }

    @Test("vectors of a lazy index that aren't finite are left out")
    func infinite() throws {
        try stage.fill(300)
        var config = VectorIndexConfiguration(expression: "text", dimensions: 8, centroids: 8)
        config.isLazy = true
        try stage.collection.createIndex(withName: "near", config: config)
        let index = try #require(try stage.collection.index(withName: "near"))
        while let updater = try index.beginUpdate(limit: 100) {
            for place in 0..<updater.count {
                let id = String(try #require(updater.string(at: place)).dropFirst("text of ".count))
                try updater.setVector(stage.vectors[id]?.map { Float($0) }, at: place)
            }
            try updater.finish()
        }
        // NaN, and infinity.
        try run("UPDATE vector_values_N SET vector = CAST(x'0000C07F' || substr(vector, 5) AS BLOB) WHERE document = 5")
        try run("UPDATE vector_values_N SET vector = CAST(x'0000807F' || substr(vector, 5) AS BLOB) WHERE document = 9")
        let vector = stage.vector()
        func found() throws -> Set<String> {
            let text: String = "SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(text, $vector) LIMIT 1000"
            let query = try stage.test.database.createQuery(text)
            query.parameters = Parameters().setValue(
                .array(ArrayObject(vector.map { .number(Number($0)) })), forName: "vector")
            return Set(try query.execute().compactMap { $0.string(forKey: "id") })
        }
        #expect(try found().count == 298)
        #expect(try stage.state().entries == 298)
        #expect(try stage.flaws().isEmpty)
    }

    // MARK: - Orders

    @Test("rows are in the order that the query says, with conditions and beyond the first lists")
    func orders() throws {
        try stage.fill(600, clusters: 0)
        try stage.index(centroids: 20, probes: 1)
        for _ in 0..<10 {
            let vector = stage.vector(clusters: 0)
            let distances = try stage.found(200, to: vector).map(\.distance)
            #expect(distances.count == 200 && distances == distances.sorted())
            let filtered = try stage.found(50, to: vector, "WHERE `group` = 3").map(\.distance)
            #expect(filtered == filtered.sorted())
        }
        for bound in ["100", "$bound"] {
            let call = "APPROX_VECTOR_DISTANCE(v, $vector)"
            let query = try stage.test.database.createQuery(
                "SELECT \(call) AS d FROM _ WHERE \(call) < \(bound) ORDER BY \(call) LIMIT 200" as String)
            let items = stage.vector(clusters: 0).map { SealiteDatabase.Value.number(Number($0)) }
            let parameters = Parameters().setValue(.array(ArrayObject(items)), forName: "vector")
            query.parameters = bound == "$bound" ? parameters.setDouble(3, forName: "bound") : parameters
            let distances = try query.execute().map { $0.double(forKey: "d") }
            #expect(distances == distances.sorted() && distances.count > 20)
        }
        let vector = stage.vector(clusters: 0)
        func ids(_ order: String) throws -> [(String, Double)] {
            let text: String = """
                SELECT META().id, APPROX_VECTOR_DISTANCE(v, $vector) AS d FROM _ WHERE `group` = 3
                    AND APPROX_VECTOR_DISTANCE(v, $vector) < 100 ORDER BY \(order) LIMIT 30
                """
            let query = try stage.test.database.createQuery(text)
            query.parameters = Parameters().setValue(
                .array(ArrayObject(vector.map { .number(Number($0)) })), forName: "vector")
            return try query.execute().map { ($0.string(forKey: "id") ?? "", $0.double(forKey: "d")) }
        }
        let byID = try ids("META().id").map(\.0)
        #expect(byID == byID.sorted() && byID.count == 30)
        let far = try ids("APPROX_VECTOR_DISTANCE(v, $vector) DESC").map(\.1)
        #expect(far == far.sorted(by: >))
        let alias = try ids("d").map(\.1)
        #expect(alias == alias.sorted())
        try stage.collection.createIndex(withName: "texts", config: ValueIndexConfiguration(["text"]))
        let byText = try ids("text").map(\.0)
        #expect(byText == byText.sorted() && byText.count == 30)
        let second = try ids("2").map(\.1)
        #expect(second == second.sorted())
    }
}
