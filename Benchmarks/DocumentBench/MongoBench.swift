import BenchmarkData
import Foundation
import SealiteDatabase
import SealiteMongo
import SealiteQuery
import SealiteValues

/// What MongoDB's calls cost over sealed documents, against SQL++ and the calls of documents on the same file.
struct MongoBench {
    let folder: String
    let people: [PersonGenerator.Person]
    let texts: [[UInt8]]
    let measure: Measurement

    func run() throws {
        let place = folder + "/mongo"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let sealed = try SealedBench(folder: place, people: people, texts: texts, measure: measure)
        try sealed.insert()
        let collection: MongoCollection<MongoDocument> = try MongoStore(sealed.database).collection(
            Database.defaultCollectionName)
        for _ in 0..<3 {
            try count(sealed.database, collection)
            try group(sealed.database, collection)
        }
        try find(collection)
        for round in 0..<3 {
            try sealed.update()
            try update(collection, round)
        }
        try sealed.database.close()
        try FileManager.default.removeItem(atPath: place)
    }

    private func count(_ database: Database, _ collection: MongoCollection<MongoDocument>) throws {
        let query = try database.createQuery("SELECT COUNT(*) FROM _ WHERE age > 40")
        try measure.run("SQL++ count by age, no index", people.count) { _ = try query.execute().nextResult() }
        try measure.run("mongo count by age, no index", people.count) {
            _ = try wait { try await collection.countDocuments(["age": ["$gt": 40]]) }
        }
    }

    private func group(_ database: Database, _ collection: MongoCollection<MongoDocument>) throws {
        let query = try database.createQuery("SELECT COUNT(*), address.city FROM _ GROUP BY address.city")
        try measure.run("SQL++ group by city, no index", people.count) { _ = try query.execute().allResults() }
        try measure.run("mongo group by city, no index", people.count) {
            _ = try wait {
                try await collection.aggregate([["$group": ["_id": "$address.city", "n": ["$sum": 1]]]]).toArray()
            }
        }
    }

    private func find(_ collection: MongoCollection<MongoDocument>) throws {
        let ids = randomIndexes(2000, below: people.count).map { people[$0].id }
        try measure.run("mongo find by _id", ids.count) {
            try wait { for id in ids { _ = try await collection.findOne(["_id": .string(id)]) } }
        }
        try measure.run("mongo find of a quarter of the documents", people.count) {
            _ = try wait { try await collection.find(["age": ["$gt": 70]]).toArray() }
        }
    }

    private func update(_ collection: MongoCollection<MongoDocument>, _ round: Int) throws {
        let ids = randomIndexes(40_000, below: people.count).prefix(20_000).map { BSON.string(people[$0].id) }
        let count = Set(ids).count
        // Marks the documents first, so that one statement finds them.
        try wait {
            try await collection.updateMany([:], ["$unset": ["chosen": 1]])
            for start in stride(from: 0, to: ids.count, by: 400) {
                let part = Array(ids[start..<min(start + 400, ids.count)])
                try await collection.updateMany(["_id": ["$in": .array(part)]], ["$set": ["chosen": true]])
            }
        }
        try measure.run("mongo updateMany by $set", count) {
            _ = try wait { try await collection.updateMany(["chosen": true], ["$set": ["age": BSON(91 + round)]]) }
        }
    }

    /// Waits for asynchronous work.
    private func wait<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let done = DispatchSemaphore(value: 0)
        let box = Box<Value>()
        Task.detached {
            do { box.result = .success(try await body()) } catch { box.result = .failure(error) }
            done.signal()
        }
        done.wait()
        guard let result = box.result else { throw CancellationError() }
        return try result.get()
    }

    /// A place for the result of a task.
    // Sendable: a semaphore orders the two threads that use it.
    private final class Box<Value>: @unchecked Sendable {
        var result: Swift.Result<Value, any Error>?
    }
}
