import BenchmarkData
import Foundation
import SealiteCrypto
import SealiteDatabase
import SealiteFile

/// The document database, sealed, as an application uses it.
struct SealedBench {
    let people: [PersonGenerator.Person]
    let texts: [[UInt8]]
    let measure: Measurement
    let database: Database
    let collection: SealiteDatabase.Collection

    init(
        folder: String, people: [PersonGenerator.Person], texts: [[UInt8]], measure: Measurement,
        versioning: DocumentVersioning = .trees
    ) throws {
        (self.people, self.texts, self.measure) = (people, texts, measure)
        var configuration = DatabaseConfiguration()
        configuration.versioning = versioning
        database = try Database.create(
            folder + (versioning == .trees ? "/sealed.db" : "/vectors.db"), slot: .rawKey(Self.key),
            configuration: configuration)
        collection = try database.defaultCollection()
    }

    /// The key of every file here: another process of the benchmark opens one too.
    static var key: SecretBytes { SecretBytes(copying: unsafe [UInt8](repeating: 7, count: 32).span.bytes) }

    func insert() throws {
        let kind = database.versioning == .vectors ? ", version vectors" : ""
        try measure.run("sealed insert in one transaction\(kind)", people.count) {
            try database.write { _ in
                for (person, text) in zip(people, texts) {
                    try collection.save(document: MutableDocument(id: person.id, json: text))
                }
            }
        }
    }

    func insertWithSetters() throws {
        let other = try database.createCollection(name: "setters")
        try measure.run("sealed insert with setters", people.count) {
            try database.write { _ in
                for person in people {
                    let document = MutableDocument(id: person.id)
                    document.setString(person.name, forKey: "name").setInt(person.age, forKey: "age")
                    document.setString(person.email, forKey: "email")
                    document.setArray(ArrayObject(person.tags.map { .string($0) }), forKey: "tags")
                    document.setDictionary(
                        [
                            "street": .string(person.street), "city": .string(person.city),
                            "postcode": .string(person.postcode), "country": .string(person.country),
                        ], forKey: "address")
                    document.setDouble(person.score, forKey: "score").setString(person.bio, forKey: "bio")
                    try other.save(document: document)
                }
            }
        }
        try database.deleteCollection(name: "setters")
    }

    func read() throws {
        let indexes = randomIndexes(200_000, below: people.count)
        var total = 0
        try measure.run("sealed random reads", indexes.count) {
            for index in indexes { total += Int(try collection.document(id: people[index].id)?.sequence ?? 0) }
        }
        try measure.run("sealed random reads of a name and an age", indexes.count) {
            for index in indexes {
                let document = try collection.document(id: people[index].id)
                total += (document?.int(forKey: "age") ?? 0) + (document?.string(forKey: "name")?.utf8.count ?? 0)
            }
        }
        try measure.run("sealed random reads in one snapshot", indexes.count) {
            try database.read {
                for index in indexes { total += Int(try collection.document(id: people[index].id)?.sequence ?? 0) }
            }
        }
        guard total > 0 else { fatalError("nothing was read") }
    }

    func update() throws {
        let indexes = Array(Set(randomIndexes(40_000, below: people.count))).prefix(20_000)
        try measure.run("sealed updates in one transaction", indexes.count) {
            try database.write { _ in
                for index in indexes {
                    guard let document = try collection.document(id: people[index].id)?.toMutable() else { continue }
                    try collection.save(document: document.setInt(index % 90, forKey: "age"))
                }
            }
        }
    }

    func singleTransactions() throws {
        let other = try database.createCollection(name: "single")
        try measure.run("sealed single transactions", 2000) {
            for index in 0..<2000 {
                try other.save(document: MutableDocument(id: people[index].id, json: texts[index]))
            }
        }
        try database.deleteCollection(name: "single")
    }

    func enumerate() throws {
        var total = 0
        try measure.run("sealed enumeration", people.count) {
            try collection.forEachDocument { total += Int($0.sequence) }
        }
        try measure.run("sealed export", people.count) {
            try collection.forEachDocument { total += try $0.toJSON().utf8.count }
        }
        guard total > 0 else { fatalError("nothing was enumerated") }
    }

    /// Unindexed: every body is looked into.
    func count() throws {
        let queries = [
            ("sealed count by age", "SELECT count(*) FROM documents_1 WHERE body_value(body, 'age') > 40"),
            (
                "sealed count by city",
                "SELECT count(*) FROM documents_1 WHERE body_value(body, 'address', 'city') = 'Porto'"
            ),
            ("sealed group by city", "SELECT count(*) FROM documents_1 GROUP BY body_value(body, 'address', 'city')"),
        ]
        for (name, sql) in queries {
            for _ in 0..<3 { try measure.run(name, people.count) { _ = try database.scalar(sql: sql) } }
        }
    }

    /// The bytes of the file after the bulk insert.
    func sizes() throws {
        try database.performMaintenance(type: .compact)
        let statistics = try database.statistics()
        print("sealed size: \(Double(Int(Double(statistics.byteCount) / 1048576 * 10)) / 10) MiB compacted")
    }

    /// The most memory the process ever held, in MiB.
    static var peakMemory: Int {
        var usage = rusage()
        _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss / 1024
    }

    func printPeakMemory() {
        print("peak memory: \(Self.peakMemory) MiB, \(dataMemory) MiB of it the data before anything was stored")
    }
}
