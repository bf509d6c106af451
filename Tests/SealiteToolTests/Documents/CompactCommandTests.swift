import Foundation
import Glibc
import SealiteFile
import SealiteTestSupport
import Testing

@Suite("sealite compact, and blobs that go by themselves")
struct CompactCommandTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private func sealite(_ arguments: String...) throws -> Outcome {
        try place.run([Tool.path] + arguments + ["--key-file", "key"])
    }

    /// Runs statements on the tables of the documents, as no command does.
    private func execute(_ sql: String) throws { try place.open().connect().execute(sql) }

    private func count(_ sql: String) throws -> Int64 {
        try place.open().connect().integer("SELECT count(*) FROM \(sql)")
    }

    private func put(_ id: String, _ content: [UInt8]) throws {
        try place.write(content, to: "std-content")
        let outcome = try sealite("blob", "put", "a.db", id, "b", "std-content", "--create")
        #expect(outcome.status == 0, "\(outcome.err)")
    }

    @Test("compact deletes what no document refers to, keeps the rest, and shortens the file")
    func compact() throws {
        try place.makeDatabase()
        try put("gone", [UInt8](repeating: 1, count: 3_000_000))
        try put("kept", [UInt8](repeating: 2, count: 200_000))
        #expect(try sealite("doc", "delete", "a.db", "gone").status == 0)
        let before = place.size("a.db")
        let outcome = try sealite("compact", "a.db")
        #expect(outcome.status == 0, "\(outcome.err)")
        #expect(outcome.out.hasPrefix("deleted 1 blob, 2.9 MiB (3000000 bytes)\n\"a.db\" has "))
        #expect(outcome.out.contains(" less than before"))
        #expect(place.size("a.db") < before - 2_900_000)
        #expect(try sealite("blob", "get", "a.db", "kept", "b", "std-kept").status == 0)
        #expect(try place.read("std-kept") == [UInt8](repeating: 2, count: 200_000))
        #expect(try sealite("verify", "a.db").status == 0)
    }

    @Test("--json says what was done, and --vacuum never leaves the free pages in the file")
    func json() throws {
        try place.makeDatabase()
        try put("gone", [UInt8](repeating: 1, count: 1_000_000))
        #expect(try sealite("doc", "delete", "a.db", "gone").status == 0)
        let kept = try #require(Outcome.object(try sealite("compact", "a.db", "--json", "--vacuum", "never").out))
        #expect(kept["path"] as? String == "a.db" && kept["freedBlobs"] as? Int == 1)
        #expect(kept["freedBlobBytes"] as? Int == 1_000_000 && kept["vacuumed"] as? Bool == false)
        #expect(kept["freeBytes"] as? Int ?? 0 > 900_000)
        let again = try #require(Outcome.object(try sealite("compact", "a.db", "--json").out))
        #expect(again["freedBlobs"] as? Int == 0 && again["vacuumed"] as? Bool == true)
        #expect(again["bytes"] as? Int == place.size("a.db") && again["freeBytes"] as? Int == 0)
        let third = try #require(Outcome.object(try sealite("compact", "a.db", "--json").out))
        #expect(third["vacuumed"] as? Bool == false)
    }

    @Test(
        "a database that isn't one of documents is shortened, and stays what it is; one with auto-vacuum step by step")
    func otherDatabases() throws {
        for mode in ["none", "incremental"] {
            try? place.remove("s.db")
            #expect(try sealite("create", "s.db", "--auto-vacuum", mode).status == 0)
            let sql =
                "CREATE TABLE t(x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 3000)"
                + " INSERT INTO t SELECT randomblob(1000) FROM n; DELETE FROM t WHERE rowid > 100"
            #expect(try sealite("sql", "s.db", sql).status == 0)
            let before = place.size("s.db")
            let outcome = try sealite("compact", "s.db")
            #expect(outcome.status == 0 && outcome.out.hasPrefix("\"s.db\" has "), "\(outcome.err)")
            #expect(place.size("s.db") < before / 5)
            #expect(try sealite("sql", "s.db", "SELECT count(*) FROM t").out.contains("100"))
            #expect(try sealite("info", "s.db", "--json").out.contains("\"sqlite\""))
        }
    }

    @Test("compact has the exit codes of its class: a missing file, a wrong key, a busy file")
    func failures() throws {
        #expect(try sealite("compact", "none.db").status == 66)
        try place.makeDatabase()
        try place.write([UInt8](repeating: 9, count: 32), to: "std-key")
        #expect(try place.sealite("compact", "a.db", "--key-file", "std-key").status == 77)
        try put("x", [1])
        let other = try place.open().connect()
        try other.execute("BEGIN IMMEDIATE")
        let busy = try sealite("compact", "a.db", "--timeout", "0.1")
        #expect(busy.status == 75, "\(busy.err)")
        try other.execute("ROLLBACK")
    }

    @Test("a signal ends compact without a change of the content")
    func signal() throws {
        try place.makeDatabase()
        try put("kept", (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 >> 5) })
        try put("gone", [UInt8](repeating: 1, count: 4_000_000))
        #expect(try sealite("doc", "delete", "a.db", "gone").status == 0)
        let before = place.names
        for _ in 0..<3 {
            let child = try ChildProcess(
                [Tool.path, "compact", "a.db", "--vacuum", "always", "--key-file", "key"], folder: place.path,
                files: [(1, place.file("stdout"), O_WRONLY | O_CREAT), (2, place.file("stderr"), O_WRONLY | O_CREAT)])
            eventuallyBlocking("the work", longestPause: .milliseconds(1)) {
                place.size("a.db-wal") > 0 || child.hasEnded
            }
            child.send(SIGINT)
            #expect([0, 128 + SIGINT].contains(child.wait()))
            #expect(place.names == before)
        }
        #expect(try sealite("verify", "a.db").status == 0)
    }

    @Test("blob put that is killed again and again doesn't make the file grow, and the next command deletes the rest")
    func killedPut() throws {
        try place.makeDatabase()
        try put("kept", [1, 2, 3])
        let content = (0..<(24 << 20)).map { UInt8(truncatingIfNeeded: $0 >> 9) }
        try place.write(content, to: "std-big")
        var sizes: [Int] = []
        for signal in [SIGKILL, SIGKILL, SIGINT, SIGKILL, SIGTERM, SIGKILL] {
            let child = try ChildProcess(
                [Tool.path, "blob", "put", "a.db", "big", "b", "std-big", "--create", "--key-file", "key"],
                folder: place.path,
                files: [(1, place.file("stdout"), O_WRONLY | O_CREAT), (2, place.file("stderr"), O_WRONLY | O_CREAT)])
            // Other processes see the blob's row from the first transaction on, and its chunks.
            let reader = try place.open().connect()
            try eventuallyBlocking("two transactions", longestPause: .milliseconds(1)) {
                try reader.integer("SELECT count(*) FROM blob_chunks") > 130 || child.hasEnded
            }
            child.send(signal)
            #expect([128 + signal, 0].contains(child.wait()))
            sizes.append(place.size("a.db"))
        }
        // What the first one left is used by those after it: without that each would add 8 MiB or more.
        #expect(sizes[5] < sizes[0] + (10 << 20), "\(sizes)")
        // Any command that writes deletes what is left.
        for number in 0..<4 { #expect(try sealite("doc", "put", "a.db", "d\(number)", "{}").status == 0) }
        let isStored = try sealite("blob", "get", "a.db", "big", "b", "std-out").status == 0
        #expect(try count("blobs") == (isStored ? 2 : 1))
        #expect(try count("blob_chunks") == (isStored ? 385 : 1))
        #expect(try sealite("blob", "get", "a.db", "kept", "b", "std-kept").status == 0)
        #expect(try sealite("verify", "a.db").status == 0)
    }

    @Test("a writer that lives is left alone by another process that writes, stores blobs and compacts")
    func livingWriter() throws {
        try place.makeDatabase()
        try put("x", [1])
        #expect(unsafe mkfifo(place.file("stdpipe"), 0o600) == 0)
        let pipe = unsafe open(place.file("stdpipe"), O_RDWR | O_CLOEXEC)
        let child = try ChildProcess(
            [Tool.path, "blob", "put", "a.db", "slow", "b", "-", "--create", "--key-file", "key"], folder: place.path,
            files: [
                (0, place.file("stdpipe"), O_RDONLY), (1, place.file("stdout"), O_WRONLY | O_CREAT),
                (2, place.file("stderr"), O_WRONLY | O_CREAT),
            ])
        var sent = 0
        func send(_ total: Int) throws {
            let bytes = [UInt8](repeating: 7, count: 65_536)
            while sent < total {
                let count = unsafe write(pipe, bytes, min(bytes.count, total - sent))
                try #require(count > 0)
                sent += count
            }
        }
        try send(6 << 20)
        try eventuallyBlocking("the first transaction") { try count("blobs WHERE digest IS NULL") == 1 }
        try put("y", [UInt8](repeating: 3, count: 9_000_000))
        #expect(try sealite("doc", "delete", "a.db", "y").status == 0)
        #expect(try sealite("compact", "a.db").status == 0)
        #expect(try count("blobs WHERE digest IS NULL") == 1)
        try send(7 << 20)
        close(pipe)
        // The child has the pipe open for reading only, so its input ends now.
        #expect(child.wait() == 0)
        #expect(try sealite("blob", "get", "a.db", "slow", "b", "std-slow").status == 0)
        #expect(try place.read("std-slow") == [UInt8](repeating: 7, count: 7 << 20))
    }

    @Test("two processes replace and delete documents with the same contents, and no content goes that is referred to")
    func twoProcesses() throws {
        try place.makeDatabase()
        for number in 0..<3 { try place.write([UInt8](repeating: UInt8(number), count: 70_000), to: "std-c\(number)") }
        let script = """
            for i in 1 2 3 4 5 6 7 8; do
              "$0" blob put a.db $1-$((i % 2)) b std-c$((i % 3)) --create --timeout 60 --key-file key || exit 1
              "$0" doc delete a.db $1-$((i % 2)) --timeout 60 --key-file key || exit 1
              "$0" compact a.db --vacuum never --timeout 60 --key-file key || exit 1
            done
            "$0" blob put a.db $1 b std-c1 --create --timeout 60 --key-file key
            """
        let children = try ["p", "q"].map { name in
            try ChildProcess(
                ["bash", "-c", script, Tool.path, name], folder: place.path,
                files: [
                    (1, place.file("stdout-" + name), O_WRONLY | O_CREAT),
                    (2, place.file("stderr-" + name), O_WRONLY | O_CREAT),
                ])
        }
        for child in children { #expect(child.wait() == 0) }
        for name in ["p", "q"] {
            #expect(try sealite("blob", "get", "a.db", name, "b", "std-" + name).status == 0)
            #expect(try place.read("std-" + name) == [UInt8](repeating: 1, count: 70_000))
        }
        #expect(try sealite("compact", "a.db").status == 0)
        #expect(try count("blobs") == 1)
        #expect(try sealite("verify", "a.db").status == 0)
    }

    @Test("serve deletes blobs that have had no document for a day, and what killed writers left")
    func serve() throws {
        try place.makeDatabase()
        try put("gone", [UInt8](repeating: 1, count: 100_000))
        try put("kept", [UInt8](repeating: 2, count: 100_000))
        #expect(try sealite("doc", "delete", "a.db", "gone").status == 0)
        // Two days ago.
        try execute("UPDATE blobs SET touched = touched - 172800000; DELETE FROM local_values WHERE store = 'blobs'")
        try execute(
            "INSERT INTO blobs (number, length, touched) VALUES (9, 0, 1e15); INSERT INTO blob_chunks VALUES (9 << 24, x'00')"
                + "; INSERT INTO local_values (store, name, value) VALUES ('blobs', 'writer/9', CAST('other-boot pid:[1] 1 1 00' AS BLOB))"
        )
        let child = try ChildProcess(
            [Tool.path, "serve", "a.db", "--anyone", "--new-identity", "--key-file", "key"],
            folder: place.path,
            files: [(1, place.file("stdout"), O_WRONLY | O_CREAT), (2, place.file("stderr"), O_WRONLY | O_CREAT)])
        try eventuallyBlocking("the end of the blobs") {
            try count("blobs") == 1 && count("blob_chunks") == 2 || child.hasEnded
        }
        child.send(SIGTERM)
        let status = child.wait()
        let errors = String(decoding: try place.read("stderr"), as: UTF8.self)
        #expect(status == 0, "\(errors)")
        #expect(try count("blobs") == 1)
        #expect(try count("blob_chunks") == 2)
        #expect(try sealite("verify", "a.db").status == 0)
    }
}
