import Testing

@Suite("documents without ceremony")
struct WholeExportTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
    }

    @discardableResult
    private func run(_ arguments: String..., input: String = "") throws -> Outcome {
        try place.run([Tool.path] + arguments + ["--key-file", "key"], input: input)
    }

    @Test("a whole database goes through one file: collections, documents, and blobs of several parts")
    func whole() throws {
        try run("collection", "create", "a.db", "work.notes")
        try run("collection", "create", "a.db", "empty")
        try run("doc", "put", "a.db", "n", #"{"_sealite":"export","deep":[{"a":1}]}"#, "--collection", "work.notes")
        let content = (0..<900_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try place.write(content, to: "picture")
        try run("blob", "put", "a.db", "p", "image", "picture", "--create")
        #expect(try run("export", "a.db", "all", "--all").out == "exported 2 documents and 1 blob\n")
        try place.makeDatabase("b.db")
        let imported = try run("import", "b.db", "all")
        #expect(imported.out == "imported 2 documents and 1 blob\n", "\(imported)")
        #expect(try run("export", "b.db", "again", "--all").status == 0)
        #expect(try place.read("again") == (try place.read("all")))
        #expect(try run("blob", "get", "b.db", "p", "image", "copy").status == 0)
        #expect(try place.read("copy") == content)
        #expect(try run("collection", "list", "b.db").out.contains("_default.empty"))
        #expect(try run("verify", "b.db").status == 0)
        // A blob that was changed on the way.
        let text = String(decoding: try place.read("all"), as: UTF8.self).replacing(
            "\"data\":\"AB", with: "\"data\":\"AA")
        try place.write(text, to: "forged")
        try place.makeDatabase("c.db")
        let forged = try run("import", "c.db", "forged", "--json")
        #expect(forged.status == 1 && forged.json?["code"] as? String == "blob-mismatch", "\(forged)")
    }

    @Test("a line of an export that isn't valid JSON is named, whatever the line is for")
    func invalidLine() throws {
        let first = #"{"_sealite":"export","version":1}"# + "\n"
        let blob = #"{"_sealite":"blob","digest":"sha1-x","length":9}"# + "\n"
        for (lines, number) in [(#"{"_sealite":"collection","#, 2), (blob + #"{"_sealite":"part","#, 3)] {
            let failed = try run("import", "a.db", "-", "--json", input: first + lines + "\n")
            #expect(failed.status == 64 && failed.json?["code"] as? String == "invalid-json", "\(failed)")
            #expect((failed.json?["message"] as? String)?.hasPrefix("line \(number): ") == true, "\(failed)")
        }
    }

    @Test("an export of one collection says what it leaves out, and an import and verify what isn't here")
    func partial() throws {
        try place.write("content", to: "file")
        try run("blob", "put", "a.db", "d", "photo", "file", "--create")
        try run("collection", "create", "a.db", "tools")
        try run("doc", "put", "a.db", "hammer", "{}", "--collection", "tools")
        let exported = try run("export", "a.db", "-o", "out.jsonl")
        #expect(exported.status == 0 && exported.out == "exported 1 document\n")
        #expect(
            exported.err
                == "warning: not exported: the content of 1 blob, and 1 other collection (_default.tools); --all exports a whole database\n",
            "\(exported)")
        #expect(try run("export", "a.db", "all.jsonl", "--all").err.isEmpty)
        try place.makeDatabase("new.db")
        let imported = try run("import", "new.db", "out.jsonl")
        #expect(
            imported.status == 0 && imported.err.contains("1 blob whose content isn't in the database"), "\(imported)")
        let verified = try run("verify", "new.db")
        #expect(verified.status == 0 && verified.out.contains("note: the content of 1 blob"), "\(verified)")
        let lost = try run("blob", "get", "new.db", "d", "photo", "photo")
        #expect(lost.status == 66 && lost.err.contains("export --all"), "\(lost)")
    }

    @Test("lines that can't be saved go to a file, the others are saved; a dry run saves nothing")
    func keepGoing() throws {
        let lines = "{\"_id\":\"a\"}\n[1]\n{\"_id\":\"b\",\"_rev\":\"x\"}\n{\"_id\":\"c\"}\n"
        try place.write(lines, to: "in")
        #expect(try run("import", "a.db", "in", "-n").status == 64)
        #expect(try run("import", "a.db", "-", "-n", input: "{}\n").out == "checked 1 document; nothing was saved\n")
        #expect(try run("doc", "list", "a.db").out.isEmpty)
        for (way, input, status) in [("-n", "{}\n", 0), ("--atomic", "[]\n", 64)] as [(String, String, Int32)] {
            let none = try run("import", "a.db", "-", way, "--collection", "fresh", input: input)
            #expect(none.status == status, "\(none)")
        }
        #expect(try !run("collection", "list", "a.db").out.contains("fresh"))
        let imported = try run("import", "a.db", "in", "--keep-going", "refused")
        #expect(imported.status == 1 && imported.out == "imported 2 documents\n", "\(imported)")
        #expect(imported.err.contains("line 2: ") && imported.err.contains("2 lines couldn't be saved"))
        #expect(String(decoding: try place.read("refused"), as: UTF8.self) == "[1]\n{\"_id\":\"b\",\"_rev\":\"x\"}\n")
        let again = try run("import", "a.db", "in", "-n", "--keep-going", "refused-2", "--json")
        #expect(again.err.hasPrefix("{\"line\":2,\"code\":\"invalid-json\""), "\(again)")
        #expect(again.err.split(separator: "\n").allSatisfy { Outcome.object(String($0)) != nil }, "\(again)")
        let checked = try run("import", "a.db", "-", "-n", input: "{\"_id\":\"a\"}\n{}\n")
        #expect(checked.out == "checked 2 documents, 1 equal to the stored ones; nothing was saved\n", "\(checked)")
        #expect(try run("import", "a.db", "-", "--keep-going", "none", input: "{}\n").status == 0)
        #expect(!place.exists("none"))
    }

    @Test("a document without an id gets one; its history is in order; changes since now are none")
    func put() throws {
        let made = try run("doc", "put", "a.db", #"{"x":1}"#)
        let id = made.out.split(separator: "\t").first.map(String.init) ?? ""
        #expect(made.status == 0 && id.count == 36, "\(made)")
        for number in 2...4 { try run("doc", "put", "a.db", id, "{\"x\":\(number)}") }
        let history = try run("doc", "history", "a.db", id).out.split(separator: "\n")
        #expect(history.map { $0.prefix { $0 != "-" } } == ["4", "3", "2", "1"])
        #expect(try run("changes", "a.db", "--since", "now").out.isEmpty)
        #expect(try run("changes", "a.db", "--since", "then").status == 64)
        let missing = try run("blob", "put", "a.db", "nobody", "image", "key", "--json")
        #expect(missing.status == 66 && (missing.json?["hint"] as? String)?.contains("--create") == true)
        #expect(try run("index", "rebuild", "a.db").status == 0)
    }
}
