import SealiteDatabase
import SealiteMongo
import SealiteValues
import Testing

@Suite("$text and text indexes")
struct TextSearchTests {
    private let test: TestStore
    private let notes: MongoCollection<MongoDocument>

    init() async throws {
        test = try TestStore()
        notes = try await test.collection(
            "notes",
            [
                ["_id": 1, "body": "The cat sleeps on the red roof", "title": "Cats"],
                ["_id": 2, "body": ["a dog runs", "and two cats are running"]],
                ["_id": 3, "body": "Café au lait", "more": ["text": "cat"]],
                ["_id": 4, "body": 7],
            ])
        try await notes.createIndex(["body": "text", "title": "text"], options: IndexOptions(weights: ["title": 3]))
    }

    private func ids(_ search: MongoDocument, _ more: MongoDocument = [:]) async throws -> [BSON?] {
        var filter = more
        filter["$text"] = .document(search)
        return try await notes.find(filter, options: FindOptions(sort: ["_id": 1])).toArray().map { $0["_id"] }
    }

    private func code(_ body: () async throws -> Void) async -> Int? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? MongoError)?.code
        }
    }

    @Test("words are found by their stems, without stop words, with and without accents")
    func words() async throws {
        #expect(try await ids(["$search": "cat"]) == [1, 2])
        #expect(try await ids(["$search": "run lait"]) == [2, 3])
        #expect(try await ids(["$search": "the"]) == [])
        #expect(try await ids(["$search": "cafe"]) == [3])
        #expect(try await ids(["$search": "cafe", "$diacriticSensitive": true]) == [])
        #expect(try await ids(["$search": "cat", "$caseSensitive": true]) == [1, 2])
        #expect(try await ids(["$search": "Cat", "$caseSensitive": true]) == [1])
        #expect(try await ids(["$search": "running", "$language": "none"]) == [])
    }

    @Test("phrases are required, negated words and phrases are refused, and other conditions hold as well")
    func phrases() async throws {
        #expect(try await ids(["$search": "\"red roof\""]) == [1])
        #expect(try await ids(["$search": "\"roof red\""]) == [])
        #expect(try await ids(["$search": "cat -roof"]) == [2])
        #expect(try await ids(["$search": "cat -\"red roof\""]) == [2])
        #expect(try await ids(["$search": "cat"], ["title": "Cats"]) == [1])
    }

    @Test("scores are those of MongoDB, as a sort, a projection and in pipelines")
    func scores() async throws {
        let score: BSON = ["$meta": "textScore"]
        let options = FindOptions(projection: ["s": score], sort: ["s": score])
        let found = try await notes.find(["$text": ["$search": "cat"]], options: options).toArray()
        #expect(found.map { $0["_id"] } == [1, 2])
        // One of four words, once; and the title alone, with three times the weight and a tenth more.
        #expect(found[0]["s"] == .double(0.5 / 4 + 0.5 + 3))
        #expect(found[0]["title"] == "Cats")
        let rows = try await notes.aggregate([
            ["$match": ["$text": ["$search": "cat"]]], ["$sort": ["s": score]], ["$project": ["s": score]],
        ]).toArray()
        #expect(rows.map { $0["s"] } == found.map { $0["s"] })
    }

    @Test("updates, deletions and counts search, too, and the index follows the documents")
    func writes() async throws {
        let filter: MongoDocument = ["$text": ["$search": "cat"]]
        #expect(try await notes.countDocuments(filter) == 2)
        try await notes.updateMany(filter, ["$set": ["body": "horses"]])
        #expect(try await ids(["$search": "horse"]) == [1, 2])
        try await notes.deleteOne(["$text": ["$search": "lait"]])
        #expect(try await ids(["$search": "lait"]) == [])
        #expect(try await notes.listIndexNames() == ["_id_", "body_text_title_text"])
        try await notes.dropIndex("body_text_title_text")
        #expect(await code { _ = try await notes.find(filter).toArray() } == 27)
    }

    @Test(
        "what can't be searched for is refused",
        arguments: [
            (["$text": [:]], 4), (["$text": ["$search": 1]], 14), (["$text": ["$search": "a", "$x": 1]], 2),
            (["$text": ["$search": "a", "$language": "x"]], 2), (["$nor": [["$text": ["$search": "a"]]]], 2),
            (["$and": [["$text": ["$search": "a"]], ["$text": ["$search": "b"]]]], 2),
            (["$or": [["$text": ["$search": "a"]], ["a": 1]]], 291),
            (["a": ["$elemMatch": ["$text": ["$search": "a"]]]], 2),
        ] as [(MongoDocument, Int)])
    func refusals(_ filter: MongoDocument, _ expected: Int) async throws {
        #expect(await code { _ = try await notes.find(filter).toArray() } == expected)
    }

    @Test("a collection has one text index, of known languages and weights")
    func definitions() async throws {
        #expect(await code { try await notes.createIndex(["other": "text"]) } == 85)
        let other = try test.collection("other")
        #expect(await code { try await other.createIndex(["a": "text", "b": 1]) } == 67)
        let language = IndexOptions(defaultLanguage: "klingon")
        #expect(await code { try await other.createIndex(["a": "text"], options: language) } == 67)
        let weight = IndexOptions(weights: ["a": 0])
        #expect(await code { try await other.createIndex(["a": "text"], options: weight) } == 67)
        #expect(await code { try await other.createIndex(["a": "text"], options: IndexOptions(unique: true)) } == 67)
    }

    @Test("$collStats and $indexStats describe the collection, and a missing one isn't created")
    func statistics() async throws {
        let stats = try await notes.aggregate([["$collStats": ["count": [:], "storageStats": [:]]]]).toArray()
        #expect(stats[0]["count"] == 4)
        #expect(stats[0]["storageStats"]?.asDocument?["nindexes"] == 2)
        let indexes = try await notes.aggregate([["$indexStats": [:]]]).toArray()
        #expect(indexes.map { $0["name"] } == ["_id_", "body_text_title_text"])
        #expect(await code { _ = try await notes.aggregate([["$collStats": ["latencyStats": [:]]]]).toArray() } == 20)
        let missing = try test.store.aggregate([["$collStats": ["count": [:]]]], on: "missing")
        #expect(await code { _ = try await missing.toArray() } == 26)
        let rows = try await test.store.aggregate([["$documents": [["a": 1]]]]).toArray()
        #expect(rows == [["a": 1]])
        #expect(await code { _ = try await test.store.aggregate([["$match": [:]]]).toArray() } == 73)
        #expect(try await test.store.database.collection(name: "missing") == nil)
    }

    @Test("$merge needs a unique index over 'on', and changes no '_id'")
    func merging() async throws {
        let merge: BSON = ["into": "target", "on": "body"]
        #expect(await code { _ = try await notes.aggregate([["$merge": merge]]).toArray() } == 51183)
        #expect(try await test.store.database.collection(name: "target") == nil)
        let target = try await test.collection("target", [["_id": 9, "body": 7]])
        try await target.createIndex(["body": 1], options: IndexOptions(unique: true))
        let one: MongoDocument = ["$match": ["_id": 4]]
        #expect(await code { _ = try await notes.aggregate([one, ["$merge": merge]]).toArray() } == 66)
        let lists: MongoDocument = ["$match": ["_id": 2]]
        #expect(await code { _ = try await notes.aggregate([lists, ["$merge": merge]]).toArray() } == 51185)
        _ = try await notes.aggregate([one, ["$set": ["n": 1]], ["$unset": "_id"], ["$merge": merge]]).toArray()
        #expect(try await target.find().toArray() == [["_id": 9, "body": 7, "n": 1]])
    }
}
