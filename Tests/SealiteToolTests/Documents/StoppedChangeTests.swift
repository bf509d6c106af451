import Foundation
import Glibc
import SealiteTestSupport
import Testing

@Suite("commands that a signal stops while they change a database")
struct StoppedChangeTests {
    private static let count = 10_000

    /// A database with documents and, in the collection Pet, documents of a type with a schema. It is made once, and each
    /// test copies it.
    private static let source: Result<[UInt8], any Error> = Result {
        let place = try Workplace()
        try place.makeDatabase()
        func run(_ arguments: String..., input: String = "") throws {
            let ran = try place.run([Tool.path] + arguments + ["--key-file", "key"], input: input)
            try #require(ran.status == 0, "\(ran)")
        }
        let lines = (1...count).map { "{\"_id\":\"d\($0)\",\"n\":\($0)}\n" }.joined()
        try run("import", "a.db", "-", input: lines)
        try place.write(#"{"title":"Pet","bsonType":"object","properties":{"n":{"bsonType":"int"}}}"#, to: "pet.json")
        try run("model", "apply", "a.db", "pet.json")
        try run("import", "a.db", "-", "--collection", "Pet", input: lines)
        return try place.read("a.db")
    }

    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write(try Self.source.get(), to: "a.db")
    }

    private func start(_ command: [String], input: String = "") throws -> ChildProcess {
        try place.write(input, to: "stdin")
        return try ChildProcess(
            [Tool.path] + command + ["--key-file", "key"], folder: place.path,
            files: [
                (0, place.file("stdin"), O_RDONLY), (1, place.file("stdout"), O_WRONLY | O_CREAT | O_TRUNC),
                (2, place.file("stderr"), O_WRONLY | O_CREAT | O_TRUNC),
            ])
    }

    private func text(_ name: String) throws -> String { String(decoding: try place.read(name), as: UTF8.self) }

    private func count(_ filter: String, in collection: String = "_default") throws -> Int {
        let ran = try place.sealite("mongo", "count", "a.db", collection, filter, "--key-file", "key")
        return try #require(Int(ran.out.dropLast()), "\(ran)")
    }

    // MARK: - Before the commit

