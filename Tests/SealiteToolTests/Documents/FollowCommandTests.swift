import Foundation
import Glibc
import SealiteTestSupport
import Testing

@Suite("sealite changes and blob")
struct FollowCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
    }

    private func run(_ arguments: String..., input: String = "") throws -> Outcome {
        try place.run([Tool.path] + arguments + ["--key-file", "key"], input: input)
    }

    private func lines(_ text: String) -> [[String: Any]] {
        text.split(separator: "\n").compactMap { Outcome.object(String($0)) }
    }

    @Test("changes name each document once, in order, since a sequence")
    func listed() throws {
        for id in ["a", "b", "a"] { _ = try run("doc", "put", "a.db", id, "{}") }
        _ = try run("doc", "delete", "a.db", "b")
        let all = lines(try run("changes", "a.db").out)
        #expect(all.map { $0["id"] as? String } == ["a", "b"])
        #expect(all.map { $0["sequence"] as? Int } == [3, 4])
        #expect(all.map { $0["deleted"] as? Bool } == [nil, true])
        #expect(lines(try run("changes", "a.db", "--since", "3").out).count == 1)
        #expect(lines(try run("changes", "a.db", "--limit", "1").out).count == 1)
        #expect(try run("changes", "a.db", "--collection", "nobody").status == 66)
    }

    @Test("a follower hears of what other processes do, each change once, until it is interrupted")
    func followed() throws {
        _ = try run("doc", "put", "a.db", "before", "{}")
        let child = try ChildProcess(
            [Tool.path, "changes", "a.db", "--follow", "--key-file", "key"], folder: place.path,
            files: [(1, place.file("stdfollow"), O_WRONLY | O_CREAT), (2, place.file("stderrors"), O_WRONLY | O_CREAT)])
        try waitForLines(1)
        for id in ["x", "y"] { _ = try run("doc", "put", "a.db", id, "{}") }
        try waitForLines(3)
        let batch = (0..<3000).map { "{\"_id\":\"n\($0)\"}\n" }.joined()
        _ = try run("import", "a.db", "-", input: batch)
        try waitForLines(3003)
        _ = try run("doc", "purge", "a.db", "x")
        try waitForLines(3004)
        child.send(SIGINT)
        #expect(child.wait() == 128 + SIGINT)
        let seen = lines(String(decoding: try place.read("stdfollow"), as: UTF8.self))
        #expect(seen.compactMap { $0["sequence"] as? Int } == Array(1...3003))
        #expect(Set(seen.compactMap { $0["id"] as? String }).count == 3003)
        #expect(seen.last?["purged"] as? Bool == true)
    }

    @Test("a follower with a limit ends by itself")
    func limited() throws {
        for id in ["a", "b", "c"] { _ = try run("doc", "put", "a.db", id, "{}") }
        let followed = try run("changes", "a.db", "--follow", "--limit", "2")
        #expect(followed.status == 0 && lines(followed.out).count == 2)
    }

    /// Waits until the follower has written so many lines.
    private func waitForLines(_ count: Int) throws {
        eventuallyBlocking("\(count) lines") {
            ((try? place.read("stdfollow")) ?? []).count(where: { $0 == 0x0A }) >= count
        }
    }

    @Test("a blob comes back as it was, from a file and from a pipe, stored once; nothing of it shows on disk")
    func blobs() throws {
        let marker = Array("a marker that is easy to find".utf8)
        let content = marker + (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) } + marker
        try place.write(content, to: "photo")
        let put = try run("blob", "put", "a.db", "ana", "photo", "photo", "--create", "--type", "image/x", "--json")
        #expect(Outcome.object(put.out)?["length"] as? Int == content.count)
        let piped = try place.run(
            ["sh", "-c", "\(Tool.path) blob put a.db bob picture - --create --key-file key < photo"], input: "")
        #expect(piped.status == 0)
        for (id, member) in [("ana", "photo"), ("bob", "picture")] {
            #expect(try run("blob", "get", "a.db", id, member, "out").status == 0)
            #expect(try place.read("out") == content)
            try FileManager.default.removeItem(atPath: place.file("out"))
        }
        let described = try #require(
            Outcome.object(try run("doc", "get", "a.db", "ana").out)?["photo"] as? [String: Any])
        #expect(described["@type"] as? String == "blob" && described["content_type"] as? String == "image/x")
        #expect(try Data(place.read("a.db")).range(of: Data(marker)) == nil)
        #expect(try run("sql", "a.db", "SELECT count(*) FROM blobs", "--csv").out == "count(*)\n1\n")
        #expect(try run("blob", "get", "a.db", "ana", "nothing", "out").status == 66)
        #expect(try run("blob", "get", "a.db", "nobody", "photo", "out").status == 66)
        #expect(try run("blob", "get", "a.db", "ana", "photo", "photo").status == 73)
        #expect(try run("blob", "put", "a.db", "ana", "photo", "a.db").status == 64)
        #expect(place.names == ["a.db", "photo"])
    }
}
