import BenchmarkData
import Foundation
import SealiteDatabase
import SealiteMongo
import SealiteQuery
import SealiteValues

/// Measures the MongoDB API over sealed documents, compared with SQL++ and the document API on the same file.
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
        for _ in 0..<Self.rounds {
            try count(sealed.database, collection)
            try group(sealed.database, collection)
            try groupByTwo(sealed.database, collection)
        }
        try find(collection)
        try findMany(sealed.database, collection)
        for round in 0..<Self.rounds {
            try sealed.update()
            try update(collection, round)
        }
        measure.printRatio("mongo count by age, no index", to: "SQL++ count by age, no index", bound: 1.3)
        measure.printRatio("mongo group by city, no index", to: "SQL++ group by city, no index", bound: 1.5)
        measure.printRatio(
            "mongo group by city and age, no index", to: "SQL++ group by city and age, no index", bound: 0.6)
        measure.printRatio(
            "mongo find by an indexed number, all", to: "SQL++ find by an indexed number, all", bound: 1.3)
        measure.printRatio("mongo updateMany by $set", to: "sealed updates in one transaction", bound: 1.11)
        try sealed.database.close()
        try FileManager.default.removeItem(atPath: place)
    }

    /// The number of alternating repetitions of each compared operation.
    private static let rounds = 7

    private func count(_ database: Database, _ collection: MongoCollection<MongoDocument>) throws {
        let query = try database.createQuery("SELECT COUNT(*) FROM _ WHERE age > 40")
        try measure.run("SQL++ count by age, no index", people.count) { _ = try query.execute().nextResult() }
        try measure.run("mongo count by age, no index", people.count) {
            _ = try awaited { try await collection.countDocuments(["age": ["$gt": 40]]) }
        }
    }

    private func group(_ database: Database, _ collection: MongoCollection<MongoDocument>) throws {
        let query = try database.createQuery("SELECT COUNT(*), address.city FROM _ GROUP BY address.city")
        try measure.run("SQL++ group by city, no index", people.count) { _ = try query.execute().allResults() }
        try measure.run("mongo group by city, no index", people.count) {
            _ = try awaited {
                try await collection.aggregate([["$group": ["_id": "$address.city", "n": ["$sum": 1]]]]).toArray()
            }
        }
    }

    private func groupByTwo(_ database: Database, _ collection: MongoCollection<MongoDocument>) throws {
        let query = try database.createQuery(
            "SELECT address.city, age, COUNT(*), AVG(score) FROM _ GROUP BY address.city, age")
        try measure.run("SQL++ group by city and age, no index", people.count) {
            _ = try query.execute().allResults()
        }
        let stage: MongoDocument = [
            "$group": [
                "_id": ["city": "$address.city", "age": "$age"], "n": ["$sum": 1], "mean": ["$avg": "$score"],
            ]
        ]
        try measure.run("mongo group by city and age, no index", people.count) {
            _ = try awaited { try await collection.aggregate([stage]).toArray() }
        }
    }

    /// Finds all people of some ages by an index, decoded.
    private func findMany(_ database: Database, _ collection: MongoCollection<MongoDocument>) throws {
        let ages = 30..<40
        let count = people.count { ages.contains($0.age) }
        try awaited { _ = try await collection.createIndex(["age": 1]) }
        try database.defaultCollection().createIndex(withName: "age", config: ValueIndexConfiguration(["age"]))
        let query = try database.createQuery("SELECT META().id, _ FROM _ WHERE age = $age")
        for _ in 0..<Self.rounds {
            try measure.run("SQL++ find by an indexed number, all", count) {
                for age in ages {
                    query.parameters = Parameters().setInt(age, forName: "age")
                    for result in try query.execute() { _ = result.toDictionary() }
                }
            }
            try measure.run("mongo find by an indexed number, all", count) {
                try awaited { for age in ages { _ = try await collection.find(["age": BSON(age)]).toArray() } }
            }
        }
        try awaited { try await collection.dropIndex("age_1") }
        try database.defaultCollection().deleteIndex(forName: "age")
    }

    private func find(_ collection: MongoCollection<MongoDocument>) throws {
        let chosen = randomIndexes(2000, below: people.count).map { people[$0] }
        try awaited { _ = try await collection.createIndex(["email": 1]) }
        for _ in 0..<3 {
            try measure.run("mongo find by _id", chosen.count) {
                try awaited { for person in chosen { _ = try await collection.findOne(["_id": .string(person.id)]) } }
            }
            try measure.run("mongo find by an indexed string, first", chosen.count) {
                try awaited {
                    for person in chosen { _ = try await collection.find(["email": .string(person.email)]).first() }
                }
            }
        }
        try awaited { try await collection.dropIndex("email_1") }
        try measure.run("mongo find of a quarter of the documents", people.count) {
            _ = try awaited { try await collection.find(["age": ["$gt": 70]]).toArray() }
        }
    }

    private func update(_ collection: MongoCollection<MongoDocument>, _ round: Int) throws {
        // A fifth of the documents, the same ones in each round.
        let count = people.count { $0.score < 200 }
        try measure.run("mongo updateMany by $set", count) {
            let update: MongoDocument = ["$set": ["age": BSON(91 + round)]]
            _ = try awaited { try await collection.updateMany(["score": ["$lt": 200]], update) }
        }
    }
}
