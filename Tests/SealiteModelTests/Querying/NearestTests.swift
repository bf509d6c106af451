import FoundationEssentials
import SealiteDatabase
import SealiteQuery
import SealiteTestSupport
import SealiteValues
import Testing

@testable import SealiteModel

private struct Note: Model {
    struct Detail: Codable, Sendable { var vector: [Float] = [] }

    var id: Int
    var kind = 0
    var embedding: [Float] = []
    var other: Data?
    var detail: Detail?

    static let declaration = ModelDeclaration(
        name: "Note",
        .property("embedding", vectorIndex: PropertyVectorIndex(dimensions: 4, centroids: 2)),
        .property("other", vectorIndex: PropertyVectorIndex(dimensions: 2, centroids: 1, metric: .cosine)))
}

@Suite("objects nearest to a vector")
struct NearestTests {
    private let fixture: StoreFixture
    private let store: ModelStore
    private let notes: [Note]

    init() throws {
        fixture = try StoreFixture()
        store = try fixture.store(Note.self)
        var random = SeededRandom(part: 48)
        var notes = (0..<120).map { id in
            Note(id: id, kind: id % 5, embedding: (0..<4).map { _ in Float.random(in: -1...1, using: &random) })
        }
        notes[7].embedding = []
        self.notes = notes
        try store.write { [notes] transaction in for note in notes { try transaction.save(note) } }
    }

    private func nearest(_ vector: [Float], where isTaken: (Note) -> Bool = { _ in true }) -> [Int] {
        func distance(_ note: Note) -> Float {
            zip(note.embedding, vector).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        }
        return notes.filter { $0.id != 7 && isTaken($0) }.sorted { distance($0) < distance($1) }.map(\.id)
    }

    @Test("a list of numbers has a vector index, by which the nearest objects are found in their order")
    func nearest() throws {
        let names = try store.collection(of: Note.self).indexes()
        #expect(names == ["model_embedding", "model_other"])
        #expect(try store.object(Note.self, id: 3)?.embedding == notes[3].embedding)
        let vector = notes[5].embedding
        let query = store.objects(Note.self).nearest(to: vector, by: \.embedding, limit: 6)
        #expect(try query.all().map(\.id) == Array(nearest(vector).prefix(6)))
        #expect(try query.count() == 6)
        #expect(try query.first()?.id == 5)
        #expect(try query.explain().contains("model_embedding"))
        #expect(try query.limit(2, offset: 1).all().map(\.id) == Array(nearest(vector)[1..<3]))
        #expect(try query.limit(200).count() == 119)
    }

    @Test("other conditions hold for the objects, and sort orders don't take the nearest objects' place")
    func conditions() throws {
        let vector = notes[9].embedding
        let expected = Array(nearest(vector) { $0.kind == 2 }.prefix(4))
        let query = store.objects(Note.self).where(\.kind == 2)
        #expect(try query.nearest(to: vector, by: \.embedding, limit: 4).all().map(\.id) == expected)
        #expect(
            try query.sorted(by: \.id).nearest(to: vector, by: \.embedding, limit: 4).sorted(by: \.kind).all().map(\.id)
                == expected)
        let again = query.nearest(to: [9, 9, 9, 9], by: \.embedding, limit: 1).nearest(
            to: vector, by: \.embedding, limit: 4)
        #expect(try again.all().map(\.id) == expected)
    }

    @Test("data with float32 is a vector too")
    func data() throws {
        let bytes = [1, 2].flatMap { (float: Float) in
            (0..<4).map { UInt8(truncatingIfNeeded: float.bitPattern >> ($0 * 8)) }
        }
        try store.save(Note(id: 500, other: Data(bytes)))
        try store.save(Note(id: 501, other: Data(bytes.dropLast())))
        #expect(try store.objects(Note.self).nearest(to: [1, 2], by: \.other, limit: 5).all().map(\.id) == [500])
    }

    @Test("a member without an index, a vector of another length, and parts that don't go together are refused")
    func refused() throws {
        let objects = store.objects(Note.self)
        for query in [
            objects.nearest(to: [1, 2, 3, 4], by: \.kind, limit: 1),
            objects.nearest(to: [1, 2, 3], by: \.embedding, limit: 1),
            objects.nearest(to: [1, 2, 3, 4], by: \.embedding, limit: 0),
            objects.nearest(to: [1, 2, 3, 4], by: \.embedding, limit: 10_001),
            objects.nearest(to: [1, 2, 3, 4], by: \.embedding, limit: 1).distinct(by: \.kind),
        ] {
            #expect(throws: DatabaseError(.invalidQuery, "")) { try query.all() }
        }
        #expect(throws: DatabaseError(.invalidQuery, "")) {
            try objects.nearest(to: [1, 2, 3, 4], by: \.embedding, limit: 1).sectioned(by: \.kind).all()
        }
    }

    @Test("observed objects are those nearest after each change")
    func observed() async throws {
        let vector = notes[5].embedding
        var values = store.objects(Note.self).nearest(to: vector, by: \.embedding, limit: 2).values.makeAsyncIterator()
        #expect(try await values.next()?.map(\.id) == Array(nearest(vector).prefix(2)))
        try await store.save(Note(id: 900, embedding: vector))
        #expect(Set(try await values.next()?.map(\.id) ?? []) == [5, 900])
    }
}

