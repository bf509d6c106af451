import Foundation
@testable import SealiteDatabase
import Testing

@testable import SealiteQuery

/// Runs statements on a small collection, and looks at what they leave.
struct ChangeStage {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        try test.save(
            json: #"""
                {"a": {"n": 1, "name": {"first": "Ann"}, "list": [1, 2, 3]}, "b": {"n": 2, "big": 12345678901234567890.5},
                 "c": {"n": 3, "scalar": 7, "nothing": null}, "d": {"n": 4}, "e": {"n": 5}}
                """#)
    }

    @discardableResult
    func run(_ text: String, _ parameters: Parameters? = nil) throws -> ResultSet {
        let query = try test.database.createQuery(text as String)
        query.parameters = parameters
        return try query.execute()
    }

    /// The rows of a statement as JSON.
    func rows(_ text: String, _ parameters: Parameters? = nil) throws -> [String] {
        try run(text, parameters).map { try $0.toJSON() }
    }

    /// The error of a statement, which must have changed nothing.
    func error(_ text: String, _ parameters: Parameters? = nil) throws -> DatabaseError? {
        let before = try contents()
        do {
            try run(text, parameters)
            return nil
        } catch {
            #expect(try contents() == before, "\(text) failed and changed something")
            return error as? DatabaseError
        }
    }

    func json(_ id: String) throws -> String? { try test.collection.document(id: id)?.toJSON() }

    func generation(_ id: String) throws -> String? {
        try test.collection.document(id: id)?.revisionID.split(separator: "-").first.map(String.init)
    }

    /// The revisions and bodies of all documents.
    func contents() throws -> [String] {
        try rows("SELECT META().id, META().revisionID, META().sequence, * FROM _ ORDER BY META().id")
    }
}

@Suite("UPDATE, DELETE and INSERT")
struct ChangeTests {
    let stage: ChangeStage

    init() throws { stage = try ChangeStage() }

    @Test("UPDATE sets and removes properties of the documents that its condition finds, each in one new revision")
    func update() throws {
        let result = try stage.run("UPDATE _ SET n = n * 10, kind = 'old' UNSET list, absent WHERE n < 3")
        #expect(result.changedDocumentCount == 2 && result.columnNames.isEmpty && result.allResults().isEmpty)
        #expect(try stage.json("a") == #"{"n":10,"name":{"first":"Ann"},"kind":"old"}"#)
        #expect(try stage.json("b") == #"{"n":20,"big":12345678901234567890.5,"kind":"old"}"#)
        #expect(try stage.json("c") == #"{"n":3,"scalar":7,"nothing":null}"#)
        #expect(try stage.generation("a") == "2" && stage.generation("c") == "1")
        #expect(try stage.test.database.integrityFindings() == [])
    }

    @Test("values are those of the documents before the statement, and numbers keep every digit")
    func values() throws {
        try stage.run("UPDATE _ AS t SET x = t.n, n = t.big, big = x WHERE META(t).id = 'b'")
        #expect(try stage.json("b") == #"{"n":12345678901234567890.5,"x":2}"#)
        try stage.run("UPDATE _ SET n = (SELECT SUM(o.n) FROM _ o WHERE META(o).id IN ['c', 'd', 'e'])")
        #expect(try stage.rows("SELECT VALUE n FROM _") == ["12", "12", "12", "12", "12"])
        try stage.run("UPDATE _ SET copy = _ WHERE META().id = 'e'")
        #expect(try stage.json("e") == #"{"n":12,"copy":{"n":12}}"#)
    }

    @Test("paths of any depth are set, and objects that are missing on the way are made")
    func paths() throws {
        try stage.run(
            "UPDATE _ SET name.last = 'B', list[0] = 'one', list[-1] = MISSING, x.y.z = {'k': [1]} WHERE n = 1")
        #expect(
            try stage.json("a")
                == #"{"n":1,"name":{"first":"Ann","last":"B"},"list":["one",2],"x":{"y":{"z":{"k":[1]}}}}"#)
        try stage.run("UPDATE _ SET x.y.z.k[0] = null, name = MISSING UNSET n, list[0], scalar.deeper WHERE n = 1")
        #expect(try stage.json("a") == #"{"list":[2],"x":{"y":{"z":{"k":[null]}}}}"#)
        let deep = (0..<300).map { "p\($0)" }.joined(separator: ".")
        try stage.run("UPDATE _ SET \(deep) = 1 WHERE n = 4")
        #expect(try stage.rows("SELECT VALUE \(deep) FROM _ WHERE n = 4") == ["1"])
    }

    @Test(
        "a path that can't be followed is an error that names it, and nothing of the statement is stored",
        arguments: [
            ("scalar.x = 1", #"in the document "c", scalar.x can't be set: scalar isn't an object"#),
            ("nothing.x = 1", "nothing isn't an object"), ("n = 9, list[3] = 1", "list has no element 3"),
            ("list[-4] = 1", "list has no element -4"), ("name[0] = 1", "name isn't an array"),
            ("list.x = 1", "list isn't an object"), ("absent[0] = 1", "absent is missing"),
            ("absent.b[0].c = 1", "absent.b is missing"), ("n.`a b` = 1", "n.`a b` can't be set: n isn't an object"),
            ((0..<500).map { "p\($0)" }.joined(separator: ".") + " = [[1]]", "nested too deeply"),
        ])
    func obstacles(assignment: String, part: String) throws {
        for condition in ["list IS VALUED OR scalar = 7", "TRUE"] {
            let error = try stage.error("UPDATE _ SET n = 9, \(assignment) WHERE \(condition)")
            #expect(
                error?.code == .invalidParameter && error?.reason.contains(part) == true, "\(error?.reason ?? "runs")")
        }
    }

    @Test("LIMIT counts documents in their order, with parameters too, whatever index finds them")
    func limit() throws {
        try stage.test.collection.createIndex(withName: "down", config: ValueIndexConfiguration(["-n"]))
        #expect(
            try stage.rows(
                "UPDATE _ SET seen = TRUE WHERE -n < -1 LIMIT $count RETURNING VALUE n",
                Parameters().setInt(2, forName: "count"))
                == ["2", "3"])
        #expect(try stage.rows("DELETE FROM _ WHERE -n < 0 LIMIT 1 RETURNING META().id") == [#"{"id":"a"}"#])
        #expect(try stage.run("DELETE FROM _ LIMIT 0").changedDocumentCount == 0)
    }

    @Test("DELETE leaves tombstones, returns documents as they were, and finds no deleted document")
    func delete() throws {
        #expect(
            try stage.rows("DELETE FROM _ d WHERE d.n >= 4 RETURNING META(d).id, n AS number, META().deleted")
                == [#"{"id":"d","number":4,"deleted":false}"#, #"{"id":"e","number":5,"deleted":false}"#])
        #expect(try stage.test.collection.count == 3)
        #expect(
            try stage.rows("SELECT META().id FROM _ WHERE META().deleted ORDER BY META().id") == [
                #"{"id":"d"}"#, #"{"id":"e"}"#,
            ])
        #expect(try stage.run("DELETE FROM _ WHERE META().deleted").changedDocumentCount == 0)
        #expect(try stage.run("UPDATE _ SET x = META().deleted").changedDocumentCount == 3)
        #expect(try stage.rows("SELECT DISTINCT VALUE x FROM _") == ["false"])
        #expect(try stage.run("DELETE FROM _").changedDocumentCount == 3)
        #expect(try stage.test.database.integrityFindings() == [])
    }

    @Test("RETURNING gives documents as they are after an UPDATE, with aliases, values and all of a document")
    func returning() throws {
        let result = try stage.run(
            "UPDATE _ SET n = n + 1 WHERE n > 3 RETURNING n, META().id AS key, (SELECT SUM(n) FROM _) AS s")
        #expect(result.columnNames == ["n", "key", "s"] && result.changedDocumentCount == 2)
        #expect(try result.map { try $0.toJSON() } == [#"{"n":5,"key":"d","s":17}"#, #"{"n":6,"key":"e","s":17}"#])
        #expect(try stage.rows("UPDATE _ SET n = 0 WHERE n = 5 RETURNING *") == [#"{"_":{"n":0}}"#])
        #expect(
            try stage.rows(
                "UPDATE _ AS x SET n = $n WHERE x.n = $old RETURNING VALUE [$id, $n, $old]",
                Parameters().setInt(7, forName: "n").setInt(0, forName: "old").setString("i", forName: "id"))
                == [#"["i",7,0]"#])
        let query = try stage.test.database.createQuery("DELETE FROM _ RETURNING META().id")
        query.rowLimit = 2
        let limited = try query.execute()
        #expect(limited.changedDocumentCount == 5 && limited.allResults().count == 2)
    }

    @Test("a name that is a NUL is that of a property or a column, as any other name")
    func nulNames() throws {
        #expect(
            try stage.run("UPDATE _ SET n = 0 WHERE n = 1 RETURNING `\u{0}`, n").map(\.values) == [
                [.missing, .integer(0)]
            ])
        try stage.run("INSERT INTO _ (KEY 'k', VALUE {'v': `\u{0}`}) SELECT n AS `\u{0}` FROM _ WHERE n = 2")
        #expect(try stage.json("k") == #"{"v":2}"#)
    }

    @Test("indexes, counts and sequences go with what statements change")
    func indexes() throws {
        try stage.test.collection.createIndex(withName: "n", config: ValueIndexConfiguration(["n"]))
        let before = try stage.test.collection.document(id: "e")?.sequence ?? 0
        try stage.run("UPDATE _ SET n = n + 100 WHERE n BETWEEN 2 AND 4")
        try stage.run("DELETE FROM _ WHERE n = 103")
        try stage.run("INSERT INTO _ (KEY, VALUE) VALUES ('f', {'n': 104})")
        let query = try stage.test.database.createQuery("SELECT META().id FROM _ WHERE n > 100 ORDER BY n, META().id")
        #expect(try query.explain().steps.contains { $0.index == "n" })
        #expect(try query.execute().map { $0.string(at: 0) } == ["b", "d", "f"])
        #expect(try stage.test.collection.document(id: "b")?.sequence ?? 0 > before)
        #expect(try stage.test.database.integrityFindings() == [])
        let plan: QueryPlan = try stage.test.database.createQuery("UPDATE _ SET n = 0 WHERE n = 104").explain()
        #expect(plan.steps.contains { $0.index == "n" } && !plan.hasScan)
        #expect(try stage.rows("SELECT VALUE COUNT(*) FROM _ WHERE n = 104") == ["2"])
    }
}
