import BenchmarkData
import Foundation
import SealiteDatabase
import SealiteModel

/// Measures typed objects over sealed documents, compared with all members of the same documents without types.
struct ModelBench {
    let folder: String
    let people: [PersonGenerator.Person]
    let texts: [[UInt8]]
    let measure: Measurement

    /// The benchmark's documents as a type.
    private struct Person: Model {
        struct Address: Codable {
            var street: String
            var city: String
            var postcode: String
            var country: String
        }

        var id: String
        var name: String
        var age: Int
        var email: String
        var tags: [String]
        var address: Address
        var score: Double
        var bio: String
    }

    func run() throws {
        let place = folder + "/models"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let sealed = try SealedBench(folder: place, people: people, texts: texts, measure: measure)
        try sealed.insert()
        let types = [Person.self] as [any Model.Type]
        let store = try ModelStore.open(sealed.database, ModelConfiguration(types: types))
        let collection = try store.collection(of: Person.self)
        try sealed.database.write { _ in
            for (person, text) in zip(people, texts) {
                try collection.save(document: MutableDocument(id: person.id, json: text))
            }
        }
        for round in 0..<3 {
            try read(store, collection)
            try save(store, collection, round)
        }
        try query(store, collection)
        try sealed.database.close()
        try FileManager.default.removeItem(atPath: place)
    }

    private func read(_ store: ModelStore, _ collection: SealiteDatabase.Collection) throws {
        let indexes = randomIndexes(100_000, below: people.count)
        var total = 0
        try measure.run("sealed random reads, whole bodies", indexes.count) {
            for index in indexes { total += try collection.document(id: people[index].id)?.sequence == 0 ? 1 : 0 }
        }
        try measure.run("untyped read of all members", indexes.count) {
            for index in indexes {
                guard let document = try collection.document(id: people[index].id) else { continue }
                total += Self.readAll(document)
            }
        }
        try measure.run("typed read", indexes.count) {
            for index in indexes {
                guard let person = try store.object(Person.self, id: people[index].id) else { continue }
                total += person.age + person.name.utf8.count + person.tags.count + person.address.city.utf8.count
            }
        }
        guard total > 0 else { fatalError("nothing was read") }
    }

    /// Reads each member as what it is, as far down as the type goes.
    private static func readAll(_ document: Document) -> Int {
        let address = document.dictionary(forKey: "address")
        let tags = document.array(forKey: "tags")?.compactMap(\.string) ?? []
        let texts = [
            document.string(forKey: "name"), document.string(forKey: "email"), document.string(forKey: "bio"),
            address?.string(forKey: "street"), address?.string(forKey: "city"),
            address?.string(forKey: "postcode"), address?.string(forKey: "country"),
        ]
        return document.int(forKey: "age") + (document.double(forKey: "score") > 0 ? 1 : 0) + texts.count + tags.count
    }

    private func save(
        _ store: ModelStore, _ collection: SealiteDatabase.Collection, _ round: Int
    ) throws {
        let indexes = Array(Set(randomIndexes(40_000, below: people.count))).prefix(20_000)
        let objects = indexes.map { index in
            let person = people[index]
            return Person(
                id: person.id, name: person.name, age: round * 2 + 1, email: person.email, tags: person.tags,
                address: .init(
                    street: person.street, city: person.city, postcode: person.postcode, country: person.country),
                score: person.score, bio: person.bio)
        }
        try measure.run("untyped set of all members and save", indexes.count) {
            try store.database.write { _ in
                for index in indexes {
                    guard let document = try collection.document(id: people[index].id)?.toMutable() else { continue }
                    Self.setAll(document, people[index], age: round * 2)
                    try collection.save(document: document)
                }
            }
        }
        try measure.run("typed save", objects.count) {
            try store.write { transaction in
                for object in objects { try transaction.save(object) }
            }
        }
        try measure.run("typed save of what is stored", objects.count) {
            try store.write { transaction in
                for object in objects { try transaction.save(object) }
            }
        }
    }

    private static func setAll(_ document: MutableDocument, _ person: PersonGenerator.Person, age: Int) {
        document.setString(person.name, forKey: "name").setInt(age, forKey: "age")
        document.setString(person.email, forKey: "email")
        document.setArray(ArrayObject(person.tags.map { .string($0) }), forKey: "tags")
        document.setDictionary(
            [
                "street": .string(person.street), "city": .string(person.city),
                "postcode": .string(person.postcode), "country": .string(person.country),
            ], forKey: "address")
        document.setDouble(person.score, forKey: "score").setString(person.bio, forKey: "bio")
    }

    private func query(_ store: ModelStore, _ collection: SealiteDatabase.Collection) throws {
        try measure.run("enumeration of documents, all members", people.count) {
            var total = 0
            try collection.forEachDocument { total += Self.readAll($0) }
        }
        try measure.run("typed query of all objects", people.count) {
            guard try store.objects(Person.self).all().count == people.count else { fatalError("objects are missing") }
        }
    }
}
