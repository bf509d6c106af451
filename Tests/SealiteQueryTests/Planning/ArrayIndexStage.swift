import Foundation
import SealiteDatabase
import Testing

@testable import SealiteQuery

/// A database of documents with arrays, arrays in their elements, and other values in their places.
struct ArrayIndexStage {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        try test.database.write { transaction in
            for number in 0..<60 {
                let body = try DictionaryObject(
                    json: """
                        {"n": \(number), "tags": ["t\(number % 7)", "t\(number % 5)", \(number % 3), null, true, 2.5],
                         "contacts": [{"type": "a\(number % 4)", "phones": [{"kind": "home", "n": \(number)}, {"kind": "k\(number % 6)"}]},
                                      {"type": "b", "phones": []}, {"type": "c"}, \(number % 2 == 0 ? "7" : "{\"phones\": \"t1\"}")]}
                        """)
                try transaction.save(MutableDocument(id: "d\(number)", data: body), in: try test.collection)
            }
        }
        try test.save(
            json: #"""
                {"scalar": {"tags": "t1", "contacts": "t1"}, "object": {"tags": {"x": "t1", "y": ["t2"]}, "contacts": {"p": {"type": "a1"}}},
                 "null": {"tags": null}, "none": {}, "empty": {"tags": [], "contacts": []}, "nested": {"tags": [["t1"], {"a": "t1"}, []]},
                 "gone": {"tags": ["t1"]}}
                """#)
        try test.collection.delete(id: "gone")
    }

    func make(_ name: String, _ path: String, _ expressions: [String]? = nil) throws {
        try test.collection.createIndex(
            withName: name, config: ArrayIndexConfiguration(path: path, expressions: expressions))
    }

    func plan(_ text: String) throws -> QueryPlan { try test.database.createQuery(text as String).explain() }

    func indexes(_ text: String) throws -> [String] {
        func names(_ steps: [QueryPlan.Step]) -> [String] {
            steps.flatMap { [$0.index].compactMap { $0 } + names($0.steps) }
        }
        return names(try plan(text).steps)
    }

    func rows(_ text: String) throws -> [String] {
        try test.database.createQuery(text as String).execute().map { "\($0.values)" }.sorted()
    }
}
