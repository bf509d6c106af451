import Foundation
import Testing

@Suite("sealite model")
struct ModelCommandTests {
    private let place: Workplace

    private static let dog = #"""
        {"title":"Dog","bsonType":"object","required":["_id","name"],"properties":{
            "_id":{"bsonType":"objectId"},"name":{"bsonType":"string"},"age":{"bsonType":"int"}}}
        """#
    private static let id = "$oid:616f44305a205add93ff1081"

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
        try place.write(Self.dog, to: "dog.json")
        let applied = try model("apply", "dog.json")
        try #require(applied.status == 0 && applied.out == "applied \"Dog\"\n", "\(applied)")
    }

    private func model(_ command: String, _ arguments: String..., input: String = "") throws -> Outcome {
        try place.run([Tool.path, "model", command, "a.db"] + arguments + ["--key-file", "key"], input: input)
    }

    private func put(_ json: String, id: String = id) throws -> Outcome {
        try place.sealite("doc", "put", "a.db", id, "--collection", "Dog", "--key-file", "key", input: json)
    }

    @Test("stored schemas are listed and written, for people and for scripts")
    func listAndSchema() throws {
        #expect(try model("list").out == "Dog  Dog  version 0  3 properties  strict, error\n")
        let listed = try #require(Outcome.object(try model("list", "--json").out))
        #expect(listed["type"] as? String == "Dog" && listed["collection"] as? String == "_default.Dog")
        #expect(listed["properties"] as? [String] == ["_id", "name", "age"])
        #expect(try model("schema", "Dog").out.hasPrefix("{\n  \"title\": \"Dog\",\n"))
        let schema = try model("schema", "--json").out
        #expect(
            schema
                == #"{"title":"Dog","bsonType":"object","required":["_id","name"],"properties":{"_id":{"bsonType":"objectId"},"#
                + #""name":{"bsonType":"string"},"age":{"bsonType":"int"}}}"# + "\n")
        let missing = try model("schema", "Cat", "--json")
        #expect(missing.status == 66 && missing.json?["code"] as? String == "no-such-type")
    }

    @Test("what the tool saves is validated, by each of its commands")
    func validation() throws {
        #expect(try put(#"{"name":"Jasper"}"#).status == 0)
        let refused = try place.sealite(
            "doc", "put", "a.db", Self.id, "--collection", "Dog", "--key-file", "key", "--json",
            input: #"{"name":"secret","age":"x"}"#)
        #expect(refused.status == 1 && !refused.err.contains("secret"))
        let error = try #require(refused.json)
        #expect(error["code"] as? String == "unfit-document" && error["type"] as? String == "Dog")
        let violations = error["violations"] as? [[String: String]]
        #expect(violations == [["path": "age", "keyword": "bsonType", "expected": "int"]])

        let query = try place.sealite("query", "a.db", "UPDATE Dog SET age = 'x'", "--key-file", "key")
        #expect(query.status == 1 && query.err.contains("'age' isn't of type int (bsonType)"))
        let imported = try place.sealite(
            "import", "a.db", "-", "--collection", "Dog", "--key-file", "key", input: #"{"_id":"x","name":"y"}"#)
        #expect(imported.status == 1 && imported.err.contains("line 1: ") && imported.err.contains("'_id'"))
        let inserted = try place.sealite("mongo", "insert", "a.db", "Dog", #"{"age":1}"#, "--key-file", "key", "--json")
        #expect(inserted.status == 1 && inserted.json?["mongoCode"] as? Int == 121)
        #expect(
            try place.sealite("doc", "get", "a.db", Self.id, "--collection", "Dog", "--key-file", "key").out
                == #"{"name":"Jasper"}"# + "\n")
    }

    @Test("a policy that only warns saves what doesn't fit and says so, and check lists it")
    func warningsAndCheck() throws {
        #expect(try model("check").status == 0)
        #expect(try model("apply", "dog.json", "--action", "warn", "--level", "moderate").status == 0)
        let saved = try put(#"{"name":5}"#)
        #expect(
            saved.status == 0 && saved.err.contains("warning: ") && saved.err.contains("'name' isn't of type string"))
        #expect(try model("list").out.hasSuffix("moderate, warn\n"))
        let checked = try model("check", "Dog")
        #expect(checked.status == 1)
        #expect(checked.out == "_default.Dog  \(Self.id)  'name' isn't of type string (bsonType)\n")
        let line = try #require(Outcome.object(try model("check", "--json").out))
        #expect(line["id"] as? String == Self.id && line["type"] as? String == "Dog")
        #expect(try model("apply", "dog.json", "--level", "loose").status == 64)
    }

    @Test("check names dates and UUIDs that are text, and convert stores them typed; other text is kept")
    func convert() throws {
        try place.write(
            #"""
            {"title":"Visit","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"string"},
            "at":{"bsonType":"date"},"of":{"bsonType":"uuid"},"note":{"bsonType":"string"},
            "more":{"bsonType":"array","items":{"bsonType":"date"}}}}
            """#, to: "visit.json")
        let line = #"""
            {"_id":"v","at":"2026-11-21T04:06:03Z","of":"73FFD264-44b3-4c69-90e8-e7d1dfc035d4","note":"2026-11-21","more":["2026-11-21"],"n":1.50}
            {"_id":"w","at":"2026-11-21Tx","note":"AQID"}
            """#
        let target = ["a.db", "-", "--collection", "Visit", "--key-file", "key"]
        #expect(try place.run([Tool.path, "import"] + target, input: line).status == 0)
        #expect(try model("apply", "visit.json", "--action", "warn").status == 0)
        let checked = try model("check", "Visit")
        #expect(checked.out.contains("v  'at' is of type date, but stored as text (bsonType)\n"), "\(checked)")
        #expect(checked.out.contains("w  'at' isn't of type date (bsonType)\n"))
        #expect(checked.err.contains("'sealite model convert'"))
        #expect(try model("convert", "Visit").out == "converted 1 document\n")
        #expect(try model("convert", "--json").out == "{\"converted\":0}\n")
        #expect(
            try place.run([Tool.path, "export"] + target).out
                == #"{"_id":"v","at":{"$date":"2026-11-21T04:06:03.000Z"},"of":{"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"},"#
                + #""note":"2026-11-21","more":[{"$date":"2026-11-21T00:00:00.000Z"}],"n":1.50}"# + "\n"
                + #"{"_id":"w","at":"2026-11-21Tx","note":"AQID"}"# + "\n")
        let again = try model("check", "Visit")
        #expect(again.out.split(separator: "\n").count == 1 && !again.err.contains("model convert"))
    }

    @Test("the updates that Values.md documents convert a collection without a schema to either form of dates")
    func convertByUpdate() throws {
        let target = ["a.db", "-", "--collection", "notes", "--key-file", "key"]
        let lines = #"{"_id":"a","due":"2026-11-21T04:06:03.123Z"}"# + "\n" + #"{"_id":"b","due":7}"# + "\n"
        #expect(try place.run([Tool.path, "import"] + target, input: lines).status == 0)
        func update(_ filter: String, _ change: String) throws {
            let run = try place.sealite(
                "mongo", "update", "a.db", "notes", filter, change, "--many", "--key-file", "key")
            #expect(run.status == 0, "\(run)")
        }
        try update(#"{"due": {"$type": "string"}}"#, #"[{"$set": {"due": {"$toDate": "$due"}}}]"#)
        let typed = try place.run([Tool.path, "export"] + target).out
        let text = #""2026-11-21T04:06:03.123Z""#
        #expect(typed == lines.replacing(text, with: "{\"$date\":\(text)}"))
        try update(#"{"due": {"$type": "date"}}"#, #"[{"$set": {"due": {"$dateToString": {"date": "$due"}}}}]"#)
        #expect(try place.run([Tool.path, "export"] + target).out == lines)
    }

    @Test("differences are told, applied where documents needn't follow, and else refused by name")
    func diffAndApply() throws {
        #expect(try model("diff", "dog.json").out.isEmpty)
        try place.write(
            Self.dog.replacing(
                #""age":{"bsonType":"int"}"#,
                with: #""age":{"bsonType":"int","minimum":0},"breed":{"bsonType":"string"}"#),
            to: "next.json")
        let diff = try model("diff", "next.json").out
        #expect(diff.contains("Dog.age: 'minimum' is narrower (server: narrowing, client: none)\n"))
        #expect(diff.contains("Dog.breed: the property has been added (server: nonBreaking, client: nonBreaking)\n"))
        #expect(try model("diff", "next.json", "--json").out.split(separator: "\n").count == 2)
        #expect(try model("apply", "next.json").status == 0)
        #expect(try put(#"{"name":"a","age":-1}"#).status == 1)

        try place.write(
            Self.dog.replacing(#""age":{"bsonType":"int"}"#, with: #""age":{"bsonType":"string"}"#), to: "other.json")
        let refused = try model("apply", "other.json", "--json")
        #expect(refused.status == 1 && refused.json?["code"] as? String == "migration-required")
        let changes = try #require(refused.json?["changes"] as? [String])
        #expect(changes.contains("Property 'Dog.age' was of type 'int?' and is now of type 'string?'."))
        #expect(try model("diff", "next.json").out.isEmpty)
    }

    @Test("a migration adds and renames, and refuses by name what needs a function")
    func migrate() throws {
        #expect(try put(#"{"name":"Jasper","age":8}"#).status == 0)
        try place.write(
            Self.dog.replacing(
                #""name":{"bsonType":"string"}"#,
                with: #""title":{"bsonType":"string"},"legs":{"bsonType":"int","default":4}"#
            )
            .replacing(#""required":["_id","name"]"#, with: #""required":["_id","title","legs"]"#),
            to: "next.json")
        let refused = try model("migrate", "next.json", "--json")
        #expect(refused.status == 1)
        #expect(refused.json?["changes"] as? [String] == ["Property 'Dog.name' is no longer declared."])
        #expect(try model("migrate", "next.json", "--rename", "name=title").out == "migrated to version 1\n")
        #expect(
            try place.sealite("doc", "get", "a.db", Self.id, "--collection", "Dog", "--key-file", "key").out
                == #"{"title":"Jasper","age":8,"legs":4}"# + "\n")
        #expect(try model("list").out == "Dog  Dog  version 1  4 properties  strict, error\n")
    }

    @Test("a rename that would lose values is refused with the reason, and changes nothing")
    func refusedRenames() throws {
        let stored = #"{"name":"Jasper","age":8}"#
        #expect(try put(stored).status == 0)
        func refusal(_ properties: String, _ rename: String) throws -> String {
            let head = #"{"title":"Dog","bsonType":"object","properties":{"_id":{"bsonType":"objectId"},"#
            try place.write(head + properties + "}}", to: "next.json")
            let ran = try model("migrate", "next.json", "--rename", rename)
            #expect(ran.status == 64 && ran.out.isEmpty, "\(ran)")
            return ran.err
        }
        let (name, text) = (#""name":{"bsonType":"string"}"#, #""age":{"bsonType":"string"}"#)
        #expect(try refusal(name, "age").contains("--rename takes OLD=NEW"))
        #expect(try refusal(name, "age=nothing").contains("the new schema of \"Dog\" has no property \"nothing\""))
        #expect(try refusal(name, "years=name").contains("the stored schema of \"Dog\" has no property \"years\""))
        #expect(try refusal(name, "age=name").contains("the stored schema of \"Dog\" has a property \"name\" already"))
        #expect(try refusal("\(name),\(text),\"a\":{}", "age=a").contains("still has the property \"age\""))
        #expect(
            try refusal(#"\#(name),"years":{"bsonType":"string"}"#, "age=years")
                .contains("the type would change from 'int' to 'string'"))
        try place.write(Self.dog.replacing("Dog", with: "Cat"), to: "cat.json")
        let other = try model("migrate", "cat.json", "--rename", "a=name")
        #expect(other.status == 64 && other.err.contains("the database has no schema of \"Cat\""))
        #expect(
            try place.sealite("doc", "get", "a.db", Self.id, "--collection", "Dog", "--key-file", "key").out
                == stored + "\n")
        #expect(try model("list").out == "Dog  Dog  version 0  3 properties  strict, error\n")
    }

    @Test("hints say what can be done about a migration that is refused")
    func migrationHints() throws {
        #expect(try put(#"{"name":"Jasper"}"#).status == 0)
        try place.write(
            Self.dog.replacing(#""required":["_id","name"]"#, with: #""required":["_id","name","age"]"#),
            to: "next.json")
        let missing = try model("migrate", "next.json")
        #expect(missing.status == 1 && missing.err.contains("Dog.age") && missing.err.contains("\"default\""))
        let version = try model("migrate", "next.json", "--schema-version", "0")
        #expect(
            version.status == 1
                && version.err.contains("hint: --schema-version takes a number above the stored version"))
        try place.write(Self.dog.replacing(#","age":{"bsonType":"int"}"#, with: ""), to: "next.json")
        #expect(try model("migrate", "next.json").err.contains("hint: --rename OLD=NEW keeps the values"))
        #expect(try model("apply", "dog.json", "--schema-version", "7").status == 0)
        let lower = try model("apply", "dog.json", "--schema-version", "6")
        #expect(lower.status == 1 && lower.err.contains("version 7, which is above the given one, 6"))
        // A type whose name no collection can have gets one all the same.
        try place.write(Self.dog.replacing("\"Dog\"", with: "\"_Dog x\""), to: "odd.json")
        #expect(try model("apply", "odd.json").status == 0)
        #expect(try model("list").out.contains("_Dog x  -_Dog%20x  version 0"))
    }

    @Test("Swift is generated to standard output and into files, and no file of a person's is written over")
    func generate() throws {
        let text = try place.sealite("model", "generate", "dog.json")
        #expect(text.status == 0 && text.out.hasPrefix("// Generated from dog.json; edits are lost.\n"))
        #expect(text.out.contains("public struct Dog: Model"))
        #expect(try place.sealite("model", "generate", "dog.json", "-o", "Sources").out == "made \"Dog.swift\"\n")
        #expect(try place.read("Sources/Dog.swift").count > 0)
        #expect(try place.sealite("model", "generate", "dog.json", "-o", "Sources").status == 0)
        let generated = try place.read("Sources/Dog.swift")
        let unwritten = try place.run(
            ["sh", "-c", "ulimit -f 0; exec \"$0\" model generate dog.json -o Sources", Tool.path])
        #expect(unwritten.status != 0, "\(unwritten)")
        #expect(try place.read("Sources/Dog.swift") == generated)
        try place.write("struct Dog {}\n", to: "Sources/Dog.swift")
        #expect(try place.sealite("model", "generate", "dog.json", "-o", "Sources").status == 73)
        #expect(try place.read("Sources/Dog.swift") == Array("struct Dog {}\n".utf8))
        let file = try place.sealite("model", "generate", "dog.json", "-o", "dog.json")
        #expect(file.status == 73 && file.err.contains("\"dog.json\" is a file, not a folder"))
        let unmade = try place.sealite("model", "generate", "dog.json", "-o", "/proc/none")
        #expect(unmade.status != 0 && unmade.err.contains("making the folder"), "\(unmade)")
    }

    @Test("a schema is made of documents")
    func infer() throws {
        let lines = #"""
            {"_id":1,"kind":"dog","n":1}
            {"_id":2,"kind":"cat","n":2.5}
            {"_id":3,"kind":"dog"}
            """#
        #expect(try place.sealite("mongo", "insert", "a.db", "animals", "--key-file", "key", input: lines).status == 0)
        let schema = try #require(
            Outcome.object(try model("infer", "animals", "--title", "Animal", "--json").out))
        #expect(schema["title"] as? String == "Animal" && schema["required"] as? [String] == ["_id", "kind"])
        let places = try model("infer", "animals", "--places").out
        #expect(places.contains("n  double 1, int 1  of 3\n"))
        #expect(try model("infer", "nothing").status == 66)
        #expect(try model("infer", "animals", "--title", "").status == 64)
        #expect(try model("infer", "animals", "--title", String(repeating: "x", count: 58)).status == 64)
        #expect(try model("infer", "animals", "--limit", "0").err.contains("--limit takes a number above 0"))
        #expect(try model("check", "--limit", "0").status == 64)
    }

    @Test("what isn't a schema is refused with the place")
    func badSchemas() throws {
        try place.write("{\"title\":\"A\"\n\"bsonType\":\"object\"}", to: "bad.json")
        let bad = try place.sealite("model", "generate", "bad.json", "--json")
        #expect(bad.status == 64 && bad.json?["code"] as? String == "invalid-schema")
        #expect(bad.err.contains("line 2, column 1"))
        #expect(bad.err.contains(#"\"bad.json\""#))
        try place.write(
            #"{"title":"A","bsonType":"object","properties":{"a":{"bsonType":"no"}},"required":["b"]}"#, to: "bad.json")
        #expect(try model("apply", "dog.json", "bad.json").status == 64)
        let several = try place.sealite("model", "generate", "dog.json", "bad.json")
        #expect(
            several.err.hasPrefix(
                """
                sealite: 2 errors in the schemas of documents
                  "bad.json": A /properties/a/bsonType: there is no type 'no' (unsupportedType)
                  "bad.json": A /required: the required property 'b' isn't among the properties (requiredUnknownProperty)
                """), "\(several.err)")
        let untold = try place.sealite("model", "generate", "dog.json", "--relationships", "Cat=bad.json")
        #expect(untold.status == 64 && untold.err.contains("none of the schemas has the title \"Cat\""))
        try place.write(#"{"title":"A","bsonType":"object","properties":{}}"#, to: "bad.json")
        let warned = try place.sealite("model", "generate", "bad.json")
        #expect(warned.status == 0 && warned.err.hasPrefix("warning: \"bad.json\": A /properties: no property"))
        #expect(try model("apply", "missing.json").status == 66)
        #expect(try model("apply").status == 64)
    }
}
