import SealiteDatabase
import SealiteMongo
import SealiteTestSupport
import SealiteValues
import Testing

@Suite("indexes on geometries")
struct GeoIndexTests {
    let test: TestStore

    init() throws { test = try TestStore() }

    private func point(_ x: Double, _ y: Double) -> BSON {
        ["type": "Point", "coordinates": [.double(x), .double(y)]]
    }

    /// Documents with points around the world, lines and polygons.
    private func documents(_ count: Int, _ random: inout SeededRandom) -> [MongoDocument] {
        (0..<count).map { number in
            let (x, y) = (Double.random(in: -170...170, using: &random), Double.random(in: -85...85, using: &random))
            let near: BSON = [.double(x + 5), .double(y + 1)]
            let place: BSON =
                switch number % 5 {
                case 0: ["type": "LineString", "coordinates": [[.double(x), .double(y)], near]]
                case 1:
                    [
                        "type": "Polygon",
                        "coordinates": [
                            [[.double(x), .double(y)], near, [.double(x), .double(y + 4)], [.double(x), .double(y)]]
                        ],
                    ]
                case 2: [.double(x), .double(y)]
                default: point(x, y)
                }
            return ["_id": .int32(Int32(number)), "place": place, "kind": .int32(Int32(number % 3))]
        }
    }

    private func ids(_ collection: MongoCollection<MongoDocument>, _ filter: MongoDocument) async throws -> [BSON] {
        try await collection.find(filter).toArray().compactMap { $0["_id"] }
    }

    private func code(_ body: () async throws -> Void) async -> Int? {
        do {
            try await body()
            return nil
        } catch { return (error as? MongoError)?.code }
    }

    @Test("find the same documents as a scan")
    func sameAsScan() async throws {
        var random = SeededRandom(seed: 31)
        let all = documents(400, &random)
        let scanned = try await test.collection("scanned", all)
        let indexed = try await test.collection("indexed", Array(all.prefix(300)))
        try await indexed.createIndex(["place": "2dsphere"])
        // Some are inserted later, and some changed or removed, in both.
        try await indexed.insertMany(Array(all.suffix(100)))
        for collection in [scanned, indexed] {
            try await collection.updateMany(["kind": 1], ["$set": ["place": point(10, 10)]])
            try await collection.deleteMany(["kind": 2])
        }
        for _ in 0..<25 {
            let (x, y) = (Double.random(in: -180...180, using: &random), Double.random(in: -80...80, using: &random))
            let radius = [0.01, 0.1, 0.5, 2][Int.random(in: 0..<4, using: &random)]
            let area: BSON = [
                "type": "Polygon",
                "coordinates": [
                    [
                        [.double(x / 2), .double(y)], [.double(x / 2 + 40), .double(y)],
                        [.double(x / 2), .double(y / 2 + 45)],
                        [.double(x / 2), .double(y)],
                    ]
                ],
            ]
            let filters: [MongoDocument] = [
                ["place": ["$geoWithin": ["$centerSphere": [[.double(x), .double(y)], .double(radius)]]]],
                ["place": ["$geoIntersects": ["$geometry": area]], "kind": 0],
                ["place": ["$geoWithin": ["$geometry": area]]],
            ]
            for filter in filters {
                let expected = try await ids(scanned, filter)
                #expect(try await ids(indexed, filter) == expected, "\(filter)")
                #expect(try await indexed.countDocuments(filter) == expected.count)
                #expect(try await indexed.aggregate([["$match": .document(filter)]]).toArray().count == expected.count)
            }
        }
        let plan = try await indexed.explain(["place": ["$geoWithin": ["$centerSphere": [[0, 0], 0.1]]]])
        guard case .index("place_2dsphere", let count) = plan.access else {
            Issue.record("the index isn't used")
            return
        }
        #expect((1...30).contains(count))
    }

    @Test("give the distance and the geometry as metadata, and a rank")
    func metadata() async throws {
        let things = try await test.collection(
            "things", [["_id": 1, "place": point(1, 0)], ["_id": 2, "place": point(0, 0)]])
        try await things.createIndex(["place": "2dsphere"])
        let near: MongoDocument = ["$geoNear": ["near": point(0, 0)]]
        let shown: MongoDocument = [
            "$project": ["far": ["$meta": "geoNearDistance"], "where": ["$meta": "geoNearPoint"]]
        ]
        let rows = try await things.aggregate([near, shown]).toArray()
        #expect(rows.map { $0["_id"] } == [2, 1])
        #expect(rows.first == ["_id": 2, "far": 0.0, "where": point(0, 0)])
        let inputs: MongoDocument = ["pipelines": ["near": [.document(near)]]]
        let fused = try await things.aggregate([["$rankFusion": ["input": .document(inputs)]]]).toArray()
        #expect(fused.map { $0["_id"] } == [2, 1])
    }

