import Foundation
import SealiteDatabase
import SealiteQueryLanguage
import SealiteTestSupport
import Testing

@testable import SealiteQuery

@Suite("queries against a slow evaluator")
struct AgreementTests {
    private static let isSoak = ProcessInfo.processInfo.environment["SEALITE_SOAK"] != nil

    @Test(
        "random expressions over random documents give what a walk over their tree gives, with indexes and without",
        arguments: TestSeed.seeds(isSoak ? 200 : 4))
    func agreement(seed: UInt64) throws {
        var random = RandomQueries(seed: seed)
        let test = try TestDatabase()
        var documents: [(id: String, body: SlowValue)] = []
        try test.database.write { transaction in
            for number in 0..<60 {
                let id = "d\(100 + number)"
                let body = random.document()
                documents.append((id, SlowValue(.dictionary(body))))
                try transaction.save(MutableDocument(id: id, data: body), in: try test.collection)
            }
        }
        for isIndexed in [false, true] {
            if isIndexed {
                for (name, keys) in [("a", ["a"]), ("ba", ["b", "a"]), ("x", ["o.x"]), ("c", ["c", "b"])] {
                    try test.collection.createIndex(withName: name, config: ValueIndexConfiguration(keys))
                }
                for (name, path, keys) in [
                    ("l", "l", nil), ("lx", "l", ["x"]), ("mk", "m", ["k"]), ("mq", "m[].q", nil),
                ] as [(String, String, [String]?)] {
                    try test.collection.createIndex(
                        withName: name, config: ArrayIndexConfiguration(path: path, expressions: keys))
                }
            }
            for _ in 0..<150 {
                try check(random.expression(3), documents, test)
                try check(where: random.condition(3), documents, test)
                try check(unnested: random.elementCondition("v"), isLeft: false, documents, test)
                try check(unnested: random.elementCondition("v"), isLeft: true, documents, test)
            }
        }
    }

    private func check(
        _ expression: ExpressionTree, _ documents: [(id: String, body: SlowValue)],
        _ test: TestDatabase
    )
        throws
    {
        let text = "SELECT VALUE (\(expression)) FROM _ ORDER BY META().id"
        let rows = try test.database.createQuery(text as String).execute().map { SlowValue($0.value(at: 0)) }
        for (row, document) in zip(rows, documents) {
            let wanted = SlowEvaluator(document: document.body).value(expression)
            #expect(isSame(row, wanted), "\(text): \(document.body)")
        }
        #expect(rows.count == documents.count)
    }

    private func check(
        where condition: ExpressionTree, _ documents: [(id: String, body: SlowValue)],
        _ test: TestDatabase
    ) throws {
        let text = "SELECT META().id FROM _ WHERE \(condition)"
        let ids = try test.database.createQuery(text as String).execute().map { $0.string(at: 0) ?? "" }.sorted()
        let wanted = documents.filter { SlowEvaluator(document: $0.body).truth(condition) == true }.map(\.id)
        #expect(ids == wanted, "\(text)")
        let count = try test.database.createQuery("SELECT COUNT(*) FROM _ WHERE \(condition)" as String).execute()
        #expect(try count.nextResult()?.int(at: 0) == wanted.count, "\(text)")
    }

    private func check(
        unnested condition: ExpressionTree, isLeft: Bool,
        _ documents: [(id: String, body: SlowValue)], _ test: TestDatabase
    ) throws {
        let from = "FROM _ AS d \(isLeft ? "LEFT " : "")UNNEST d.l AS v WHERE \(condition)"
        let rows = try test.database.createQuery("SELECT META(d).id \(from)" as String).execute()
        let wanted = documents.flatMap { document -> [String] in
            var items: [SlowValue] = []
            if case .object(let members) = document.body, case .array(let list)? = members["l"] { items = list }
            if isLeft, items.isEmpty { items = [.missing] }
            let found = items.filter {
                SlowEvaluator(document: .missing, variables: ["v": $0]).truth(condition) == true
            }
            return found.map { _ in document.id }
        }
        #expect(rows.map { $0.string(at: 0) ?? "" }.sorted() == wanted, "\(from)")
        let count = try test.database.createQuery("SELECT COUNT(1) \(from)" as String).execute()
        #expect(try count.nextResult()?.int(at: 0) == wanted.count, "\(from)")
    }

    /// Numbers by value: an integer and a double may stand for one number.
    private func isSame(_ left: SlowValue, _ right: SlowValue) -> Bool {
        left.order(right) == 0
    }
}
