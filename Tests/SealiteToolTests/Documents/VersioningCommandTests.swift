import Testing

@Suite("sealite with version vectors")
struct VersioningCommandTests {
    @Test("a database of version vectors is made, and shows versions wherever revisions are shown")
    func vectors() throws {
        let place = try Workplace()
        func run(_ arguments: String...) throws -> Outcome {
            try place.run([Tool.path] + arguments + ["--key-file", "key"], input: "")
        }
        try place.makeDatabase()
        #expect(try run("create", "v.db", "--versioning", "vectors").status == 0)
        let put = try run("doc", "put", "v.db", "a", #"{"x":1}"#).out
        let revision = String(put.split(separator: "\t")[1].dropLast())
        let parts = revision.split(separator: "@")
        #expect(parts.count == 2 && parts[0].utf8.count == 16 && parts[1].utf8.count == 22, "\(put)")
        #expect(try run("doc", "put", "v.db", "a", #"{"x":2}"#, "--if-revision", revision).status == 0)
        #expect(try run("doc", "put", "v.db", "a", #"{"x":3}"#, "--if-revision", revision).status == 1)
        let shown = Outcome.object(try run("doc", "get", "v.db", "a", "--json").out)?["revision"] as? String
        let current = try #require(shown)
        #expect(current.hasSuffix("@\(parts[1])") && current != revision)
        #expect(try run("doc", "get", "v.db", "a", "--revision", current).out == "{\"x\":2}\n")
        #expect(try run("doc", "history", "v.db", "a").out.hasPrefix(current))
        #expect(try run("query", "v.db", "SELECT META().revisionID AS r FROM _").out.contains(current))
        #expect(try run("create", "w.db", "--versioning", "both").status == 64)
    }
}