    @Test("give documents in the order of their distances, all of them and each once")
    func nearest() async throws {
        var random = SeededRandom(seed: 32)
        let things = try await test.collection("things", documents(300, &random))
        try await things.createIndex(["place": "2dsphere"])
        let near: BSON = ["$geometry": point(170, 60)]
        let found = try await ids(things, ["place": ["$near": near]])
        #expect(Set(found.map { "\($0)" }).count == 300)
        let pipeline: [MongoDocument] = [
            ["$geoNear": ["near": point(170, 60), "distanceField": "how.far", "includeLocs": "where"]]
        ]
        let rows = try await things.aggregate(pipeline).toArray()
        #expect(rows.compactMap { $0["_id"] } == found)
        let distances = rows.compactMap { row -> Double? in
            guard case .document(let how)? = row["how"], case .double(let far)? = how["far"] else { return nil }
            return far
        }
        #expect(distances.count == 300 && distances == distances.sorted())
        let bounds: BSON = [
            "$geometry": point(170, 60), "$minDistance": .double(distances[20]), "$maxDistance": .double(distances[40]),
        ]
        #expect(try await ids(things, ["place": ["$near": bounds]]) == Array(found[20...40]))
        #expect(
            try await things.find(["place": ["$near": near]], options: FindOptions(limit: 3, skip: 2)).toArray()
                .compactMap { $0["_id"] } == Array(found[2..<5]))
        #expect(
            try await things.findOne(["place": ["$near": near], "kind": 1])?["_id"]
                == found.first { id in
                    if case .int32(let number) = id { number % 3 == 1 } else { false }
                })
        let plan = try await things.explain(["place": ["$near": near]])
        #expect(plan.sort == .distance)
        #expect(plan.description == "read the index place_2dsphere in the order of the distances")
    }

    @Test("of the type 2d measure in the plane, and find what is in a box")
    func plane() async throws {
        let things = try await test.collection(
            "things", [["_id": 1, "at": [3, 4]], ["_id": 2, "at": [0, 1]], ["_id": 3, "at": [90, 120]]])
        try await things.createIndex(["at": "2d"], options: IndexOptions(bits: 20))
        #expect(try await ids(things, ["at": ["$near": [0, 0], "$maxDistance": 5]]) == [2, 1])
        #expect(try await ids(things, ["at": ["$geoWithin": ["$box": [[0, 0], [5, 5]]]]]) == [1, 2])
        let rows = try await things.aggregate([["$geoNear": ["near": [0, 0], "distanceField": "d", "maxDistance": 5]]])
            .toArray()
        #expect(rows.compactMap { $0["d"] } == [1.0, 5.0])
        #expect(await code { try await things.insertOne(["at": [200, 0]]) } == 13027)
    }

    @Test("refuse values that aren't geometries to every call that writes, but not to peers")
    func refusals() async throws {
        let things = try await test.collection("things", [["_id": 1, "place": "here"]])
        #expect(await code { try await things.createIndex(["place": "2dsphere"]) } == 16755)
        try await things.deleteMany([:])
        try await things.createIndex(["place": "2dsphere", "kind": 1])
        for place in ["here", 4, ["type": "Point", "coordinates": [0, 99]], [point(0, 0), point(1, 1)]] as [BSON] {
            #expect(await code { try await things.insertOne(["place": place]) } == 16755)
        }
        try await things.insertMany([["_id": 2], ["_id": 3, "place": .null], ["_id": 4, "place": point(1, 1)]])
        #expect(await code { try await things.updateOne(["_id": 4], ["$set": ["place": "there"]]) } == 16755)
        #expect(throws: DatabaseError.self) {
            try things.collection.save(document: try MutableDocument(id: "x", json: #"{"place":7}"#))
        }
        try things.collection.receive("received", #"{"place":"nowhere"}"#)
        #expect(try await ids(things, ["place": ["$near": ["$geometry": point(0, 0)]]]) == [4])
        // What came from a peer can be changed nevertheless, and be repaired.
        try await things.updateOne(["_id": "received"], ["$set": ["kind": 1]])
        try await things.updateOne(["_id": "received"], ["$set": ["place": point(0, 0)]])
        #expect(try await ids(things, ["place": ["$near": ["$geometry": point(0, 0)]]]) == ["received", 4])
    }

    @Test("are needed by searches for the nearest documents, which say so")
    func missing() async throws {
        let things = try await test.collection("things", [["_id": 1, "place": point(1, 1)]])
        let near: MongoDocument = ["place": ["$near": ["$geometry": point(0, 0)]]]
        #expect(await code { _ = try await things.find(near).toArray() } == 291)
        #expect(await code { _ = try await things.aggregate([["$geoNear": ["near": point(0, 0)]]]).toArray() } == 27)
        #expect(await code { _ = try await things.aggregate([["$match": .document(near)]]).toArray() } == 5_626_500)
        try await things.createIndex(["place": "2dsphere"])
        try await things.createIndex(["other": "2dsphere"])
        #expect(await code { _ = try await things.aggregate([["$geoNear": ["near": point(0, 0)]]]).toArray() } == 27)
        let named: MongoDocument = ["$geoNear": ["near": point(0, 0), "key": "place"]]
        #expect(try await things.aggregate([named]).toArray().count == 1)
        #expect(await code { _ = try await things.aggregate([["$limit": 1], named]).toArray() } == 40603)
        #expect(try await things.listIndexNames() == ["_id_", "other_2dsphere", "place_2dsphere"])
    }

    @Test("are listed as they were created, and refused with MongoDB's codes")
    func definitions() async throws {
        let things = try test.collection()
        try await things.createIndex(["at": "2d"], options: IndexOptions(min: -500, max: 500))
        let listed = try await things.listIndexes()[1]
        #expect(listed.keys == ["at": "2d"] && listed.options.min == -500 && listed.options.max == 500)
        #expect(await code { try await things.createIndex(["at": "3d"]) } == 67)
        #expect(await code { try await things.createIndex(["a": 1, "at": "2d"]) } == 67)
        #expect(await code { try await things.createIndex(["b": "2d"], options: IndexOptions(bits: 0)) } == 72)
        #expect(
            await code { try await things.createIndex(["b": "2dsphere"], options: IndexOptions(sphereIndexVersion: 9)) }
                == 67)
        #expect(
            await code { try await things.createIndex(["b": "2dsphere"], options: IndexOptions(unique: true)) } == 67)
        #expect(
            await code { try await things.createIndex(["c": "2dsphere"], options: IndexOptions(name: "at_2d")) } == 86)
    }
}
