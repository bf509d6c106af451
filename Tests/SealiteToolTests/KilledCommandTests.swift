import Foundation
import Glibc
import SealiteFile
import SealiteTestSupport
import Testing

/// Commands that write a file, killed at several sizes of it.
@Suite("what a killed command leaves")
struct KilledCommandTests {
    private let place: Workplace
    /// The size of the databases in bytes, about.
    private static let size = 12_000_000

    init() throws { place = try Workplace() }

    enum Command: String, CaseIterable {
        case decrypt, encrypt, backup, restore, salvage, export, exportAll, blobGet

        var arguments: [String] {
            switch self {
            case .decrypt: ["decrypt", "a.db", "out/new", "--yes", "--key-file", "key"]
            case .encrypt: ["encrypt", "plain.db", "out/new", "--key-file", "key"]
            case .backup: ["backup", "a.db", "out/new", "--key-file", "key"]
            case .restore: ["restore", "a.db", "out/new", "--key-file", "key"]
            case .salvage: ["salvage", "a.db", "out/new", "--key-file", "key"]
            case .export: ["export", "a.db", "out/new", "--key-file", "key"]
            case .exportAll: ["export", "a.db", "out/new", "--all", "--key-file", "key"]
            case .blobGet: ["blob", "get", "a.db", "big", "b", "out/new", "--key-file", "key"]
            }
        }
    }

    private func makeSource(_ command: Command) throws {
        #expect(unsafe mkdir(place.file("out"), 0o700) == 0)
        switch command {
        case .encrypt:
            let sql =
                "PRAGMA page_size=1024; CREATE TABLE t(x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n"
                + " WHERE i < \(Self.size / 1000)) INSERT INTO t SELECT randomblob(1000) FROM n"
            let connection = try RawConnection(
                uri: "file:\(place.file("plain.db"))", path: "plain.db", flags: 6 /* read, write, create */)
            try connection.execute(sql)
        case .export, .exportAll, .blobGet:
            try place.makeDatabase()
            let text = String(repeating: "x", count: 100_000)
            let lines = (0..<Self.size / 100_000).map { "{\"_id\":\"n\($0)\",\"x\":\"\(text)\"}\n" }.joined()
            try place.write(lines, to: "std.jsonl")
            try #require(try place.sealite("import", "a.db", "std.jsonl", "--key-file", "key").status == 0)
            let put = try place.sealite(
                "blob", "put", "a.db", "big", "b", "std.jsonl", "--create", "--key-file", "key")
            try #require(put.status == 0)
        default:
            try place.makeDatabase(
                "a.db",
                "CREATE TABLE t(x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n"
                    + " WHERE i < \(Self.size / 1000)) INSERT INTO t SELECT randomblob(1000) FROM n")
        }
    }

