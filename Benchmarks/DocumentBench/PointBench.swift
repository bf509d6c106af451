import BenchmarkData
import Foundation
import SealiteDatabase
import SealiteQuery

/// Measures point queries, index builds and saves of single documents of a database of people: rows that are compared
/// with other builds of the library and with other databases, each by the thread's processor time. The fastest of the
/// rounds counts, since other work of the machine only adds time.
struct PointBench {
    let folder: String
    let people: [PersonGenerator.Person]
    let texts: [[UInt8]]
    let measure: Measurement

    func run() throws {
        let place = folder + "/points"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let sealed = try SealedBench(folder: place, people: people, texts: texts, measure: measure)
        try sealed.insert()
        try buildIndexes(sealed)
        try findPeople(sealed.database)
        try saveSingly(sealed)
        try sealed.database.close()
        try FileManager.default.removeItem(atPath: place)
    }

    /// Prints the least time of one of `count` works.
    private func least(_ name: String, rounds: Int, _ count: Int, _ work: (Int) throws -> Void) rethrows {
        var least = Double.infinity
        for round in 0..<rounds {
            let start = Measurement.seconds(CLOCK_PROCESS_CPUTIME_ID)
            try work(round)
            least = min(least, Measurement.seconds(CLOCK_PROCESS_CPUTIME_ID) - start)
        }
        print("\(name): \(Measurement.rounded(least / Double(count) * 1e6)) µs processor")
    }

    private func buildIndexes(_ sealed: SealedBench) throws {
        let indexes: [(String, any IndexConfiguration)] = [
            ("age", ValueIndexConfiguration(["age"])), ("score", ValueIndexConfiguration(["score"])),
            ("city", ValueIndexConfiguration(["address.city"])), ("email", ValueIndexConfiguration(["email"])),
            ("tags", ArrayIndexConfiguration(path: "tags")),
        ]
        for (name, configuration) in indexes {
            try least("building the index \(name)", rounds: 3, 1) { _ in
                try sealed.collection.deleteIndex(forName: name)
                try sealed.collection.createIndex(withName: name, config: configuration)
            }
        }
    }

    private func findPeople(_ database: Database) throws {
        let indexes = randomIndexes(1000, below: people.count)
        var total = 0
        try least("a new query with a parameter", rounds: 9, indexes.count) { _ in
            for index in indexes {
                let query = try database.createQuery("SELECT age FROM _ WHERE email = $email")
                query.parameters = Parameters().setString(people[index].email, forName: "email")
                total += try query.execute().nextResult()?.int(at: 0) ?? 0
            }
        }
        try least("a new query with an interpolated value", rounds: 9, indexes.count) { _ in
            for index in indexes {
                let query = try database.createQuery("SELECT age FROM _ WHERE email = \(people[index].email)")
                total += try query.execute().nextResult()?.int(at: 0) ?? 0
            }
        }
        try least("a new query with the value in its text", rounds: 9, indexes.count) { round in
            for index in indexes {
                let text = "SELECT age, \(round) FROM _ WHERE email = '\(people[index].email)'"
                total += try database.createQuery(text as String).execute().nextResult()?.int(at: 0) ?? 0
            }
        }
        try least("a query with another parameter", rounds: 9, indexes.count) { _ in
            let query = try database.createQuery("SELECT age FROM _ WHERE email = $email")
            for index in indexes {
                query.parameters = Parameters().setString(people[index].email, forName: "email")
                total += try query.execute().nextResult()?.int(at: 0) ?? 0
            }
        }
        guard total == 36 * indexes.reduce(0, { $0 + people[$1].age }) else { fatalError("the people differ") }
    }

    private func saveSingly(_ sealed: SealedBench) throws {
        let single = try sealed.database.createCollection(name: "single")
        try least("a transaction of one document", rounds: 5, 2000) { round in
            for (person, text) in zip(people, texts).prefix(2000) {
                try single.save(document: MutableDocument(id: "\(person.id)-\(round)", json: text))
            }
        }
    }
}
