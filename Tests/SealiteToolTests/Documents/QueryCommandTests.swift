import Foundation
import Testing

@Suite("sealite query and index")
struct QueryCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
        let documents = [
            #"{"name":"Ann","age":30,"tags":["a"]}"#, #"{"name":"Bob","age":40}"#, #"{"name":"C\u001bc","age":null}"#,
        ]
        for (id, document) in zip(["a", "b", "c"], documents) { _ = try run("doc", "put", "a.db", id, document) }
    }

    private func run(_ arguments: String..., input: String = "") throws -> Outcome {
        try place.run([Tool.path] + arguments + ["--key-file", "key"], input: input)
    }

    @Test("rows are written as a table, as JSON without what is MISSING, and as CSV")
    func formats() throws {
        let query = "SELECT META().id, name, age, tags FROM _ WHERE age > $low OR age IS NULL ORDER BY id"
        let table = try run("query", "a.db", query, "--param", "low=35").out.split(separator: "\n")
        #expect(table.count == 4 && table[0].hasPrefix("id  name") && table[2].hasPrefix("b   Bob"))
        #expect(!table[3].contains("\u{1b}") && table[3].contains("null"))
        #expect(
            try run("query", "a.db", query, "--param", "low=25", "--json").out.hasPrefix(
                #"[{"id":"a","name":"Ann","age":30,"tags":["a"]},"# + "\n" + #"{"id":"b","name":"Bob","age":40},"#))
        #expect(
            try run("query", "a.db", query, "--param", "low=25", "--csv").out.hasPrefix(
                "id,name,age,tags\na,Ann,30,\"[\"\"a\"\"]\"\nb,Bob,40,\n"))
        #expect(
            try run("query", "a.db", query, "--param", "low=25", "--rows", "1", "--csv").out.split(separator: "\n")
                .count == 2)
    }

    @Test("SELECT VALUE is written in JSON as the values themselves, and in columns and CSV under its column")
    func values() throws {
        func json(_ query: String) throws -> String { try run("query", "a.db", query, "--json").out }
        #expect(try json("SELECT VALUE name FROM _ WHERE age IS VALUED ORDER BY age") == "[\"Ann\",\n\"Bob\"]\n")
        #expect(try json("SELECT RAW tags FROM _ ORDER BY META().id") == "[[\"a\"],\nnull,\nnull]\n")
        #expect(try json("SELECT VALUE {'a': age, 'b': none} FROM _ WHERE age = 30") == "[{\"a\":30}]\n")
        #expect(try json("SELECT VALUE age FROM _ WHERE FALSE") == "[]\n")
        #expect(try json("UPDATE _ SET seen = TRUE WHERE age = 40 RETURNING VALUE seen") == "[true]\n")
        #expect(try json("SELECT VALUE 1 + 1; ") == "[2]\n")
        #expect(try run("query", "a.db", "SELECT VALUE name FROM _ WHERE age = 30", "--csv").out == "name\nAnn\n")
        #expect(try run("query", "a.db", "SELECT VALUE name FROM _ WHERE age = 30").out == "name\n----\nAnn\n")
        let script = try run("query", "a.db", "--json", "--no-input", input: "SELECT VALUE 1;\nSELECT 1 AS a;\n")
        #expect(script.out == "[1]\n[{\"a\":1}]\n")
    }

    @Test("parameters come from the command line in JSON or as text, and from a file")
    func parameters() throws {
        let query = "SELECT RAW name FROM _ WHERE name = $name AND age IN $ages"
        try #"{"ages":[30,40],"name":"Bob"}"#.write(
            toFile: place.path + "/parameters.json", atomically: true, encoding: .utf8)
        #expect(try run("query", "a.db", query, "--param-file", "parameters.json", "--csv").out == "name\nBob\n")
        #expect(
            try run("query", "a.db", query, "--param", "name=Ann", "--param", "ages=[30]", "--csv").out == "name\nAnn\n"
        )
        let unknown = try run("query", "a.db", query, "--param", "nam=Ann")
        #expect(unknown.status == 64 && unknown.err.contains("no parameter 'nam'"))
    }

    @Test("a parameter without a value is an error, in changes and scripts too, except where a plan is asked for")
    func missingParameter() throws {
        for query in ["SELECT name FROM _ WHERE age > $low", "DELETE FROM _ WHERE age > $low"] {
            let missing = try run("query", "a.db", query)
            #expect(missing.status == 64 && missing.out.isEmpty, "\(missing)")
            #expect(missing.err == "sealite: the parameter $low has no value\nhint: give it with --param low=VALUE\n")
        }
        let script = try run("query", "a.db", "--no-input", input: "SELECT name FROM _ WHERE age > $low;")
        #expect(script.status == 64 && script.err.contains("$low has no value"), "\(script)")
        #expect(try run("query", "a.db", "SELECT name FROM _ WHERE age > $low", "--explain").status == 0)
        let sql = try run("sql", "a.db", "SELECT 1 WHERE 2 > $low")
        #expect(sql.status == 64 && sql.err.contains("hint: give it with --param low=VALUE"), "\(sql)")
    }

    @Test("a query that is wrong says where, with exit code 64")
    func wrong() throws {
        let error = try run("query", "a.db", "SELECT name FROM _ WHRE age = 1", "--json")
        #expect(error.status == 64 && error.json?["code"] as? String == "invalid-query")
        #expect(error.out.isEmpty && error.err.contains("line 1, column 20"))
    }

    @Test("an index is made, listed, used, and deleted")
    func indexes() throws {
        let query = "SELECT name FROM _ WHERE age = 30"
        #expect(
            try run("query", "a.db", query, "--explain").out.contains(
                "an index over age of _default._default would help\n  sealite index create DATABASE age --on age\n"))
        let initial = "SELECT name FROM _ WHERE SUBSTR(name, 0, 1) = 'A'"
        #expect(
            try run("query", "a.db", initial, "--explain").out.contains(
                "  sealite index create DATABASE name --on 'SUBSTR(name, 0, 1)'\n"))
        #expect(
            try run("index", "create", "a.db", "age", "--on", "age").out
                == "made the index \"age\" over 3 documents of _default._default\n")
        #expect(try run("index", "list", "a.db").out == "_default._default  age  age\n")
        #expect(try run("query", "a.db", query, "--explain").out.contains("search the index age"))
        #expect(try run("query", "a.db", query, "--explain", "--json").out.contains(#""index":"age""#))
        let measured = try run("query", "a.db", query, "--explain", "--measure", "--json").out
        #expect(measured.contains(#""readRows":1"#) && measured.contains(#""openedPages":"#))
        #expect(try run("query", "a.db", query, "--measure").status == 64)
        #expect(try run("query", "a.db", query, "--csv").out == "name\nAnn\n")
        #expect(try run("index", "create", "a.db", "bad", "--on", "age +").status == 64)
        #expect(
            try run("index", "delete", "a.db", "age").status == 0 && run("index", "delete", "a.db", "age").status == 66)
        #expect(try run("index", "list", "a.db", "--json").out == "")
        _ = try run("collection", "create", "a.db", "none")
        let empty = try run("index", "create", "a.db", "age", "--on", "age", "--collection", "none")
        #expect(empty.status == 0 && empty.err.contains("\"_default.none\" has no documents"), "\(empty)")
        let unknown = try run("query", "a.db", "SELECT age FROM None")
        #expect(unknown.status == 64 && unknown.err.contains("names are case-sensitive"))
    }

    @Test("an index that replaces another definition tells which, and one that is the same replaces nothing")
    func replacedIndex() throws {
        #expect(try run("index", "create", "a.db", "age", "--on", "age", "--where", "age > 1").status == 0)
        let same = try run("index", "create", "a.db", "age", "--on", "age", "--where", "age > 1")
        #expect(same.status == 0 && !same.out.contains("replaced"), "\(same)")
        let replaced = try run("index", "create", "a.db", "age", "--on", "name")
        #expect(replaced.out.hasSuffix("; it replaced another definition: age  WHERE age > 1\n"), "\(replaced)")
        let json = try run("index", "create", "a.db", "age", "--full-text", "name", "--json")
        #expect(Outcome.object(json.out)?["replaced"] as? Bool == true, "\(json)")
        let again = try run("index", "create", "a.db", "age", "--full-text", "name", "--json")
        #expect(Outcome.object(again.out)?["replaced"] as? Bool == false, "\(again)")
    }

    @Test(
        "several expressions in one option are refused with the options to give, and a comma inside one isn't",
        arguments: ["--on", "--full-text"])
    func severalExpressions(option: String) throws {
        let refused = try run("index", "create", "a.db", "i", option, "name, phones[0].type")
        #expect(refused.status == 64, "\(refused)")
        #expect(
            refused.err.contains("repeat the option for several: \(option) name \(option) 'phones[0].type'"),
            "\(refused)")
        #expect(try run("index", "create", "a.db", "i", option, #"IFMISSING(name, "a,b")"#).status == 0)
        #expect(try run("index", "create", "a.db", "j", option, "`odd,name`").status == 0)
    }

    @Test("an index over the elements of an array is made, listed with its path, and used")
    func arrayIndexes() throws {
        let query = "SELECT name FROM _ WHERE ANY p IN phones SATISFIES p.type = 'home' END"
        let advice = "an index over type of the elements of phones of _default._default would help"
        #expect(try run("query", "a.db", query, "--explain").out.contains(advice))
        #expect(try run("index", "create", "a.db", "types", "--array", "phones", "--on", "type").status == 0)
        #expect(
            try run("index", "create", "a.db", "all", "--array", "phones[].codes").out.hasPrefix(
                "made the index \"all\""))
        let list = "_default._default  all  phones[].codes[]\n_default._default  types  phones[]  type\n"
        #expect(try run("index", "list", "a.db").out == list)
        #expect(try run("index", "list", "a.db", "--json").out.contains(#""path":"phones","expressions":["type"]"#))
        #expect(try run("query", "a.db", query, "--explain").out.contains("search the index types"))
        #expect(try run("index", "create", "a.db", "bad", "--array", "phones[]").status == 64)
        #expect(try run("index", "create", "a.db", "bad", "--array", "phones", "--where", "age > 1").status == 64)
        #expect(try run("index", "create", "a.db", "bad").status == 64)
    }
}
