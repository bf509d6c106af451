import Foundation
import Testing

@Suite("sealite doc and collection")
struct DocumentCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
    }

    private func run(_ arguments: String..., input: String = "") throws -> Outcome {
        try place.run([Tool.path] + arguments + ["--key-file", "key"], input: input)
    }

    @Test("a document is saved from standard input and from an argument, read, listed, deleted and purged")
    func life() throws {
        let first = try run("doc", "put", "a.db", "shopping", input: #"{"milk":2,"price":1.50}"#)
        #expect(first.status == 0 && first.out.hasPrefix("shopping\t1-"))
        #expect(try run("doc", "get", "a.db", "shopping").out == "{\"milk\":2,\"price\":1.50}\n")
        let second = try run("doc", "put", "a.db", "shopping", #"{"milk":3}"#, "--json")
        #expect(Outcome.object(second.out)?["sequence"] as? Int == 2)
        let got = try #require(Outcome.object(try run("doc", "get", "a.db", "shopping", "--json").out))
        #expect((got["document"] as? [String: Any])?["milk"] as? Int == 3)
        #expect((got["revision"] as? String)?.hasPrefix("2-") == true)
        let history = try run("doc", "history", "a.db", "shopping").out.split(separator: "\n")
        #expect(history.count == 2 && history[0].hasSuffix("current  body"))
        #expect(try run("doc", "delete", "a.db", "shopping").out == "deleted \"shopping\"\n")
        #expect(try run("doc", "get", "a.db", "shopping").status == 66)
        #expect(try run("doc", "list", "a.db").out == "")
        #expect(try run("doc", "list", "a.db", "--deleted").out.hasSuffix("\t3\tdeleted\n"))
        #expect(try run("doc", "purge", "a.db", "shopping", "--json").out == "{\"purged\":\"shopping\"}\n")
        #expect(try run("doc", "history", "a.db", "shopping").status == 66)
    }

    @Test("a document without an id gets a UUID, and lists go by prefix, limit and order")
    func lists() throws {
        #expect(try run("doc", "put", "a.db", input: "{}").out.split(separator: "\t").first?.count == 36)
        #expect(try run("doc", "put", "a.db", "y", "-", input: "{}").status == 0)
        for id in ["x2", "x1"] { _ = try run("doc", "put", "a.db", id, "{}") }
        func ids(_ arguments: String...) throws -> [String] {
            let out = try place.run([Tool.path, "doc", "list", "a.db", "--key-file", "key"] + arguments).out
            return out.split(separator: "\n").map { String($0.split(separator: "\t")[0]) }
        }
        #expect(try ids("--prefix", "x") == ["x1", "x2"])
        #expect(try ids("--prefix", "x", "--by-sequence") == ["x2", "x1"])
        #expect(try ids("--prefix", "x", "--limit", "1") == ["x1"])
        #expect(try ids().count == 4)
    }

    @Test("a save or delete that expects another state fails with 1 and changes nothing")
    func conflicts() throws {
        let revision = try run("doc", "put", "a.db", "a", "{}", "--new").out.split(separator: "\t")[1].dropLast()
        #expect(
            try run("doc", "put", "a.db", "a", #"{"x":1}"#, "--new", "--json").json?["code"] as? String == "conflict")
        #expect(try run("doc", "put", "a.db", "a", #"{"x":1}"#, "--if-revision", String(revision)).status == 0)
        let stale = try run("doc", "put", "a.db", "a", #"{"x":2}"#, "--if-revision", String(revision))
        #expect(stale.status == 1 && stale.err.contains("the current revision of the document \"a\" is 2-"))
        #expect(try run("doc", "delete", "a.db", "a", "--if-revision", String(revision)).status == 1)
        #expect(try run("doc", "get", "a.db", "a").out == "{\"x\":1}\n")
    }

    @Test("several documents are deleted or purged all together or not at all")
    func allOrNone() throws {
        for id in ["a", "b"] { _ = try run("doc", "put", "a.db", id, "{}") }
        for verb in ["delete", "purge"] {
            let failed = try run("doc", verb, "a.db", "a", "b", "nobody", "--json")
            #expect(failed.status == 66 && failed.json?["code"] as? String == "no-such-document")
        }
        #expect(try run("doc", "get", "a.db", "a", "b").out == "{}\n{}\n")
        #expect(try run("doc", "delete", "a.db", "a", "b").status == 0)
    }

    @Test(
        "what can't be a document is refused with its class, and nothing is stored",
        arguments: [
            (#"{"a":NaN}"#, "x", 64, "invalid-json"), ("[1]", "x", 64, "invalid-json"), ("", "x", 64, "invalid-json"),
            (#"{"a":1,"a":2}"#, "x", 64, "invalid-json"), (#"{"a":"\ud800"}"#, "x", 64, "invalid-json"),
            ("{}", "_x", 64, "bad-document-id"), ("{}", String(repeating: "x", count: 241), 64, "bad-document-id"),
            ("{}", "a\u{1}b", 64, "bad-document-id"), (#"{"_id":"x"}"#, "x", 64, "invalid-parameter"),
        ])
    func refused(content: String, id: String, status: CInt, code: String) throws {
        let refused = try run("doc", "put", "a.db", id, "--json", input: content)
        #expect(refused.status == status)
        #expect(refused.json?["code"] as? String == code)
        #expect(try run("doc", "list", "a.db", "--deleted").out == "")
    }

    @Test("collections are made, listed with their counts, and deleted when that is confirmed")
    func collections() throws {
        #expect(try run("collection", "create", "a.db", "work.notes").out == "made \"work.notes\"\n")
        #expect(try run("collection", "create", "a.db", "work.notes").status == 0)
        _ = try run("doc", "put", "a.db", "a", "{}", "--collection", "work.notes")
        #expect(try run("doc", "get", "a.db", "a").status == 66)
        #expect(
            try run("collection", "list", "a.db").out
                == "_default._default  0 documents\nwork.notes         1 document\n")
        #expect(try run("collection", "delete", "a.db", "work.notes").status == 64)
        #expect(try run("collection", "delete", "a.db", "work.notes", "--yes").status == 0)
        #expect(
            try run("doc", "list", "a.db", "--collection", "work.notes", "--json").json?["code"] as? String
                == "no-such-collection")
        #expect(try run("collection", "delete", "a.db", "_default", "--yes").status == 64)
        for name in ["%x", "a b", "a.b.c", "", "_default.x.", String(repeating: "x", count: 252)] {
            #expect(try run("collection", "create", "a.db", name).status == 64, "\(name)")
        }
    }

    @Test("a wrong key, and a sealed database of something else, are refused untouched")
    func otherFiles() throws {
        try place.write(Array(repeating: 1, count: 32), to: "other")
        #expect(try place.sealite("doc", "list", "a.db", "--key-file", "other").status == 77)
        try place.makeDatabase("sql.db", "CREATE TABLE t(a)")
        let before = try place.read("sql.db")
        let refused = try run("doc", "list", "sql.db", "--json")
        #expect(refused.status == 80 && refused.json?["code"] as? String == "wrong-format")
        #expect(try place.read("sql.db") == before)
        #expect(try place.sealite("doc", "put", "a.db", "a", "--passphrase-fd", "0").status == 64)
    }

    @Test("what is in a document doesn't reach a terminal as control characters, and is the same JSON")
    func terminal() throws {
        _ = try run("doc", "put", "a.db", "a", "{\"x\":\"\u{9B}31m\u{202E}\\u001b\"}")
        let terminal = try PseudoTerminal(["doc", "get", "a.db", "a", "--key-file", "key"], in: place)
        #expect(terminal.finish() == 0)
        #expect(terminal.screen.contains(#"{"x":"\u009b31m\u202e\u001b"}"#))
        #expect(try run("doc", "get", "a.db", "a").out == "{\"x\":\"\u{9B}31m\u{202E}\\u001b\"}\n")
    }
}
