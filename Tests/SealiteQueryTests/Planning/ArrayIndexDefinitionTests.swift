import Foundation
import SealiteDatabase
import Testing

@testable import SealiteQuery

@Suite("definitions of array indexes")
struct ArrayIndexDefinitionTests {
    let stage: ArrayIndexStage

    init() throws { stage = try ArrayIndexStage() }

    @Test(
        "an index is found by its name with its path, the same one again changes nothing, and another kind replaces it")
    func catalogue() throws {
        try stage.make("i", "contacts[] . phones", ["kind", "UPPER( n )"])
        let index = try #require(try stage.test.collection.index(withName: "i"))
        #expect(index.path == "contacts[].phones" && index.expressions == ["kind", "UPPER(n)"] && index.where == nil)
        let number = try stage.test.collection.indexRecords().map(\.number)
        try stage.make("i", "contacts[].phones", ["kind", "UPPER(n)"])
        #expect(try stage.test.collection.indexRecords().map(\.number) == number)
        try stage.make("i", "tags")
        #expect(try stage.test.collection.index(withName: "i")?.expressions == [])
        #expect(try stage.test.collection.indexes() == ["i"])
        try stage.test.collection.createIndex(withName: "i", config: ValueIndexConfiguration(["n"]))
        #expect(try stage.test.collection.index(withName: "i")?.path == nil)
        try stage.test.collection.deleteIndex(forName: "i")
        #expect(try stage.test.collection.indexes().isEmpty)
        #expect(throws: DatabaseError(.cancelled, "")) {
            try stage.test.collection.createIndex(withName: "i", config: ArrayIndexConfiguration(path: "tags")) { _ in
                false
            }
        }
    }

    @Test(
        "a path or an expression that an index can't have is refused",
        arguments: [
            ("", nil), ("[]", nil), ("a[]", nil), ("a[].", nil), ("a[][].b", nil), (".a", nil), ("a[-1]", nil),
            ("a[1:2]", nil),
            ("a b", nil), ("a + b", nil), ("a[0", nil), ("a", []), ("a", [""]), ("a", ["b", ""]), ("a", ["META().id"]),
            ("a", ["$p"]), ("a", ["COUNT(b)"]), ("a", ["MILLIS_TO_STR(b)"]), ("a", ["b +"]), ("a", ["(SELECT 1)"]),
            (Array(repeating: "a", count: 17).joined(separator: "[]."), nil),
            ("a", Array(repeating: "b", count: 33)),
        ] as [(String, [String]?)])
    func refused(path: String, expressions: [String]?) throws {
        let error = #expect(throws: DatabaseError.self) { try stage.make("i", path, expressions) }
        #expect(error?.code == .invalidQuery)
        #expect(try stage.test.collection.indexes().isEmpty)
    }

    @Test("steps with indexes, quoted names and properties that look like META are paths of arrays")
    func paths() throws {
        try stage.test.save(json: #"{"x": {"my list": [[1, 2], [3]], "o": {"l": [{"_id": 5, "a": {"b": [6]}}]}}}"#)
        try stage.make("quoted", "`my list`[1]")
        try stage.make("inner", "o.l[].a.b")
        try stage.make("id", "o.l", ["_id"])
        for (text, name) in [
            ("SELECT META().id FROM _ WHERE 3 IN `my list`[1]", "quoted"),
            ("SELECT META(d).id FROM _ AS d UNNEST d.o.l AS e UNNEST e.a.b AS f WHERE f = 6", "inner"),
            ("SELECT META(d).id FROM _ AS d UNNEST d.o.l AS e WHERE e._id = 5", "id"),
            ("SELECT META().id FROM _ WHERE ANY e IN o.l SATISFIES e._id = 5 END", "id"),
        ] {
            #expect(try stage.indexes(text) == [name], "\(text)")
            #expect(try stage.rows(text) == ["\([QueryValue.text("x")])"], "\(text)")
        }
    }

    @Test("a query that was made before an index uses it, and runs on when it is deleted")
    func replanning() throws {
        let query = try stage.test.database.createQuery("SELECT n FROM _ WHERE $t IN tags")
        query.parameters = Parameters().setString("t6", forName: "t")
        let before = try query.execute().allResults().count
        try stage.make("tags", "tags")
        let plan: QueryPlan = try query.explain()
        #expect(!plan.hasScan)
        #expect(try query.execute().allResults().count == before)
        try stage.test.collection.deleteIndex(forName: "tags")
        #expect(try query.execute().allResults().count == before)
    }

    @Test("documents are changed and deleted through the index that finds them")
    func changes() throws {
        try stage.make("tags", "tags")
        _ = try stage.test.database.createQuery("UPDATE _ SET tags = ['new'] WHERE 't6' IN tags").execute()
        #expect(try stage.rows("SELECT COUNT(*) FROM _ WHERE 't6' IN tags") == ["\([QueryValue.integer(0)])"])
        #expect(
            try stage.rows("SELECT COUNT(1) FROM _ AS d UNNEST d.tags AS t WHERE t = 'new'") == [
                "\([QueryValue.integer(8)])"
            ]
        )
        _ = try stage.test.database.createQuery("DELETE FROM _ WHERE ANY t IN tags SATISFIES t = 'new' END").execute()
        #expect(
            try stage.rows("SELECT COUNT(1) FROM _ AS d UNNEST d.tags AS t WHERE t = 'new'") == [
                "\([QueryValue.integer(0)])"
            ]
        )
    }
}
