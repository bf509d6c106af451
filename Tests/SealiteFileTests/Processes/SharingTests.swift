import SealiteFileTestSupport
import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("several processes on one file")
struct SharingTests {
    private let child = ChildProcess.buildFolder + "/SealiteTestChild"

    @Test("two that create it at once: one succeeds, the other is told that it exists")
    func creation() throws {
        let folder = try Folder()
        let processes = try (0..<2).map { _ in try ChildProcess(child) }
        for round in 0..<20 {
            for (index, process) in processes.enumerated() {
                try process.send("create \(folder.file("\(round).db")) \(index)")
            }
            let answers = try processes.map { try #require(try $0.line()) }
            #expect(answers.filter { $0 == "ok" }.count == 1, "\(answers)")
            #expect(answers.contains { $0.hasPrefix("error exists: ") })
            let winner = UInt8(answers[0] == "ok" ? 0 : 1)
            try folder.open("\(round).db", seed: winner).connect().execute("CREATE TABLE t(x)")
        }
        #expect(folder.names.count == 20, "nothing is left behind: \(folder.names)")
    }

    @Test("two that write 1,000 commits each, with checkpoints between", arguments: ["WAL", "DELETE"])
    func writers(mode: String) throws {
        let folder = try Folder()
        let commits = 1000
        do {
            let connection = try folder.create(mode: mode, pageSize: 4096).connect()
            try connection.execute("CREATE TABLE log(id INTEGER PRIMARY KEY, who TEXT, number INTEGER, filler TEXT)")
        }
        let writers = try ["one", "two"].map { who in
            let process = try ChildProcess(child)
            #expect(try process.answer("open c \(folder.file("a.db")) 7") == [])
            #expect(try process.answer("sql c PRAGMA synchronous = NORMAL").isEmpty)
            try process.send("append c log \(commits) \(who)")
            return process
        }
        // This process reads and checkpoints meanwhile.
        let connection = try folder.open().connect(busyTimeout: .seconds(60))
        var acknowledged = [0, 0]
        var checkpoints = 0
        for number in 1...commits {
            for (index, process) in writers.enumerated() {
                let line = try #require(try process.line())
                #expect(line == "ack \(number)")
                acknowledged[index] += line == "ack \(number)" ? 1 : 0
            }
            guard number % (commits / 10) == 0 else { continue }
            if mode == "WAL" { _ = try connection.text("PRAGMA wal_checkpoint(PASSIVE)") }
            checkpoints += 1
            let seen = try connection.integer("SELECT count(*) FROM log")
            #expect(seen >= 2 * number)
        }
        for process in writers {
            #expect(try process.line() == "ok")
            #expect(process.wait() == 0)
        }
        #expect(acknowledged == [commits, commits] && checkpoints == 10)
        #expect(try connection.integer("SELECT count(*) FROM log") == Int64(2 * commits))
        #expect(try connection.integer("SELECT count(DISTINCT who || number) FROM log") == Int64(2 * commits))
        try connection.checkIntegrity()
    }

    @Test("killed at random moments, a writer loses no row that it acknowledged", arguments: ["WAL", "DELETE"])
    func kills(mode: String) throws {
        let folder = try Folder()
        do {
            let connection = try folder.create(mode: mode, pageSize: 1024, rows: 0).connect()
            try connection.execute("CREATE TABLE log(id INTEGER PRIMARY KEY, who TEXT, number INTEGER, filler TEXT)")
        }
        let rounds = Effort.current == .soak ? 100 : 12
        var generator = SeededRandom()
        for round in 0..<rounds {
            let process = try ChildProcess(child)
            #expect(try process.answer("open c \(folder.file("a.db")) 7") == [])
            #expect(try process.answer("sql c PRAGMA cache_size = 3").isEmpty)
            try process.send("append c log 100000 w\(round)")
            let patience = Int.random(in: 1...120, using: &generator)
            var last = 0
            while last < patience, let line = try process.line() { last = Int(line.dropFirst(4)) ?? last }
            process.kill()
            while let line = try process.line() { last = Int(line.dropFirst(4)) ?? last }
            process.wait()
            let connection = try folder.open().connect()
            let kept = try connection.integer("SELECT count(*) FROM log WHERE who = 'w\(round)'")
            // The row that was committed but not yet acknowledged may be there.
            #expect(kept == last || kept == last + 1, "round \(round), seed \(TestSeed.run)")
            try connection.checkIntegrity()
        }
    }
}