    private var left: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: place.file("out"))) ?? []).sorted()
    }

    private func start(_ command: Command, environment: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(
            [Tool.path] + command.arguments, folder: place.path, environment: environment,
            files: [(1, place.file("stdout"), O_WRONLY | O_CREAT), (2, place.file("stderr"), O_WRONLY | O_CREAT)])
    }

    /// The size of the greatest file in the folder "out" that a process has open; nil if it has none.
    private func openSize(_ child: ChildProcess) -> Int? {
        let descriptors = "/proc/\(child.id)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []
        return names.compactMap { name -> Int? in
            let path = "\(descriptors)/\(name)"
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path),
                target.hasPrefix(place.file("out/"))
            else { return nil }
            var status = stat()
            return unsafe stat(path, &status) == 0 ? Int(status.st_size) : nil
        }.max()
    }

    /// Kills the command once its file has a size.
    ///
    /// - Returns: false if the command's work ended first.
    private func kill(_ command: Command, at size: Int, environment: [String: String] = [:]) throws -> Bool {
        let child = try start(command, environment: environment)
        var hasEnded = false
        eventuallyBlocking("a file of \(size) bytes", longestPause: .milliseconds(1)) {
            if let found = openSize(child), found >= size { return true }
            hasEnded = left == ["new"]
            return hasEnded
        }
        child.send(SIGKILL)
        return child.wait() == 128 + SIGKILL && !hasEnded && left != ["new"]
    }

    /// Kills the command while it writes under a temporary name. One that ends before it is killed, on a machine that is
    /// busy elsewhere, is started again.
    private func killWriting(_ command: Command) throws -> Bool {
        for _ in 0..<20 {
            if try kill(command, at: 1, environment: ["SEALITE_WITHOUT_DRAFTS": "1"]) { return true }
            for name in left { try FileManager.default.removeItem(atPath: place.file("out/\(name)")) }
        }
        return false
    }

    @Test(
        "nothing, at any point, where the file system has files without a name",
        .enabled(if: KilledCommandTests.hasDrafts),
        arguments: Command.allCases)
    func nothing(command: Command) throws {
        try makeSource(command)
        var killed = 0
        var ended: [Int] = []
        // A machine that is busy elsewhere may let a command end before it is killed: then there are others.
        for round in 0..<10 where round == 0 || killed < 2 {
            for part in [0, 1, 3, 6, 9] {
                if try kill(command, at: Self.size * part / 10) {
                    killed += 1
                    #expect(left == [], "\(command) at \(part) tenths")
                } else if left == ["new"] {
                    ended.append(place.size("out/new"))
                    try FileManager.default.removeItem(atPath: place.file("out/new"))
                }
            }
        }
        #expect(killed >= 2)
        #expect(try start(command).wait() == 0)
        #expect(left == ["new"])
        let size = place.size("out/new")
        #expect(ended.allSatisfy { $0 == size }, "\(ended), not \(size)")
    }

    @Test(
        "a command that is killed leaves no file, or one that the next command names, and removes only if the user agrees"
    )
    func leftover() throws {
        try makeSource(.decrypt)
        #expect(try killWriting(.decrypt))
        let name = try #require(left.first)
        #expect(left.count == 1 && name.hasPrefix(".new.sealite-tmp-"))
        // A file that a process still writes isn't named.
        let busy = ".other.sealite-tmp-0123456789abcdef"
        try place.write([1, 2], to: "out/\(busy)")
        let descriptor = unsafe open(place.file("out/\(busy)"), O_RDONLY | O_CLOEXEC)
        #expect(flock(descriptor, LOCK_EX) == 0)
        let told = try place.sealite("backup", "a.db", "out/copy", "--key-file", "key")
        #expect(told.status == 0)
        #expect(
            told.err.contains("warning: \"out/\(name)\", ")
                && told.err.contains("was left by a command that was killed"))
        #expect(!told.err.contains(busy))
        #expect(left == [name, busy, "copy"].sorted())
        close(descriptor)
        let json = try place.sealite("backup", "a.db", "out/copy2", "--key-file", "key", "--json")
        #expect(
            json.err.split(separator: "\n").compactMap { Outcome.object(String($0))?["warning"] as? String }
                == ["leftover", "leftover"])
        try FileManager.default.removeItem(atPath: place.file("out/\(busy)"))
        for (answer, stays) in [("n", true), ("y", false)] {
            let terminal = try PseudoTerminal(["backup", "a.db", "out/copy-\(answer)", "--key-file", "key"], in: place)
            try terminal.wait(for: "Remove it? [y/N]")
            terminal.typeLine(answer)
            #expect(terminal.finish() == 0)
            #expect(left.contains(name) == stays)
            #expect(left.contains("copy-\(answer)"))
        }
    }

    @Test("a command that is killed under a temporary name leaves one that a rerun to the same name removes")
    func rerun() throws {
        let environment = ["SEALITE_WITHOUT_DRAFTS": "1"]
        try makeSource(.export)
        #expect(try killWriting(.export))
        #expect(left.count == 1)
        #expect(try start(.export, environment: environment).wait() == 0)
        #expect(left == ["new"])
    }

    @Test("verify leaves neither a log nor its index, after a signal either, and keeps a log with content")
    func verify() throws {
        try makeSource(.backup)
        #expect(try place.sealite("sql", "a.db", "PRAGMA journal_mode=WAL", "--key-file", "key").status == 0)
        let before = place.names
        #expect(try place.sealite("verify", "a.db", "--key-file", "key").status == 0)
        #expect(place.names == before)
        for signal in [SIGINT, SIGTERM] {
            let child = try ChildProcess(
                [Tool.path, "verify", "a.db", "--key-file", "key"], folder: place.path,
                files: [(1, place.file("stdout"), O_WRONLY | O_CREAT), (2, place.file("stderr"), O_WRONLY | O_CREAT)])
            eventuallyBlocking("the log's index", longestPause: .milliseconds(1)) {
                place.exists("a.db-shm") || child.hasEnded
            }
            child.send(signal)
            #expect([0, 128 + signal].contains(child.wait()))
            #expect(place.names == before)
        }
        // A process that was killed leaves a log; it stays as it is, and no index is left that wasn't there.
        do {
            let connection = try place.open().connect()
            try connection.execute("INSERT INTO t VALUES (1)")
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: place.file("a.db" + suffix), toPath: place.file("c.db" + suffix))
            }
        }
        let log = try place.read("c.db-wal")
        #expect(!log.isEmpty)
        #expect(try place.sealite("verify", "c.db", "--key-file", "key").status == 0)
        #expect(try place.read("c.db-wal") == log)
        #expect(!place.exists("c.db-shm"))
    }

    /// Whether the folder of the tests has files without a name.
    static let hasDrafts: Bool = {
        let descriptor = unsafe open("/tmp", O_RDWR | O_DIRECTORY | 0o20000000 | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            print("SKIPPED: /tmp has no files without a name (O_TMPFILE), so killed commands leave files with a name")
            return false
        }
        close(descriptor)
        return true
    }()
}
