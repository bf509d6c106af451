import GRDB
import Testing

@testable import SealiteDatabase

@Suite("indexes of stored documents")
struct BodyIndexTests {
    @Test(
        "an index on a function over bodies is used and kept",
        arguments: ["body_value(body, 'age')", "body_key('mongo', body, 'age')"])
    func index(expression: String) throws {
        let test = try TestDatabase()
        try test.database.writer.withoutTransaction { connection in
            try connection.execute(sql: "CREATE INDEX ages ON documents_1 (\(expression))")
        }
        for age in 0..<50 {
            try test.collection.save(document: MutableDocument(id: "\(age)").setInt(age, forKey: "age"))
        }
        try test.database.reading { connection in
            let limit = expression.hasPrefix("body_key") ? "body_key('mongo', x'233430')" : "40"
            let sql = "SELECT count(*) FROM documents_1 WHERE \(expression) > \(limit)"
            let count = try Int.fetchOne(connection, sql: sql)
            #expect(count == 9)
            let plan = try Row.fetchOne(connection, sql: "EXPLAIN QUERY PLAN \(sql)")
            #expect((plan?["detail"] as String?)?.contains("ages") == true)
        }
        try test.collection.save(document: MutableDocument(id: "1").setInt(99, forKey: "age"))
        #expect(try test.database.integrityFindings().isEmpty)
    }
}