    static let changes: [[String]] = [
        ["query", "a.db", "UPDATE _ SET m = 1"],
        ["query", "a.db", "DELETE FROM _"],
        ["query", "a.db", "INSERT INTO _ (KEY 'new-' || id, VALUE doc) SELECT META().id AS id, p AS doc FROM _ AS p"],
        ["mongo", "update", "a.db", "_default", "{}", #"{"$set":{"m":1}}"#, "--many"],
        ["mongo", "delete", "a.db", "_default", "{}", "--many"],
        [
            "mongo", "aggregate", "a.db", "_default",
            #"[{"$merge":{"into":"_default","whenMatched":[{"$set":{"m":1}}]}}]"#,
        ],
        ["model", "migrate", "a.db", "next.json"],
        ["import", "a.db", "new.jsonl", "--atomic"],
        ["index", "create", "a.db", "slow", "--on", "ARRAY_SUM(ARRAY_RANGE(0, n % 7 + 2000))"],
    ]

    @Test(
        "what was told to stop changes nothing, and says so",
        .endsIfItHangs, arguments: changes, [SIGINT, SIGTERM])
    func rolledBack(command: [String], signal: CInt) throws {
        try place.write(
            #"{"title":"Pet","bsonType":"object","properties":{"n":{"bsonType":"int"},"m":{"bsonType":"int","default":1}},"required":["m"]}"#,
            to: "next.json")
        try place.write(
            (1...Self.count).map { "{\"_id\":\"new-d\($0)\",\"n\":\($0),\"m\":1}\n" }.joined(), to: "new.jsonl")
        var status: CInt = 0
        // A machine that is busy elsewhere may let a command end before the signal: then there is another, of the same file.
        for attempt in 0..<10 where status == 0 {
            if attempt > 0 { try place.write(try Self.source.get(), to: "a.db") }
            let child = try start(command)
            child.waitUntilBusy(with: place.file("a.db"))
            child.send(signal)
            status = child.wait()
        }
        let (output, errors) = (try text("stdout"), try text("stderr"))
        #expect(status == 128 + signal, "\(output) \(errors)")
        let name = signal == SIGINT ? "SIGINT" : "SIGTERM"
        let effect = command[0] == "import" ? "nothing was saved" : "nothing was changed"
        #expect(errors.hasSuffix("sealite: interrupted by \(name): \(effect)\n"))
        #expect(output.isEmpty)
        for collection in ["_default", "Pet"] {
            #expect(try count("{}", in: collection) == Self.count)
            #expect(try count(#"{"m":{"$exists":true}}"#, in: collection) == 0)
        }
        #expect(try !place.sealite("index", "list", "a.db", "--key-file", "key").out.contains("slow"))
        #expect(!place.names.contains { $0.hasPrefix("a.db-") })
    }

    @Test("an import of several transactions says how many documents are saved", .endsIfItHangs)
    func partOfImport() throws {
        try place.write(
            (1...10 * Self.count).map { "{\"_id\":\"new-\($0)\",\"m\":1}\n" }.joined(), to: "new.jsonl")
        let child = try start(["import", "a.db", "new.jsonl", "--json"])
        child.waitUntilBusy(with: place.file("a.db"))
        child.send(SIGTERM)
        #expect(child.wait() == 128 + SIGTERM)
        let saved = try count(#"{"m":1}"#)
        let error = try #require(Outcome.object(try text("stderr")))
        #expect(error["code"] as? String == "interrupted" && error["exitCode"] as? Int == 128 + Int(SIGTERM))
        let message = try #require(error["message"] as? String)
        #expect(saved < 10 * Self.count && saved.isMultiple(of: 1_000))
        #expect(
            message.contains(saved == 0 ? "nothing was saved" : "\(saved) documents of the first lines"), "\(message)")
    }

    @Test("a script ends with the statement that a signal stops; those before it stay", .endsIfItHangs)
    func script() throws {
        let child = try start(
            ["query", "a.db"],
            input: "UPDATE _ SET first = 1 WHERE META().id = 'd1';\nUPDATE _ SET m = 1;\nUPDATE _ SET last = 1;\n")
        try eventuallyBlocking("the first statement") { try text("stdout").contains("changed 1 document") }
        child.waitUntilBusy()
        child.send(SIGINT)
        #expect(child.wait() == 128 + SIGINT)
        #expect(try text("stderr") == "sealite: interrupted by SIGINT: the statement changed nothing\n")
        #expect(try count(#"{"first":1}"#) == 1)
        #expect(try count(#"{"$or":[{"m":1},{"last":1}]}"#) == 0)
    }

    // MARK: - After the commit

    @Test("a signal after the commit doesn't change the outcome: the result is complete, and the exit code 0")
    func committed() throws {
        try #require(unsafe mkfifo(place.file("pipe"), 0o600) == 0)
        let descriptor = unsafe open(place.file("pipe"), O_RDONLY | O_NONBLOCK)
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFL, 0)
        // More than a pipe holds, so that the command waits in the middle of its output.
        let statement = "UPDATE _ SET m = 1 RETURNING META().id, '\(String(repeating: "x", count: 100))' AS x"
        let child = try ChildProcess(
            [Tool.path, "query", "a.db", statement, "--csv", "--key-file", "key"], folder: place.path,
            files: [(1, place.file("pipe"), O_RDWR)])
        try eventuallyBlocking("the commit") { try count(#"{"m":1}"#) == Self.count }
        child.send(SIGINT)
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let got = unsafe read(descriptor, &buffer, buffer.count), got > 0 { output += buffer[..<got] }
        #expect(child.wait() == 0)
        #expect(String(decoding: output, as: UTF8.self).split(separator: "\n").count == Self.count + 1)
    }

    // MARK: - Progress

    @Test("on a terminal a long change shows how many documents are done, and ^C stops it", .endsIfItHangs)
    func shownChange() throws {
        // All documents take hours.
        let slow =
            #"[{"$set":{"m":{"$size":{"$filter":{"input":{"$range":[0,100000]},"cond":{"$gt":["$$this",5]}}}}}}]"#
        let terminal = try PseudoTerminal(
            ["mongo", "update", "a.db", "_default", "{}", slow, "--many", "--key-file", "key"], in: place)
        try terminal.wait(for: "updating    [")
        try terminal.wait(for: " of \(Self.count) documents")
        terminal.type("\u{3}")
        try terminal.wait(for: "interrupted by SIGINT: nothing was changed")
        #expect(terminal.finish() == 128 + SIGINT)
        #expect(try count(#"{"m":{"$exists":true}}"#) == 0)
    }

    @Test("on a terminal the storing of a blob shows the bytes, and ^C leaves none of them", .endsIfItHangs)
    func shownBlob() throws {
        try #require(unsafe mkfifo(place.file("pipe"), 0o600) == 0)
        let descriptor = unsafe open(place.file("pipe"), O_RDWR)
        defer { close(descriptor) }
        let terminal = try PseudoTerminal(
            ["blob", "put", "a.db", "d1", "photo", "pipe", "--key-file", "key"], in: place)
        let bytes = [UInt8](repeating: 7, count: 5 << 20)
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { all in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: all[done...])
                return unsafe write(descriptor, rest.baseAddress, rest.count)
            }
            try #require(count > 0)
            done += count
        }
        try terminal.wait(for: "storing, ")
        try terminal.wait(for: " s, 5.0 MiB")
        terminal.type("\u{3}")
        try terminal.wait(for: "interrupted by SIGINT: nothing was changed")
        #expect(terminal.finish() == 128 + SIGINT)
        let stored = try place.sealite(
            "sql", "a.db", "SELECT (SELECT count(*) FROM blobs) + (SELECT count(*) FROM blob_chunks) AS n", "--csv",
            "--key-file",
            "key")
        #expect(stored.out == "n\n0\n")
    }
}
