import Foundation
import Glibc
import SealiteTestSupport
import Testing

@Suite("sealite query --live")
struct LiveQueryCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
        try put("a", #"{"name":"Ann","age":30}"#)
        try put("b", #"{"name":"Bob","age":40}"#)
    }

    private static let query = "SELECT META().id, name, age FROM _ WHERE age >= 30 ORDER BY age, META().id"

    @discardableResult
    private func run(_ arguments: String..., input: String = "") throws -> Outcome {
        try place.run([Tool.path] + arguments + ["--key-file", "key"], input: input)
    }

    private func put(_ id: String, _ document: String) throws { try run("doc", "put", "a.db", id, document) }

    /// Starts a process that watches a query, whose output goes to the file "stdlive".
    private func watch(_ query: String = query, _ arguments: String...) throws -> ChildProcess {
        try ChildProcess(
            [Tool.path, "query", "a.db", query, "--live", "--key-file", "key"] + arguments, folder: place.path,
            files: [(1, place.file("stdlive"), O_WRONLY | O_CREAT), (2, place.file("stdwarned"), O_WRONLY | O_CREAT)])
    }

    private func text(_ name: String = "stdlive") -> String {
        String(decoding: (try? place.read(name)) ?? [], as: UTF8.self)
    }

    /// Waits until a file has so many lines, and returns the last of them.
    @discardableResult
    private func line(_ number: Int, of name: String = "stdlive") throws -> String {
        var lines: ArraySlice<Substring> = []
        let all = eventuallyBlocking("line \(number) of \(name)") {
            lines = text(name).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            return lines.count >= number
        }
        return all ? String(lines[number - 1]) : ""
    }

    /// The objects of the output, after so many results.
    private func objects(afterResults count: Int) throws -> [[String: Any]] {
        var objects: [[String: Any]] = []
        eventuallyBlocking("\(count) results") {
            objects = text().split(separator: "\n").compactMap { Outcome.object(String($0)) }
            return objects.count(where: { $0["kind"] as? String == "result" }) >= count
        }
        return objects
    }

    private func end(_ child: ChildProcess, by signal: CInt = SIGINT) {
        child.send(signal)
        #expect(child.wait() == 128 + signal)
        #expect(text("stdwarned").isEmpty)
    }

    @Test(
        "the result is written in columns, then each row that other processes add, change, move and remove, with its sign"
    )
    func lines() throws {
        let child = try watch()
        #expect(try line(1) == "  id  name  age")
        #expect(try line(4) == "  b   Bob    40")
        try put("c", #"{"name":"Cid","age":35}"#)
        #expect(try line(5) == "+ c   Cid    35")
        try put("c", #"{"name":"Cyd","age":35}"#)
        #expect(try line(6) == "~ c   Cyd    35")
        try run("doc", "delete", "a.db", "a")
        #expect(try line(7) == "- a   Ann    30")
        try put("c", #"{"name":"Cyd","age":20}"#)
        #expect(try line(8) == "- c   Cyd    35")
        end(child)
        #expect(text().split(separator: "\n").count == 8)
    }

    @Test("a row that only moved has its sign")
    func moved() throws {
        let child = try watch("SELECT META().id, name FROM _ ORDER BY age")
        try line(4)
        try put("a", #"{"name":"Ann","age":60}"#)
        let moved = try line(5)
        #expect(["> a   Ann", "> b   Bob"].contains(moved))
        end(child, by: SIGTERM)
    }

    @Test("rows without a column that tells them apart are told apart whole; those named by --keyed-by change")
    func keys() throws {
        let whole = try watch("SELECT name FROM _ ORDER BY name")
        try line(4)
        try put("c", #"{"name":"Bob"}"#)
        #expect(try line(5) == "+ Bob")
        try put("a", #"{"name":"Amy"}"#)
        #expect(try line(6) == "- Ann")
        #expect(try line(7) == "+ Amy")
        end(whole)
        try place.remove("stdlive")
        try run("doc", "delete", "a.db", "c")
        let keyed = try watch("SELECT name, age FROM _ WHERE name IS VALUED ORDER BY name", "--keyed-by", "name")
        try line(4)
        try put("b", #"{"name":"Bob","age":41}"#)
        #expect(try line(5) == "~ Bob    41")
        try put("c", #"{"name":"Bob","age":41}"#)
        #expect(keyed.wait() == 1)
        #expect(text("stdwarned").contains("the same value in the column \"name\""))
    }

    @Test("the rows of SELECT VALUE are the values themselves in JSON")
    func values() throws {
        let child = try watch("SELECT VALUE name FROM _ ORDER BY name", "--json")
        #expect(try line(1) == #"{"kind":"inserted","position":0,"row":"Ann"}"#)
        try line(3)
        try put("a", "{}")
        #expect(try line(4) == #"{"kind":"removed","position":0,"row":"Ann"}"#)
        #expect(try line(5) == #"{"kind":"inserted","position":0}"#)
        end(child)
    }

    @Test("the JSON lines of a storm by another process, applied in order, give the result of a new query")
    func replayed() throws {
        let child = try watch(Self.query, "--json")
        #expect(try objects(afterResults: 1).count == 3)
        for round in 0..<4 {
            let batch = (0..<300).map { number in
                "{\"_id\":\"n\(number)\",\"name\":\"x\",\"age\":\((number &* 7919 &+ round &* 104_729) % 90)}\n"
            }
            try run("import", "a.db", "-", input: batch.joined())
        }
        try put("z", #"{"name":"last","age":1000}"#)
        eventuallyBlocking("the last row") { text().contains("\"last\"") }
        let results = text().components(separatedBy: "\"kind\":\"result\"").count - 1
        var rows: [NSDictionary] = []
        var removed: Set<Int> = []
        var placed: [(Int, NSDictionary, isNew: Bool)] = []
        for object in try objects(afterResults: results) {
            let position = object["position"] as? Int ?? 0
            let row = object["row"] as? NSDictionary ?? [:]
            if let from = object["from"] as? Int { removed.insert(from) }
            switch object["kind"] as? String {
            case "removed": removed.insert(position)
            case "inserted": placed.append((position, row, true))
            case "moved", "updated": placed.append((position, row, object["from"] != nil))
            default:
                rows = rows.indices.filter { !removed.contains($0) }.map { rows[$0] }
                for (position, row, isNew) in placed {
                    rows.replaceSubrange(position..<(isNew ? position : position + 1), with: [row])
                }
                #expect(object["count"] as? Int == rows.count)
                (removed, placed) = ([], [])
            }
        }
        let fresh = try run("query", "a.db", Self.query, "--json").out
        #expect(try JSONSerialization.jsonObject(with: Data(fresh.utf8)) as? [NSDictionary] == rows)
        self.end(child, by: SIGTERM)
    }

    @Test("an empty result is a result; parameters and --rows are those of the query")
    func options() throws {
        let empty = try watch(
            "SELECT name FROM _ WHERE age > $low ORDER BY age", "--param", "low=50", "--rows", "1", "--json")
        #expect(try objects(afterResults: 1).first?["count"] as? Int == 0)
        try put("c", #"{"name":"C\u009bc","age":60}"#)
        #expect(try objects(afterResults: 2).count == 3)
        try put("d", #"{"name":"Dot","age":55}"#)
        let kinds = try objects(afterResults: 3).dropFirst(3).map { $0["kind"] as? String }
        #expect(kinds == ["removed", "inserted", "result"])
        end(empty)
    }

    @Test("nothing that steers a terminal is written")
    func controls() throws {
        let child = try watch()
        try line(4)
        try put("c", #"{"name":"C\u001b[31m","age":60}"#)
        #expect(try line(5).hasPrefix("+ c   C"))
        #expect(!text().contains("\u{1b}"))
        end(child)
    }

    @Test("a collection that is deleted is a warning, and its result comes again when it is made again")
    func collectionDeleted() throws {
        try run("collection", "create", "a.db", "notes")
        try run("doc", "put", "a.db", "n", #"{"name":"note"}"#, "--collection", "notes")
        let child = try watch("SELECT META().id, name FROM notes")
        try line(3)
        try run("collection", "delete", "a.db", "notes", "--yes")
        #expect(try line(1, of: "stdwarned").contains("notes"))
        try run("collection", "create", "a.db", "notes")
        #expect(try line(4) == "- n   note")
        child.send(SIGINT)
        #expect(child.wait() == 128 + SIGINT)
    }

    @Test("a rotation and a backup by other processes don't end it")
    func rotated() throws {
        let child = try watch()
        try line(4)
        #expect(try run("key", "rotate", "a.db").status == 0)
        #expect(try run("backup", "a.db", "b.db").status == 0)
        try put("c", #"{"name":"Cid","age":35}"#)
        #expect(try line(5) == "+ c   Cid    35")
        end(child)
    }

    @Test("a file that is removed or replaced ends it with exit code 74 and the next step", arguments: [true, false])
    func replaced(isRemoved: Bool) throws {
        let child = try watch(Self.query, "--json")
        #expect(try objects(afterResults: 1).count == 3)
        if isRemoved {
            try place.remove("a.db")
        } else {
            try place.makeDatabase("new.db")
            #expect(unsafe rename(place.file("new.db"), place.file("a.db")) == 0)
        }
        #expect(child.wait() == 74)
        let error = Outcome.object(text("stdwarned"))
        #expect(error?["code"] as? String == "file-replaced" && error?["hint"] != nil)
    }

    @Test("a reader that went away ends it, also while nothing is written", arguments: ["query", "changes"])
    func readerGone(command: String) throws {
        let rest = command == "query" ? "'SELECT name FROM _' --live" : "--follow"
        let script = """
            set -o pipefail; '\(Tool.path)' \(command) a.db \(rest) --key-file key | head -n 1
            """
        #expect(try place.run(["bash", "-c", script]).status == 128 + SIGPIPE)
    }

    @Test("what can't be watched is refused before anything is written")
    func refused() throws {
        for arguments in [["--csv"], ["--explain"]] {
            #expect(try place.run([Tool.path, "query", "a.db", Self.query, "--live"] + arguments).status == 64)
        }
        #expect(try run("query", "a.db", "--live").status == 64)
        #expect(try run("query", "a.db", Self.query, "--keyed-by", "id").status == 64)
        let change = try run("query", "a.db", "DELETE FROM _", "--live", "--json")
        #expect(change.status == 64 && change.json?["hint"] != nil && change.out.isEmpty)
        #expect(try run("query", "a.db", "SELECT count(*) AS n FROM _", "--csv").out == "n\n2\n")
        let unknown = try run("query", "a.db", Self.query, "--live", "--keyed-by", "nme")
        #expect(unknown.status == 64 && unknown.err.contains("it has: id, name, age"))
        #expect(try run("query", "a.db", "SELECT name FROM nobody", "--live").status == 64)
        #expect(try run("query", "a.db", "SELECT name FRM _", "--live").status == 64)
    }
}
