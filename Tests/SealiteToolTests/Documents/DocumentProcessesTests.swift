import Foundation
import Glibc
import SealiteTestSupport
import Testing

@Suite("several processes on one document database")
struct DocumentProcessesTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
    }

    private func start(_ arguments: [String], input: String? = nil, output: String) throws -> ChildProcess {
        var files: [(CInt, String, CInt)] = [
            (1, place.file(output), O_WRONLY | O_CREAT), (2, place.file(output + "-errors"), O_WRONLY | O_CREAT),
        ]
        if let input { files.append((0, place.file(input), O_RDONLY)) }
        return try ChildProcess([Tool.path] + arguments + ["--key-file", "key"], folder: place.path, files: files)
    }

    @Test("two processes write at once, two follow: each follower hears of every change of both, once")
    func bothWays() throws {
        let count = 4000
        #expect(try place.sealite("collection", "list", "a.db", "--key-file", "key").status == 0)
        for writer in ["a", "b"] {
            try place.write((0..<count).map { "{\"_id\":\"\(writer)\($0)\"}\n" }.joined(), to: "\(writer).jsonl")
        }
        let followers = try ["std1", "std2"].map {
            try start(["changes", "a.db", "--follow", "--limit", "\(2 * count)"], output: $0)
        }
        let writers = try ["a", "b"].map {
            try start(["import", "a.db", "\($0).jsonl", "--timeout", "60"], output: "std-\($0)")
        }
        for writer in writers { #expect(writer.wait() == 0) }
        for (follower, output) in zip(followers, ["std1", "std2"]) {
            try eventuallyBlocking {
                try place.read(output).count(where: { $0 == 0x0A }) >= 2 * count
            }
            #expect(follower.wait() == 0)
            let changes = String(decoding: try place.read(output), as: UTF8.self).split(separator: "\n")
                .compactMap { Outcome.object(String($0)) }
            #expect(changes.compactMap { $0["sequence"] as? Int } == Array(1...(2 * count)))
            #expect(Set(changes.compactMap { $0["id"] as? String }).count == 2 * count)
        }
    }

    @Test("a process killed in the middle of a batch leaves nothing of it, and the next one goes on")
    func killedInBatch() throws {
        #expect(try place.sealite("doc", "put", "a.db", "before", "{}", "--key-file", "key").status == 0)
        // More than the connection that writes keeps in memory.
        let lines = (0..<7000).map { "{\"_id\":\"n\($0)\",\"x\":\"\(String(repeating: "y", count: 9000))\"}\n" }
            .joined()
        // A pipe that the test holds open too, so that the import neither waits to open it nor comes to its end.
        #expect(unsafe mkfifo(place.file("stdpipe"), 0o600) == 0)
        let pipe = unsafe open(place.file("stdpipe"), O_RDWR | O_CLOEXEC)
        defer { close(pipe) }
        let child = try start(["import", "a.db", "-", "--atomic"], input: "stdpipe", output: "std-import")
        let bytes = Array(lines.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe write(pipe, UnsafeRawBufferPointer(rebasing: $0[sent...]).baseAddress, bytes.count - sent)
            }
            try #require(count > 0)
            sent += count
        }
        // More than the page cache holds went into the log by now, uncommitted.
        eventuallyBlocking { ((try? place.read("a.db-wal").count) ?? 0) > 1_000_000 }
        child.send(SIGKILL)
        #expect(child.wait() == 128 + SIGKILL)
        let listed = try place.sealite("doc", "list", "a.db", "--key-file", "key")
        #expect(listed.status == 0 && listed.out.split(separator: "\n").count == 1)
        #expect(try place.sealite("doc", "put", "a.db", "after", "{}", "--key-file", "key").out.hasPrefix("after\t1-"))
        #expect(try place.sealite("verify", "a.db", "--key-file", "key").status == 0)
    }
}
