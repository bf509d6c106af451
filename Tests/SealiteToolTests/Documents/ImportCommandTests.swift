import Foundation
import Testing

@Suite("sealite import and export")
struct ImportCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
    }

    private func run(_ arguments: String..., input: String = "") throws -> Outcome {
        try place.run([Tool.path] + arguments + ["--key-file", "key"], input: input)
    }

    /// Two and a half transactions of documents.
    private static let lines = (0..<2500).map {
        #"{"code":"c\#($0)","big":12345678901234567890123.450,"name":"Málaga \u007f","list":[1,{"deep":null}]}"# + "\n"
    }.joined()

    @Test("what was imported is exported byte for byte, with ids of a member")
    func roundTrip() throws {
        try place.write(Self.lines, to: "in.jsonl")
        #expect(try run("import", "a.db", "in.jsonl", "--id-field", "code").out == "imported 2500 documents\n")
        #expect(try run("export", "a.db", "out.jsonl", "--by-sequence", "--no-ids").out == "exported 2500 documents\n")
        #expect(try place.read("out.jsonl") == (try place.read("in.jsonl")))
        #expect(try place.mode("out.jsonl") == 0o600)
        #expect(try run("export", "a.db", "-", "--by-sequence", "--id-field", "code").out == Self.lines)
        #expect(place.names == ["a.db", "in.jsonl", "out.jsonl"])
    }

    @Test("an export with ids makes the same documents in another database, through a pipe")
    func ids() throws {
        let lines = "{\"_id\":\"a\",\"x\":1}\n\n{\"_id\":7,\"y\":[]}\r\n \n{\"_id\":\"é\"}"
        #expect(try run("import", "a.db", "-", "--collection", "s.c", input: lines).status == 0)
        let exported = try run("export", "a.db", "-", "--collection", "s.c").out
        #expect(exported == "{\"_id\":\"7\",\"y\":[]}\n{\"_id\":\"a\",\"x\":1}\n{\"_id\":\"é\"}\n")
        try place.makeDatabase("b.db")
        #expect(try run("import", "b.db", "-", input: exported).status == 0)
        #expect(try run("export", "b.db", "-").out == exported)
        #expect(try run("export", "b.db", "-", "--id-field", "y").json == nil)
        let taken = try run("export", "b.db", "out", "--id-field", "x", "--json")
        #expect(taken.status == 1 && taken.json?["code"] as? String == "id-field-taken")
        #expect(place.names == ["a.db", "b.db"])
    }

    @Test("lines without an id get one; a document that is there gets a revision")
    func newAndOld() throws {
        _ = try run("import", "a.db", "-", input: "{}\n{}\n{\"_id\":\"a\"}\n{\"_id\":\"a\",\"x\":1}\n")
        #expect(try run("doc", "list", "a.db").out.split(separator: "\n").count == 3)
        #expect(try run("doc", "history", "a.db", "a").out.split(separator: "\n").count == 2)
    }

    @Test(
        "a bad line is named, with what is stored; --atomic stores nothing",
        arguments: [
            ("{\"_id\":\"x\",}", "invalid-json"), ("[1]", "invalid-json"), ("{\"_id\":1.5}", "no-id"),
            ("{\"_id\":\"_x\"}", "bad-document-id"), ("{\"_id\":\"\"}", "bad-document-id"),
            ("{\"_rev\":\"1-a\"}", "invalid-parameter"),
        ])
    func badLines(line: String, code: String) throws {
        let lines = (0..<1000).map { "{\"_id\":\"\($0)\"}\n" }.joined() + "{}\n" + line + "\n{}\n"
        for atomic in [true, false] {
            let arguments = [Tool.path, "import", "a.db", "-", "--key-file", "key", "--json"]
            let failed = try place.run(arguments + (atomic ? ["--atomic"] : []), input: lines)
            #expect(failed.status == 64 && failed.json?["code"] as? String == code)
            let message = try #require(failed.json?["message"] as? String)
            #expect(message.hasPrefix("line 1002: "))
            #expect(message.hasSuffix("(1000 documents before it are saved)") == !atomic)
            #expect(try run("doc", "list", "a.db").out.split(separator: "\n").count == (atomic ? 0 : 1000))
        }
    }

    @Test("an id member that was asked for must be on each line")
    func missingIDField() throws {
        let failed = try run("import", "a.db", "-", "--id-field", "code", input: "{\"code\":\"a\"}\n{\"cod\":\"b\"}\n")
        #expect(failed.status == 64 && failed.err.contains("line 2: the object has no member \"code\""))
    }

    @Test("files that can't be read or made are told apart, and none is left half written")
    func files() throws {
        #expect(try run("import", "a.db", "absent").status == 66)
        #expect(try run("import", "a.db", ".").status == 66)
        #expect(try run("import", "a.db", "a.db").status == 64)
        try FileManager.default.createSymbolicLink(
            atPath: place.file("link"), withDestinationPath: place.file("a.db"))
        #expect(try run("import", "a.db", "link").status == 64)
        try place.write("x", to: "there")
        #expect(try run("export", "a.db", "there").status == 73)
        #expect(try run("export", "a.db", "absent/out").status == 66)
        #expect(try run("export", "a.db", "out", "--collection", "nobody").status == 66)
        #expect(place.names == ["a.db", "link", "there"])
    }

    @Test("standard output that is full ends an export with 74")
    func fullOutput() throws {
        _ = try run("doc", "put", "a.db", "a", "{}")
        let command = "\(Tool.path) export a.db - --key-file key >/dev/full"
        let failed = try place.run(["sh", "-c", command])
        #expect(failed.status == 74 && failed.err.contains("standard output"))
    }

    @Test("with --json the result is all of standard output; progress goes to standard error where -v asks for it")
    func progress() throws {
        try place.write(Self.lines, to: "in.jsonl")
        let made = try run("import", "a.db", "in.jsonl", "--json", "-v")
        #expect(Outcome.object(made.out)?["imported"] as? Int == 2500 && made.err.contains(#"{"progress":{"#))
        try place.makeDatabase("b.db")
        let again = try run("import", "b.db", "in.jsonl", "--json")
        #expect(!again.out.contains("progress") && !again.err.contains("progress"))
    }

    @Test("a line that is equal to the document that is there makes no revision")
    func equal() throws {
        try place.write("{\"_id\":\"a\",\"n\":1}\n{\"_id\":\"b\",\"n\":2}\n", to: "in.jsonl")
        #expect(try run("import", "a.db", "in.jsonl").out == "imported 2 documents\n")
        try place.write("{\"_id\":\"a\",\"n\":1}\n{\"_id\":\"b\",\"n\":3}\n", to: "in.jsonl")
        let again = try run("import", "a.db", "in.jsonl")
        #expect(again.out == "imported 1 document of 2 read; the others are as they were\n", "\(again)")
        #expect(try run("doc", "list", "a.db").out.split(separator: "\n").map { $0.contains("\t2-") } == [false, true])
    }
}
