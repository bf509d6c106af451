import GRDB
import SealiteFunctions
import SealiteTestSupport
import Testing

@testable import SealiteDatabase

@Suite("indexes on geometries kept by the door for rows, and by triggers")
struct GeometryTableTests {
    let stage: IndexStage

    init() throws { stage = try IndexStage() }

    private static let definition = KeyDefinition(grid: .sphere, paths: ["place", "other"])

    private func save(_ id: String, _ json: String) throws {
        try stage.collection.save(document: try MutableDocument(id: id, json: json))
    }

    @Test("a geometry has entries for its cells, under the number of its path; what isn't one has none")
    func entries() throws {
        try save("a", #"{"place":{"type":"Point","coordinates":[0,0]},"other":[1,2]}"#)
        try stage.collection.createIndex("places", Self.definition)
        try save("b", #"{"place":"here","other":{"type":"Point","coordinates":[0,99]}}"#)
        try save("c", #"{"other":{"type":"LineString","coordinates":[[0,0],[20,20]]}}"#)
        let entries = try stage.entries("places")
        #expect(entries.count { $0.contains(" 1 ") } == 2)
        #expect(entries.contains { $0.hasPrefix("00") } && entries.contains { $0.hasPrefix("01") })
        #expect(entries.count { $0.contains(" 2 ") } == 0)
        #expect((1...12).contains(entries.count { $0.contains(" 3 ") }))
        #expect(try stage.findings() == [])
        try save("a", #"{"place":{"type":"Point","coordinates":[0,0]}}"#)
        #expect(try stage.entries("places").count { $0.contains(" 1 ") } == 1)
        try stage.collection.delete(id: "a")
        #expect(try stage.entries("places").count { $0.contains(" 1 ") } == 0)
    }

    @Test("rows of another program leave the index whole; what it does to the table is found and mended")
    func triggers() throws {
        try save("a", #"{"place":[3,4]}"#)
        try save("b", #"{"place":[5,6]}"#)
        try stage.collection.createIndex("places", Self.definition)
        for statement in [
            "UPDATE documents_1 SET body = (SELECT body FROM documents_1 WHERE id = 'a') WHERE id = 'b'",
            "UPDATE documents_1 SET number = 20 WHERE id = 'a'",
            "DELETE FROM documents_1 WHERE id = 'b'",
        ] {
            try stage.foreign(statement)
            #expect(try stage.findings() == [], "\(statement)")
        }
        let record = try #require(try stage.collection.indexRecords().first)
        let table = try #require(record.geometries).table
        try stage.foreign("UPDATE \(table) SET key1 = x'0000'")
        #expect(try stage.findings().count == 1)
        try stage.collection.deleteIndex("places")
        try stage.collection.createIndex("places", Self.definition)
        #expect(try stage.findings() == [])
    }

    @Test("a definition with another grid than a program knows isn't read")
    func definitions() throws {
        let stored = try KeyDefinition(grid: .plane(low: -5, high: 5.5), paths: ["a"]).stored()
        #expect(try KeyDefinition(stored: stored).grid == .plane(low: -5, high: 5.5))
        #expect(try KeyDefinition(stored: stored).kind == .geo)
        for text in ["cube", "plane 1", "plane 5 1", "plane 0 inf", "plane 0.0 1", "plane 0 1') --"] {
            #expect(GeoGrid(text: text) == nil)
            let changed = stored.replacing("plane -5.0 5.5", with: text)
            #expect(throws: (any Error).self) { try KeyDefinition(stored: changed) }
        }
    }
}
