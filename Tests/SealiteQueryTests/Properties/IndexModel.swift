import Foundation
import SealiteDatabase
import SealiteTestSupport
import Testing

@testable import SealiteQuery

/// Random changes of documents with arrays in them, on a database with value and array indexes.
struct IndexModel {
    private struct Stop: Error {}

    private let database: Database
    private let collection: Collection
    private var random: SeededRandom

    init(_ database: Database, seed: UInt64) throws {
        self.database = database
        collection = try database.defaultCollection()
        random = SeededRandom(seed: seed)
    }

    private mutating func pick(_ bound: Int) -> Int { random.below(bound) }

    private mutating func scalar() -> Value {
        switch pick(8) {
        case 0: .null
        case 1: .boolean(pick(2) == 0)
        case 2: Value(Double(pick(3)) + 0.5)
        case 3: .string(String(repeating: "long ", count: 250) + "\(pick(2))")
        case 4, 5: Value(pick(4))
        default: .string("t\(pick(5))")
        }
    }

    private mutating func array() -> Value {
        switch pick(10) {
        case 0: scalar()
        case 1: .dictionary(DictionaryObject([("x", scalar()), ("y", scalar())]))
        default: .array(ArrayObject((0..<pick(5)).map { _ in scalar() }))
        }
    }

    private mutating func body() -> DictionaryObject {
        var body = DictionaryObject([("n", Value(pick(20)))])
        if pick(5) > 0 { body["tags"] = array() }
        let parts = (0..<pick(4)).map { _ in Value.dictionary(DictionaryObject([("k", scalar()), ("list", array())])) }
        if pick(5) > 0 { body["parts"] = pick(8) == 0 ? scalar() : .array(ArrayObject(parts)) }
        return body
    }

    mutating func makeIndexes() throws {
        try collection.createIndex(withName: "n", config: ValueIndexConfiguration(["n"]))
        for (name, path, keys) in [
            ("tags", "tags", nil), ("kinds", "parts", ["k"]), ("lists", "parts[].list", nil),
        ] as [(String, String, [String]?)] where pick(8) > 0 {
            try collection.createIndex(withName: name, config: ArrayIndexConfiguration(path: path, expressions: keys))
        }
    }

    mutating func step() throws {
        let id = "d\(pick(40))"
        switch pick(22) {
        case 20, 21: try insertRevision(id)
        case 0...8:
            let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
            for (name, value) in body().entries where pick(3) > 0 { document.setValue(value, forKey: name) }
            try collection.save(document: document)
        case 9, 10: try collection.save(document: MutableDocument(id: id, data: body()))
        case 11: if try collection.document(id: id) != nil { try collection.delete(id: id) }
        case 12: if try collection.document(id: id) != nil { try collection.purge(id: id) }
        case 13:
            guard try collection.document(id: id) != nil else { return }
            try collection.setDocumentExpiration(id: id, expiration: Date(timeIntervalSince1970: 1000))
            try database.purgeExpiredDocuments()
        case 14:
            let text = "UPDATE _ SET tags = ['t1', 't\(pick(5))'] WHERE ANY t IN tags SATISFIES t = 't\(pick(5))' END"
            _ = try database.createQuery(text as String).execute()
        case 15: _ = try database.createQuery("DELETE FROM _ WHERE n = \(pick(20))" as String).execute()
        case 16, 17:
            _ = try? database.write { _ in
                for _ in 0..<pick(4) { try step() }
                if pick(2) == 0 { throw Stop() }
            }
        case 18:
            // One stays, so that there is always an index to compare with a scan.
            guard try collection.indexes().count > 1 else { return }
            try collection.deleteIndex(forName: ["n", "tags", "kinds", "lists"][pick(4)])
        default: try makeIndexes()
        }
    }

    /// Inserts a revision as a peer sends it: on top of the document's, or beside it, where it may conflict and be resolved.
    private mutating func insertRevision(_ id: String) throws {
        let current = try collection.document(id: id)?.revisionID
        let parent = pick(2) == 0 ? current.flatMap { RevisionID($0) } : nil
        let digest = (0..<40).map { _ in String(pick(16), radix: 16) }.joined()
        let generation = (parent.map { Int($0.generation) } ?? pick(4)) + 1
        let revision = try #require(RevisionID("\(generation)-\(digest)"))
        let isDeleted = pick(5) == 0
        let incoming = IncomingRevision(
            documentID: id, version: Version(revision), history: parent.map { [Version($0)] } ?? [],
            isDeleted: isDeleted, body: isDeleted ? [] : Array(try body().toJSON().utf8))
        guard try collection.insert(incoming) == .conflict else { return }
        let resolution: Resolution = pick(2) == 0 ? .remote : .local
        try collection.resolveConflict(id: id, revision: revision, expecting: nil, resolution: resolution)
    }

    /// Compares queries with the same ones that no index is used for, and the entries of each index with those that the documents give.
    mutating func check(_ seed: UInt64) throws {
        #expect(try database.integrityFindings() == [], "seed \(seed)")
        let values = [
            "'t\(pick(5))'", "\(pick(4))", "TRUE", "'\(String(repeating: "long ", count: 250))1'", "NULL", "1.5",
        ]
        for value in values {
            for condition in [
                "ANY t IN tags SATISFIES t = \(value) END", "ANY t IN tags SATISFIES t > \(value) AND t IS VALUED END",
                "\(value) IN tags", "ARRAY_CONTAINS(tags, \(value))", "ANY p IN parts SATISFIES p.k <= \(value) END",
                "ANY p IN parts SATISFIES ANY l IN p.list SATISFIES l = \(value) END END", "n = \(value)",
            ] {
                for columns in ["META().id", "COUNT(*)"] {
                    try compare("SELECT \(columns) FROM _ WHERE", condition, seed)
                }
            }
            for columns in ["META(d).id", "COUNT(1)"] {
                try compare("SELECT \(columns) FROM _ AS d UNNEST d.tags AS t WHERE", "t >= \(value)", seed)
                let chain = "SELECT \(columns) FROM _ AS d UNNEST d.parts AS p UNNEST p.list AS l WHERE"
                try compare(chain, "l = \(value)", seed)
                try compare(chain, "p.k = \(value)", seed)
            }
        }
    }

    private func compare(_ query: String, _ condition: String, _ seed: UInt64) throws {
        func rows(_ condition: String) throws -> [String] {
            try database.createQuery("\(query) \(condition)" as String).execute().map { "\($0.values)" }.sorted()
        }
        let (found, wanted) = (try rows(condition), try rows("(\(condition)) OR FALSE"))
        #expect(found == wanted, "seed \(seed): \(query) \(condition)")
    }
}
