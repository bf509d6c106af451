import Foundation
import Testing

@Suite("what sealite mongo is given")
struct MongoInputTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
        let made = try mongo("insert", "_default", #"[{"_id":"a","n":1},{"_id":"b","n":"hidden"}]"#)
        try #require(made.status == 0, "\(made)")
    }

    private func mongo(_ command: String, _ arguments: String..., input: String = "") throws -> Outcome {
        try place.run([Tool.path, "mongo", command, "a.db"] + arguments + ["--key-file", "key"], input: input)
    }

    @Test("filters, updates, documents and pipelines are read from files in their arguments' places")
    func files() throws {
        try place.write(#"{"n":"hidden"}"#, to: "filter")
        try place.write("\n{\"$set\": {\"n\": \"two\"}}\n", to: "update")
        try place.write(#"{"n":3}"#, to: "document")
        try place.write(#"[{"$match":{"n":3}}]"#, to: "pipeline")
        #expect(try mongo("count", "_default", "--filter-file", "filter").out == "1\n")
        let update = try mongo("update", "_default", "--filter-file", "filter", #"{"$set":{"n":"hidden","m":1}}"#)
        #expect(update.out == "matched 1 document, changed 1\n")
        #expect(try mongo("update", "_default", #"{"_id":"b"}"#, "--update-file", "update").status == 0)
        #expect(try mongo("replace", "_default", #"{"n":"two"}"#, "--document-file", "document").status == 0)
        #expect(
            try mongo("aggregate", "_default", "--pipeline-file", "pipeline").out == #"{"_id":"b","n":3}"# + "\n")
        #expect(try mongo("find", "_default", "--filter-file", "-", input: #"{"n":1}"#).out.contains(#""_id":"a""#))
        #expect(try mongo("delete", "_default", "--filter-file", "filter").out == "deleted 0 documents\n")
        #expect(try mongo("find", "_default", "{}", "--filter-file", "filter").status == 64)
        #expect(try mongo("find", "_default", "--filter-file", "a.db").status == 64)
        #expect(try mongo("find", "_default", "--filter-file", "missing").status == 66)
    }

    @Test("a document with an _id that isn't allowed is named by its line, and those before it are stored")
    func invalidID() throws {
        let input = #"{"_id":"c"}"# + "\n" + #"{"_id":["d"]}"# + "\n"
        let insert = try mongo("insert", "_default", input: input)
        #expect(insert.status != 0 && insert.err.contains("line 2: "), "\(insert)")
        #expect(insert.err.contains("(1 document before it is inserted)"), "\(insert)")
        #expect(try mongo("count", "_default").out == "3\n")
    }

    @Test("standard input holds the key or the documents, not both")
    func standardInput() throws {
        let insert = try place.sealite("mongo", "insert", "a.db", "_default", "--passphrase-fd", "0", input: "{}")
        #expect(insert.status == 64 && insert.err.contains("Standard input"))
        let find = try place.sealite(
            "mongo", "find", "a.db", "_default", "--filter-file", "-", "--passphrase-fd", "0", input: "{}")
        #expect(find.status == 64 && find.err.contains("standard input"))
    }

    @Test(
        "what isn't Extended JSON is refused with the place, and without its text",
        arguments: [
            "", "{", "[]", "null", "secret", #"{"secret":}"#, #"{"secret":1,"secret":2}"#, #"{"a":{"$oid":"secret"}}"#,
            #"{"secret":{"$date":{}}}"#, #"{"secret":1}x"#, "{\"secret\u{0}\":1}", "\u{FEFF}",
        ])
    func badText(_ text: String) throws {
        try place.write(text, to: "filter")
        let error = try mongo("find", "_default", "--filter-file", "filter", "--json")
        #expect(error.status == 64 && error.out.isEmpty && !error.err.contains("secret"), "\(error)")
    }

    @Test("bytes that aren't UTF-8, and nesting without an end, are refused")
    func badBytes() throws {
        try place.write([UInt8(ascii: "{"), 0x22, 0xFF, 0xC0, 0x22, 0x3A, 0x31, 0x7D], to: "filter")
        #expect(try mongo("find", "_default", "--filter-file", "filter").status == 64)
        let deep = String(repeating: #"{"a":"#, count: 100_000)
        for text in [
            deep, String(repeating: "[", count: 1_000_000), deep + "1" + String(repeating: "}", count: 100_000),
        ] {
            try place.write(text, to: "filter")
            #expect(try mongo("find", "_default", "--filter-file", "filter").status == 64)
            #expect(try mongo("insert", "_default", input: text).status == 64)
        }
        let nested = String(repeating: #"{"$and":[{"$or":["#, count: 120) + "{}" + String(repeating: "]}]}", count: 120)
        #expect(try mongo("find", "_default", nested).status == 64)
    }

    @Test("a request that isn't one has MongoDB's number; where documents stand against it the exit code is 1")
    func requests() throws {
        let filter = try mongo("find", "_default", #"{"n":{"$near":1}}"#, "--json")
        #expect(filter.status == 64 && filter.json?["mongoCode"] as? Int == 2)
        #expect(filter.json?["code"] as? String == "bad-value" && filter.err.contains("$near"))
        #expect(filter.json?["exitCode"] as? Int == 64)
        let update = try mongo("update", "_default", "{}", #"{"n":1}"#)
        #expect(update.status == 64 && update.err.hasPrefix("sealite: "))
        #expect(try mongo("update", "_default", "{}", #"{"$set":{"_id":"c"}}"#).status == 1)
        #expect(
            try mongo("update", "_default", "{}", #"{"$set":{"n":1}}"#, "--many", "--sort", #"{"n":1}"#).status == 64)
        #expect(try mongo("aggregate", "_default", #"[{"$nothing":{}}]"#).status == 64)
        let number = try mongo("update", "_default", "{}", #"{"$inc":{"n":1}}"#, "--many", "--json")
        #expect(number.status != 0 && number.json?["mongoCode"] as? Int == 14)
        #expect(!number.err.contains("hidden"))
        #expect(try mongo("count", "_default", #"{"n":2}"#).out == "0\n")
    }

    @Test("collections are named as in the other commands")
    func collections() throws {
        #expect(try mongo("insert", "a.b.c", "{}").status == 64)
        #expect(try mongo("insert", "a b", "{}", "--json").status == 64)
        #expect(try mongo("count", "_default._default").out == "2\n")
    }
}
