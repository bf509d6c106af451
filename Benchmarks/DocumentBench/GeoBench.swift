import Foundation
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteMongo
import SealiteValues

/// Measures searches for points by the MongoDB API, with an index of the type `2dsphere` and by a scan.
struct GeoBench {
    let folder: String
    /// The number of points, which are spread evenly over all longitudes and over latitudes from −80 to 80.
    let count: Int
    let measure: Measurement

    func run() throws {
        let place = folder + "/geo"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let database = try Database.create(place + "/geo.db", slot: .rawKey(SealedBench.key))
        let collection: MongoCollection<MongoDocument> = try MongoStore(database).collection("places")
        try measure.run("geo insertMany of points, no index", count) { try insert(collection) }
        let circle = Self.circle(13.4, 52.5, kilometres: 25)
        let wide = Self.circle(13.4, 52.5, kilometres: 500)
        for _ in 0..<3 {
            try measure.run("geo search in a radius, scan", 1) { try find(collection, circle) }
            try measure.run("geo search in 500 km, scan", 1) { try find(collection, wide) }
        }
        try measure.run("geo createIndex 2dsphere", count) {
            _ = try awaited { try await collection.createIndex(["place": "2dsphere"]) }
        }
        for round in 0..<3 {
            try measure.run("geo search in a radius, 2dsphere", 100) {
                for number in 0..<100 {
                    try find(collection, Self.circle(13.4 + Double(number + 100 * round) / 10, 52.5, kilometres: 25))
                }
            }
            // The very search of the scan, once.
            try measure.run("geo search in the same radius, 2dsphere", 1) { try find(collection, circle) }
            try measure.run("geo search in 500 km, 2dsphere", 1) { try find(collection, wide) }
            try measure.run("geo nearest ten, 2dsphere", 100) {
                for number in 0..<100 {
                    let near: MongoDocument = ["place": ["$near": ["$geometry": Self.point(Double(number), 40)]]]
                    _ = try awaited { try await collection.find(near, options: FindOptions(limit: 10)).toArray() }
                }
            }
        }
        measure.printRatio("geo search in the same radius, 2dsphere", to: "geo search in a radius, scan", bound: 0.02)
        measure.printRatio("geo search in 500 km, 2dsphere", to: "geo search in 500 km, scan", bound: 0.02)
        try database.close()
        try FileManager.default.removeItem(atPath: place)
    }

    private static func point(_ longitude: Double, _ latitude: Double) -> BSON {
        ["type": "Point", "coordinates": [.double(longitude), .double(latitude)]]
    }

    private static func circle(_ longitude: Double, _ latitude: Double, kilometres: Double) -> MongoDocument {
        let center: BSON = [.double(longitude), .double(latitude)]
        return ["place": ["$geoWithin": ["$centerSphere": [center, .double(kilometres / 6378.1)]]]]
    }

    private func insert(_ collection: MongoCollection<MongoDocument>) throws {
        var state: UInt64 = 1
        func random() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) / Double(UInt64(1) << 53)
        }
        for start in stride(from: 0, to: count, by: 10_000) {
            let documents = (start..<min(start + 10_000, count)).map { number -> MongoDocument in
                [
                    "_id": .int32(Int32(number)), "name": .string("place \(number)"),
                    "place": Self.point(random() * 360 - 180, random() * 160 - 80),
                ]
            }
            try awaited { _ = try await collection.insertMany(documents) }
        }
    }

    private func find(_ collection: MongoCollection<MongoDocument>, _ filter: MongoDocument) throws {
        _ = try awaited { try await collection.find(filter).toArray() }
    }
}