@Suite("vector indexes of declared types")
struct VectorDeclarationTests {
    private let stage: MigrationStage

    init() throws { stage = try MigrationStage() }

    private func schema(_ index: PropertyVectorIndex?, isIndexed: Bool = false, _ type: PropertyType = .array(.double))
        -> Schema
    {
        Schema([
            ObjectSchema("A", properties: [Property("v", type, isIndexed: isIndexed, vectorIndex: index)])
        ])
    }

    private func definition() throws -> VectorIndexConfiguration? {
        try stage.collection("A").index(withName: "model_v")?.vectors
    }

    @Test("an index follows its declaration, without a higher version, and is kept if nothing changes")
    func indexes() throws {
        try stage.open(schema(nil))
        #expect(try definition() == nil)
        try stage.open(schema(PropertyVectorIndex(dimensions: 3)))
        #expect(try definition()?.dimensions == 3 && definition()?.centroids == 64)
        let number = try stage.collection("A").indexRecords().map(\.number)
        try stage.open(schema(PropertyVectorIndex(dimensions: 3)))
        #expect(try stage.collection("A").indexRecords().map(\.number) == number)
        try stage.open(schema(PropertyVectorIndex(dimensions: 4, centroids: 2, metric: .dot)))
        #expect(try definition()?.dimensions == 4 && definition()?.metric == .dot)
        try stage.open(schema(nil))
        #expect(try stage.collection("A").indexes() == [])
        try stage.open(schema(nil, isIndexed: true, .string), version: 2)
        #expect(try stage.collection("A").indexes() == ["model_v"] && definition() == nil)
        try stage.open(schema(PropertyVectorIndex(dimensions: 3), .string), version: 2)
        #expect(try definition()?.dimensions == 3)
        try stage.open(schema(nil, isIndexed: true, .string), version: 2)
        #expect(try stage.collection("A").indexes() == ["model_v"] && definition() == nil)
        #expect(try stage.database.integrityFindings() == [])
    }

    @Test("definitions that no index can have are problems of the schema")
    func problems() {
        let wrong: [Schema] = [
            schema(PropertyVectorIndex(dimensions: 3), .bool),
            schema(PropertyVectorIndex(dimensions: 3), .array(.string)),
            schema(PropertyVectorIndex(dimensions: 3), isIndexed: true, .string),
            schema(PropertyVectorIndex(dimensions: 1)), schema(PropertyVectorIndex(dimensions: 3, centroids: 0)),
            schema(PropertyVectorIndex(dimensions: 4097)),
            schema(PropertyVectorIndex(dimensions: 3, centroids: 64_001)),
        ]
        for schema in wrong { #expect(schema.problems(isSynced: false).count == 1) }
        for type in [.array(.double), .array(.int), .data, .string, .mixed] as [PropertyType] {
            #expect(schema(PropertyVectorIndex(dimensions: 3), type).problems(isSynced: false) == [])
        }
    }

    @Test("JSON Schema has the definition in the member of Sealite's own")
    func mapping() throws {
        let schema = schema(PropertyVectorIndex(dimensions: 384, centroids: 141, metric: .cosine))
        let text = schema.jsonSchema(of: "A")
        let member: MongoDocument = ["dimensions": 384, "centroids": 141, "metric": "cosine"]
        #expect(
            text["properties"] == [
                "v": [
                    "bsonType": "array", "items": ["bsonType": "double"], "sealite": ["vectorIndex": .document(member)],
                ]
            ])
        #expect(try Schema(jsonSchema: [text]).objects.first?.properties == schema.objects[0].properties)
        #expect(PropertyVectorIndex(member)?.dimensions == 384)
        for wrong in [
            ["dimensions": 384, "centroids": 141], ["dimensions": 1, "centroids": 141, "metric": "cosine"],
            ["dimensions": "3", "centroids": 141, "metric": "cosine"],
            ["dimensions": 3, "centroids": 141, "metric": "near"],
        ] as [MongoDocument] {
            #expect(PropertyVectorIndex(wrong) == nil)
        }
    }
}
