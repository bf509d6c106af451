import SealiteDatabase
import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("search indexes of MongoDB's collections")
struct SearchIndexTests {
    private func code(_ work: () async throws -> Void) async -> Int? {
        do {
            try await work()
            return nil
        } catch {
            return (error as? MongoError)?.code
        }
    }

    @Test("an index is created, listed and dropped")
    func life() async throws {
        let stage = try VectorCollection()
        let (collection, definition) = (stage.collection, stage.definition("dotProduct", "scalar"))
        #expect(try await collection.createSearchIndex(name: "near", definition: definition) == "near")
        #expect(try await collection.createSearchIndex(name: "near", definition: definition) == "near")
        let listed = try await collection.listSearchIndexes()
        #expect(listed.count == 1)
        #expect(listed[0]["name"] == "near")
        #expect(listed[0]["type"] == "vectorSearch")
        #expect(listed[0]["queryable"] == true)
        let field: BSON = [
            "type": "vector", "path": "e.v", "numDimensions": 6, "similarity": "dotProduct", "quantization": "scalar",
        ]
        #expect(listed[0]["latestDefinition"]?.members?["fields"]?.items == [field])
        let other = stage.definition("cosine")
        #expect(await code { try await collection.createSearchIndex(name: "near", definition: other) } == 68)
        try await collection.createIndex(["near": 1])
        #expect(await code { try await collection.createSearchIndex(name: "near_1", definition: other) } == 68)
        #expect(await code { try await collection.dropSearchIndex("near_1") } == 27)
        #expect(await code { try await collection.dropIndex("near") } == 27)
        try await collection.dropSearchIndex("near")
        #expect(try await collection.listSearchIndexes().isEmpty)
        #expect(await code { try await collection.dropSearchIndex("near") } == 27)
    }

    @Test("an index has as many lists as the square root of the number of documents, from 16 to 4,096")
    func lists() throws {
        func lists(_ documents: UInt64, dimensions: Int = 6) throws -> Int {
            let field: BSON = [
                "type": "vector", "path": "v", "numDimensions": BSON(dimensions), "similarity": "cosine",
            ]
            return try SearchIndexModel(["fields": .array([field])]).stored(documentCount: documents).centroids
        }
        #expect(try [0, 255, 10_000, 100_000_000].map { try lists($0) } == [16, 16, 100, 4_096])
        #expect(try lists(100_000_000, dimensions: 4_096) == 2_621)
    }

    @Test("names with quotation marks and dollar signs behind their beginning are parts of paths")
    func paths() {
        for names in [["v"], ["a", "b", "c"], ["it's", "'"], ["a``b", "0"], ["'', '"], ["é", "e\u{301}"]] {
            let path = VectorPath(names: names)
            #expect(VectorPath(sql: path.sql)?.names.map { Array($0.utf8) } == names.map { Array($0.utf8) })
        }
        for sql in [
            "query_value(body)", "query_value(body, 0)", "query_value(body, 'a', 0)", "x", "query_value(body, 'a'",
        ] {
            #expect(VectorPath(sql: sql) == nil)
        }
    }

    @Test(
        "an invalid definition is refused",
        arguments: [
            [:], ["fields": 1], ["fields": []], ["fields": [1]], ["fields": [["type": "filter", "path": "a"]]],
            ["type": "search", "fields": []], ["mappings": [:]],
            ["fields": [["type": "text", "path": "a"]]],
        ] as [MongoDocument])
    func invalid(definition: MongoDocument) async throws {
        let stage = try VectorCollection()
        #expect(await code { try await stage.collection.createSearchIndex(definition: definition) } == 67)
    }

    @Test(
        "an invalid field of a definition is refused",
        arguments: [
            ["numDimensions": 1], ["numDimensions": 5_000], ["numDimensions": "3"], ["path": 1], ["path": "_id.v"],
            ["path": .string(Array(repeating: "a", count: 101).joined(separator: "."))], ["similarity": "hamming"],
            ["similarity": 1], ["more": 1], ["quantization": "binary"], ["quantization": 8],
        ] as [MongoDocument])
    func invalidField(change: MongoDocument) throws {
        var field: MongoDocument = ["type": "vector", "path": "v", "numDimensions": 3, "similarity": "cosine"]
        _ = try SearchIndexModel(["fields": .array([.document(field)])])
        for member in change { field[member.key] = member.value }
        for fields in [[field], [field, field]] as [[MongoDocument]] {
            let error = #expect(throws: MongoError.self) {
                try SearchIndexModel(["fields": .array(fields.map { .document($0) })])
            }
            #expect(error?.code == 67)
        }
    }
}
