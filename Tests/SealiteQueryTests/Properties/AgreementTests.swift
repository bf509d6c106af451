import Foundation
import SealiteDatabase
import SealiteQueryLanguage
import Testing

@testable import SealiteQuery

@Suite("queries against a slow evaluator")
struct AgreementTests {
    private static let isSoak = ProcessInfo.processInfo.environment["SEALITE_SOAK"] != nil

    @Test(
        "random expressions over random documents give what a walk over their tree gives, with indexes and without",
        arguments: 0..<(isSoak ? 200 : 4))
    func agreement(seed: Int) throws {
        var random = RandomQueries(seed: UInt64(seed) + 1)
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
            }
            for _ in 0..<150 {
                try check(random.expression(3), documents, test)
                try check(where: random.condition(3), documents, test)
            }
        }
    }

    private func check(
        _ expression: SealiteQueryLanguage.Expression, _ documents: [(id: String, body: SlowValue)],
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
        where condition: SealiteQueryLanguage.Expression, _ documents: [(id: String, body: SlowValue)],
        _ test: TestDatabase
    ) throws {
        let text = "SELECT META().id FROM _ WHERE \(condition)"
        let ids = try test.database.createQuery(text as String).execute().map { $0.string(at: 0) ?? "" }.sorted()
        let wanted = documents.filter { SlowEvaluator(document: $0.body).truth(condition) == true }.map(\.id)
        #expect(ids == wanted, "\(text)")
        let count = try test.database.createQuery("SELECT COUNT(*) FROM _ WHERE \(condition)" as String).execute()
        #expect(try count.nextResult()?.int(at: 0) == wanted.count, "\(text)")
    }

    /// Numbers by value: an integer and a double may stand for one number.
    private func isSame(_ left: SlowValue, _ right: SlowValue) -> Bool {
        left.order(right) == 0
    }
}
