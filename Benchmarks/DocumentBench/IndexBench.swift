import BenchmarkData
import Foundation
import SealiteDatabase

/// Measures indexes: the same work on a database without an index, on one with three value indexes, and on one with an
/// array index, alternating and in new files.
struct IndexBench {
    let folder: String
    let people: [PersonGenerator.Person]
    let texts: [[UInt8]]
    let measure: Measurement

    private static let definitions = [
        "age": KeyDefinition(keys: [.path([.member("age")], .queries)]),
        "city": KeyDefinition(keys: [.path([.member("address"), .member("city")], .queries)]),
        "email": KeyDefinition(keys: [.path([.member("email")], .queries)]),
    ]

    func run() throws {
        for _ in 0..<3 {
            try measureTurn("no index", [:])
            try measureTurn("three indexes", Self.definitions)
            try measureTurn("array index", ["tags": KeyDefinition(levels: [[.member("tags")]])])
        }
    }

    private func measureTurn(_ name: String, _ definitions: [String: KeyDefinition]) throws {
        let place = folder + "/indexes"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let bench = try SealedBench(folder: place, people: people, texts: texts, measure: measure)
        let collection = bench.collection
        for (index, definition) in definitions { try collection.createIndex(index, definition) }
        try measure.run("\(name), insert", people.count) {
            try bench.database.write { _ in
                for (person, text) in zip(people, texts) {
                    try collection.save(document: MutableDocument(id: person.id, json: text))
                }
            }
        }
        let chosen = Array(Set(randomIndexes(40_000, below: people.count))).prefix(20_000)
        func update(_ what: String, _ change: (MutableDocument, Int) -> Void) throws {
            try measure.run("\(name), \(what)", chosen.count) {
                try bench.database.write { _ in
                    for index in chosen {
                        guard let document = try collection.document(id: people[index].id)?.toMutable() else {
                            continue
                        }
                        change(document, index)
                        try collection.save(document: document)
                    }
                }
            }
        }
        try update("update that changes no key") { $0.setInt($1 % 97, forKey: "score") }
        try update("update that changes a key") { $0.setInt($1 % 89, forKey: "age") }
        try update("update that changes a tag") {
            $0.setArray(ArrayObject(people[$1].tags.dropLast().map { .string($0) } + ["new"]), forKey: "tags")
        }
        if definitions.isEmpty {
            for (index, definition) in Self.definitions.sorted(by: { $0.key < $1.key }) {
                try measure.run("building the index \(index)", people.count) {
                    try collection.createIndex(index, definition)
                }
            }
        }
        try bench.database.close()
        try FileManager.default.removeItem(atPath: place)
    }
}
