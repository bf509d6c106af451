import Foundation
import SealiteTestSupport
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
        #expect(try run("changes", "v.db").out.contains(current))
        #expect(try run("doc", "list", "v.db").out.contains(current))
        #expect(try run("query", "v.db", "SELECT META().revisionID AS r FROM _").out.contains(current))
        #expect(try run("create", "w.db", "--versioning", "both").status == 64)
    }

    @Test(
        "an upgrade keeps revisions until their next change, says what it did, and what syncs no more says what to do")
    func upgrade() throws {
        let place = try Workplace()
        func run(_ arguments: String...) throws -> Outcome {
            try place.run([Tool.path] + arguments + ["--key-file", "key"], input: "")
        }
        try place.makeDatabase()
        #expect(try run("create", "t.db").status == 0)
        let before = try run("doc", "put", "t.db", "a", #"{"x":1}"#).out
        let upgraded = try run("upgrade", "t.db", "--versioning", "vectors", "--json")
        #expect(Outcome.object(upgraded.out)?["upgraded"] as? Bool == true && upgraded.status == 0)
        #expect(try run("upgrade", "t.db", "--versioning", "vectors").out.contains("already"))
        #expect(try run("upgrade", "t.db", "--versioning", "trees").status == 64)
        #expect(Outcome.object(try run("info", "t.db", "--json").out)?["versioning"] as? String == "vectors")
        #expect(try run("info", "t.db").out.contains("version vectors"))
        let tree = String(before.split(separator: "\t")[1].dropLast())
        #expect(tree.hasPrefix("1-"))
        #expect(try run("doc", "history", "t.db", "a").out.hasPrefix(tree))
        #expect(try run("doc", "put", "t.db", "a", #"{"x":2}"#, "--if-revision", tree).out.contains("@"))
        #expect(try run("doc", "history", "t.db", "a").out.contains("\n\(tree)"))
    }

    /// Upgrades that are killed in the long form (`SEALITE_SOAK=1`).
    private static let killCount = ProcessInfo.processInfo.environment["SEALITE_SOAK"] == "1" ? 100 : 1

    @Test("an upgrade that is killed at any moment leaves a database of trees or of vectors, whole")
    func killed() throws {
        let place = try Workplace()
        func run(_ arguments: String...) throws -> Outcome {
            try place.run([Tool.path] + arguments + ["--key-file", "key"], input: "")
        }
        try place.makeDatabase()
        var random = SeededRandom()
        for round in 0..<Self.killCount {
            let name = "k\(round).db"
            #expect(try run("create", name).status == 0)
            #expect(try run("doc", "put", name, "a", #"{"x":1}"#).status == 0)
            let delay = String(format: "%.4f", Double.random(in: 0.005..<0.08, using: &random))
            _ = try place.run(
                [
                    "timeout", "-s", "KILL", delay, Tool.path, "upgrade", name, "--versioning", "vectors", "--key-file",
                    "key",
                ],
                input: "")
            #expect(try run("verify", name).status == 0)
            #expect(try run("doc", "get", name, "a").out == "{\"x\":1}\n")
            #expect(try run("upgrade", name, "--versioning", "vectors").status == 0)
        }
    }
}
