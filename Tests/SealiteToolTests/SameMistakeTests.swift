import Foundation
import Testing

/// The exit code of a mistake doesn't depend on the command.
@Suite("the same mistake in different commands")
struct SameMistakeTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        #expect(try run("create", "a.db").status == 0)
        #expect(try run("doc", "put", "a.db", "one", #"{"n":1}"#).status == 0)
        try place.write(#"{"n":"#, to: "broken.json")
        try FileManager.default.createDirectory(atPath: place.file("folder"), withIntermediateDirectories: false)
    }

    private func run(_ arguments: String...) throws -> Outcome { try run(arguments) }

    private func run(_ arguments: [String]) throws -> Outcome {
        try place.run([Tool.path] + arguments + ["--key-file", "key", "--json"])
    }

    @Test(
        "JSON that isn't valid ends with 64",
        arguments: [
            ["doc", "put", "a.db", "x", "{"], ["import", "a.db", "broken.json"],
            ["model", "apply", "a.db", "broken.json"],
            ["mongo", "insert", "a.db", "_default", "{"], ["mongo", "find", "a.db", "_default", "{"],
            ["mongo", "count", "a.db", "_default", "{"], ["mongo", "update", "a.db", "_default", "{", "{}"],
            ["mongo", "delete", "a.db", "_default", "{"], ["mongo", "aggregate", "a.db", "_default", "["],
            ["mongo", "index", "create", "a.db", "_default", "{"],
        ])
    func json(_ command: [String]) throws {
        let outcome = try run(command)
        #expect(outcome.status == 64, "\(outcome)")
    }

    @Test(
        "a statement that isn't valid, or names what doesn't exist, ends with 64",
        arguments: [
            ["query", "a.db", "SELEC 1"], ["query", "a.db", "SELECT nothing(1) FROM _"],
            ["query", "a.db", "SELEC 1", "--live"], ["sql", "a.db", "SELEC 1"],
            ["sql", "a.db", "SELECT nothing(1)"], ["sql", "a.db", "SELECT nothing"],
            ["index", "create", "a.db", "i", "--on", "a +"],
            ["mongo", "find", "a.db", "_default", #"{"$nothing":1}"#],
            ["mongo", "aggregate", "a.db", "_default", #"[{"$nothing":1}]"#],
        ])
    func statement(_ command: [String]) throws {
        let outcome = try run(command)
        #expect(outcome.status == 64, "\(outcome)")
    }

    @Test("a statement that is valid and fails ends with 1")
    func failed() throws {
        #expect(try run("create", "b.db").status == 0)
        let outcome = try run("sql", "b.db", "CREATE TABLE t(x UNIQUE); INSERT INTO t VALUES (1), (1)")
        #expect(outcome.status == 1, "\(outcome)")
    }

    @Test(
        "a folder in the place of a file ends with 66",
        arguments: [
            ["info", "folder"], ["verify", "folder"], ["query", "folder", "SELECT 1 FROM _"],
            ["sql", "folder", "SELECT 1"],
            ["doc", "get", "folder", "x"], ["import", "folder", "broken.json"], ["import", "a.db", "folder"],
            ["export", "folder", "out"], ["backup", "folder", "out"], ["salvage", "folder", "out"],
            ["encrypt", "folder", "out"], ["decrypt", "folder", "out", "--yes"], ["key", "rotate", "folder"],
            ["collection", "list", "folder"], ["index", "list", "folder"], ["changes", "folder"],
            ["mongo", "find", "folder", "_default"], ["sync-status", "folder"], ["model", "list", "folder"],
            ["serve", "folder", "--anyone", "--plain"], ["sync", "folder", "ws://127.0.0.1:1/a", "--anonymous"],
            ["header", "restore", "a.db", "folder"], ["key", "check", "a.db", "--freshness", "folder"],
            ["restore", "folder", "out"], ["upgrade", "folder", "--versioning", "vectors"],
        ])
    func folder(_ command: [String]) throws {
        let outcome = try run(command)
        #expect(outcome.status == 66 && outcome.json?["code"] as? String == "not-a-file", "\(outcome)")
    }
}
