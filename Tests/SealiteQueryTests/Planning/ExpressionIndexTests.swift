import SealiteDatabase
import Testing

@testable import SealiteQuery

@Suite("indexes over ANY, EVERY and ARRAY, and LIKE through indexes")
struct ExpressionIndexTests {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        let values = ["t1", "t2", "T1", "t10", "é", "t\u{10FFFF}", "u", "\0t", "5a"]
        try test.database.write { transaction in
            for number in 0..<120 {
                let document = MutableDocument(id: "d\(number)")
                document.setInt(number, forKey: "n")
                let tags = (0..<number % 4).map { Value.string(values[(number + $0 * 7) % values.count]) }
                if number % 11 > 0 { document.setValue(.array(ArrayObject(tags)), forKey: "tags") }
                if number % 13 == 0 { document.setValue(Value(number), forKey: "tags") }
                document.setString(values[number % values.count] + "\(number % 3)", forKey: "name")
                if number % 9 == 0 { document.setInt(number, forKey: "name") }
                let parts = (0..<number % 3).map { part in
                    Value.dictionary(["k": Value(part), "list": .array([Value(number % 5), Value(part)])])
                }
                document.setValue(.array(ArrayObject(parts)), forKey: "parts")
                try transaction.save(document, in: try test.collection)
            }
        }
    }

    private func rows(_ text: String) throws -> [String] {
        try test.database.createQuery(text as String).execute().map { "\($0.values)" }.sorted()
    }

    private func isUsed(_ text: String) throws -> Bool {
        let plan: QueryPlan = try test.database.createQuery(text as String).explain()
        return plan.sql.contains("keys_") || plan.sql.contains("elements_")
    }

    @Test(
        "an expression with variables is in an index, whatever these are called, and changes no rows",
        arguments: [
            ("ANY t IN tags SATISFIES t > 't1' END", "ANY x IN tags SATISFIES x > 't1' END", true),
            ("ANY t IN tags SATISFIES t > 't1' END", "NOT (ANY x IN tags SATISFIES x > 't1' END)", true),
            ("ANY t IN tags SATISFIES t > 't1' END", "(ANY x IN tags SATISFIES x > 't1' END) = FALSE", true),
            ("ANY t IN tags SATISFIES t > 't1' END", "ANY x IN tags SATISFIES x > 't2' END", false),
            ("EVERY t IN tags SATISFIES t = 't1' END", "EVERY n IN tags SATISFIES n = 't1' END", true),
            (
                "ANY AND EVERY t IN tags SATISFIES t LIKE 't%' END",
                "ANY AND EVERY t IN tags SATISFIES t LIKE 't%' END", true
            ),
            ("ARRAY p.k FOR p IN parts WHEN p.k > 0 END", "ARRAY q.k FOR q IN parts WHEN q.k > 0 END = [1]", true),
            ("ARRAY_LENGTH(ARRAY p FOR p IN parts END)", "ARRAY_LENGTH(ARRAY p FOR p IN parts END) >= 2", true),
            (
                "ANY p IN parts SATISFIES ANY l IN p.list SATISFIES l = p.k END END",
                "ANY a IN parts SATISFIES ANY b IN a.list SATISFIES b = a.k END END", true
            ),
            (
                "ANY p IN parts SATISFIES ANY l IN p.list SATISFIES l = p.k END END",
                "ANY a IN parts SATISFIES ANY b IN a.list SATISFIES b = b END END", false
            ),
            ("ANY t IN tags SATISFIES t = name END", "ANY t IN tags SATISFIES t = name END", true),
            // The name of the variable hides the property.
            ("ANY t IN tags SATISFIES t = name END", "ANY name IN tags SATISFIES name = name END", false),
            ("ANY t IN tags SATISFIES t = `\0000` END", "ANY t IN tags SATISFIES t = t END", false),
            ("(ANY t IN tags SATISFIES t = 'T2' END) COLLATE NOCASE", "ANY t IN tags SATISFIES t = 'T2' END", false),
            (
                "(ANY t IN tags SATISFIES t = 'T2' END) COLLATE NOCASE",
                "(ANY t IN tags SATISFIES t = 'T2' END) COLLATE NOCASE", true
            ),
            ("(name = 'T10') COLLATE NOCASE", "(TRUE = (name = 'T10')) COLLATE NOCASE", true),
        ])
    func variables(expression: String, condition: String, isUsed: Bool) throws {
        let texts = ["META().id", "COUNT(*)"].map { "SELECT \($0) FROM _ WHERE \(condition)" }
        let before = try texts.map { try rows($0) }
        try test.collection.createIndex(withName: "i", config: ValueIndexConfiguration([expression]))
        #expect(try texts.map { try rows($0) } == before)
        #expect(try self.isUsed(texts[0]) == isUsed)
        _ = try test.database.createQuery("UPDATE _ SET tags = ['t9'], parts = [] WHERE n < 20").execute()
        _ = try test.database.createQuery("DELETE FROM _ WHERE n > 100").execute()
        #expect(try test.database.integrityFindings() == [])
        let after = try texts.map { try rows($0) }
        try test.collection.deleteIndex(forName: "i")
        #expect(try texts.map { try rows($0) } == after)
    }

    @Test(
        "LIKE with ESCAPE, IN over an array, FIRST, stars and functions are in an index, for the same expression only",
        arguments: [
            ("FIRST t FOR t IN tags WHEN t > 't1' END", "FIRST x FOR x IN tags WHEN x > 't1' END = 't2'", true),
            ("FIRST t FOR t IN tags WHEN t > 't1' END", "ARRAY x FOR x IN tags WHEN x > 't1' END > []", false),
            ("parts[*].k", "parts[*].k = [0, 1]", true), ("parts[*].k[1]", "parts[*].k[1] = 1", true),
            ("parts[*].k", "parts[*].list > []", false), ("ARRAY_STAR(parts)", "parts[*] > {}", false),
            ("DECODE(n % 3, 0, 'a', 'b')", "DECODE(n % 3, 0, 'a', 'b') = 'a'", true),
            ("OBJECT_PUT({}, 'n', n)", "OBJECT_PUT({}, 'n', n) = {'n': 7}", true),
            ("NVL(tags[0], n)", "NVL(tags[0], n) = 't1'", true), ("NVL(tags[0], n)", "NVL(tags[1], n) = 't1'", false),
            ("name LIKE 't!%' ESCAPE '!'", "(name LIKE 't!%' ESCAPE '!') = FALSE", true),
            ("name LIKE 't1!_%' ESCAPE '!'", "(name LIKE 't1!_%' ESCAPE '#') = FALSE", false),
            ("name LIKE 't1!%' ESCAPE '!'", "(name LIKE 't1!%') = FALSE", false),
            ("'t1' IN tags", "('t1' IN tags) = TRUE", true), ("'t1' IN tags", "('t1' IN parts) = FALSE", false),
            ("'t1' NOT IN tags", "('t1' IN tags) = FALSE", false),
            ("name IN ['t100', tags[0]]", "(name IN ['t100', tags[0]]) = TRUE", true),
            ("name IN ['t100', tags[0]]", "(name IN ['t100', tags[1]]) = FALSE", false),
        ])
    func operators(expression: String, condition: String, isUsed: Bool) throws {
        let text = "SELECT META().id FROM _ WHERE \(condition)"
        let before = try rows(text)
        #expect(!before.isEmpty)
        try test.collection.createIndex(withName: "i", config: ValueIndexConfiguration([expression]))
        #expect(try rows(text) == before)
        #expect(try self.isUsed(text) == isUsed)
        #expect(try test.database.integrityFindings() == [])
    }

    @Test("an alias of a result isn't taken for a variable of its name")
    func capture() throws {
        try test.collection.createIndex(
            withName: "i", config: ValueIndexConfiguration(["ANY n IN tags SATISFIES n = n END"]))
        let text = "SELECT n AS x, META().id FROM _ WHERE ANY n IN tags SATISFIES n = x END"
        #expect(try !isUsed(text))
        #expect(try rows(text) == rows("SELECT n AS x, META().id FROM _ WHERE n IN tags"))
    }

    @Test(
        "a function whose result depends on the device's time zone is in no index",
        arguments: [
            "MILLIS_TO_STR(n)", "STR_TO_MILLIS(name)", "STR_TO_UTC(name)", "STR_TO_TZ(name, 'UTC')",
            "DATE_ADD_STR(name, 1, 'day')", "DATE_FORMAT_STR(name, '%F')", "DATE_RANGE_STR(name, name, 'day')",
        ])
    func timeZone(expression: String) throws {
        let error = #expect(throws: DatabaseError.self) {
            try test.collection.createIndex(withName: "zone", config: ValueIndexConfiguration([expression]))
        }
        #expect(error?.code == .invalidQuery && error?.reason.contains("time zone") == true)
    }

    @Test("the condition of a partial index, and a key over elements, may have ANY and ARRAY")
    func conditions() throws {
        let partial = "SELECT n FROM _ WHERE n > 5 AND ANY x IN tags SATISFIES x >= 't1' END"
        let unnested = "SELECT d.n FROM _ AS d UNNEST d.parts AS p WHERE ARRAY v + 1 FOR v IN p.list END = [2, 1]"
        let nested = "SELECT n FROM _ WHERE ANY p IN parts SATISFIES (ANY v IN p.list SATISFIES v > 3 END) = TRUE END"
        let before = try [partial, unnested, nested].map { try rows($0) }
        #expect(before.allSatisfy { !$0.isEmpty })
        try test.collection.createIndex(
            withName: "partial",
            config: ValueIndexConfiguration(["n"], where: "ANY t IN tags SATISFIES t >= 't1' END"))
        try test.collection.createIndex(
            withName: "sums",
            config: ArrayIndexConfiguration(path: "parts", expressions: ["ARRAY e + 1 FOR e IN list END"]))
        try test.collection.createIndex(
            withName: "any",
            config: ArrayIndexConfiguration(path: "parts", expressions: ["ANY e IN list SATISFIES e > 3 END"]))
        #expect(try isUsed(partial) && isUsed(unnested))
        #expect(try [partial, unnested, nested].map { try rows($0) } == before)
        #expect(try test.database.integrityFindings() == [])
    }

    @Test(
        "LIKE with a beginning reads that part of an index, under collations that compare bytes",
        arguments: [
            ("name", "name LIKE 't1%'", true), ("name", "name LIKE 't1_'", true), ("name", "name LIKE 't10'", true),
            ("name", "name LIKE 't\\%%'", true), ("name", "name LIKE 'é%'", true), ("name", "name LIKE '\0t%'", true),
            ("name", "name LIKE 't\u{10FFFF}%'", true), ("name", "name LIKE '\u{10FFFF}%'", true),
            ("name", "name LIKE '%1'", false), ("name", "name LIKE '_1%'", false), ("name", "name LIKE '5%'", false),
            ("name", "name LIKE '-%'", false), ("name", "name NOT LIKE 't1%'", false),
            ("name", "name LIKE 't1%' ESCAPE '!'", false), ("name", "(name LIKE 't1%') COLLATE NOCASE", false),
            ("name COLLATE NOCASE", "(name LIKE 'T1%') COLLATE NOCASE", true),
            ("name COLLATE NOCASE", "(name LIKE 'Z%') COLLATE NOCASE", true),
            ("name COLLATE UNICODE", "(name LIKE 'T1%') COLLATE UNICODE", false),
            ("name", "name LIKE 't%' AND name < 't2'", true),
        ])
    func like(key: String, condition: String, isUsed: Bool) throws {
        let texts = ["META().id", "COUNT(*)"].map { "SELECT \($0) FROM _ WHERE \(condition)" }
        let before = try texts.map { try rows($0) }
        try test.collection.createIndex(withName: "i", config: ValueIndexConfiguration([key]))
        #expect(try texts.map { try rows($0) } == before)
        #expect(try self.isUsed(texts[0]) == isUsed)
    }
}
