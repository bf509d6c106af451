import Foundation
import Glibc
import Testing

@Suite("sealite sync and sealite serve", .serialized)
struct SyncCommandTests {
    private let sync: SyncPlace

    init() throws { sync = try SyncPlace() }

    @Test(
        "two sealed databases sync over the network, in the clear on loopback and with TLS", arguments: [true, false])
    func bothWays(_ isPlain: Bool) throws {
        try sync.put("client.db", "mine", #"{"a":1}"#)
        try sync.put("server.db", "theirs", #"{"b":2}"#)
        let server = isPlain ? try sync.serve("--plain") : try sync.serve()
        #expect(server.pin.isEmpty == isPlain && server.url.hasSuffix("/server"))
        // The next start has another pin.
        #expect(sync.reports("served").first?["lasting"] as? Bool == (isPlain ? nil : false))
        if !isPlain {
            let stranger = try sync.sync(server.url, "--pin", String(repeating: "0", count: 64), "--json")
            #expect(stranger.status == 69 && stranger.json?["code"] as? String == "server-not-trusted")
            #expect(try sync.sync(server.url).status == 69)
        }
        let trust = isPlain ? [] : ["--pin", server.pin]
        let outcome =
            isPlain ? try sync.sync(server.url) : try sync.sync(server.url, trust[0], trust[1])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.out == "pushed 1, pulled 1, failed 0\n")
        if !isPlain {
            #expect(try sync.sync(server.url, "--self-signed").out == "pushed 0, pulled 0, failed 0\n")
        }
        #expect(server.end() == 0)
        for name in ["client.db", "server.db"] { #expect(try sync.ids(name) == ["mine", "theirs"]) }
        // Nobody is there any more.
        let gone = try sync.sync(server.url, "--attempts", "1", "--json")
        #expect(gone.status == 69 && gone.json?["code"] as? String == "connection", "\(gone)")
    }

    @Test("one way, some documents, other collections, and everything compared again")
    func selections() throws {
        for id in ["a", "b", "c"] { try sync.put("client.db", id) }
        try sync.put("server.db", "s")
        _ = try sync.client("collection", "create", "client.db", "work.notes", "--key-file", "key")
        _ = try sync.client("collection", "create", "server.db", "work.notes", "--key-file", "key")
        _ = try sync.client("doc", "put", "server.db", "n", "{}", "--collection", "work.notes", "--key-file", "key")
        let server = try sync.serve("--plain", "--name", "my notes")
        #expect(server.url.hasSuffix("/my%20notes"))
        #expect(try sync.sync(server.url, "--doc-id", "a", "--push").out == "pushed 1, pulled 0, failed 0\n")
        #expect(try sync.ids("server.db") == ["s", "a"])
        #expect(try sync.sync(server.url, "--pull").out == "pushed 0, pulled 1, failed 0\n")
        #expect(try sync.ids("client.db") == ["a", "b", "c", "s"])
        let both = try sync.sync(server.url, "--collection", "work.notes", "--collection", "_default", "--json")
        let summary = Outcome.object(both.out.split(separator: "\n").last.map(String.init) ?? "")
        #expect(summary?["pushed"] as? Int == 2 && summary?["pulled"] as? Int == 1 && both.status == 0, "\(both)")
        #expect(try sync.sync(server.url, "--reset").out == "pushed 0, pulled 0, failed 0\n")
        #expect(try sync.sync(server.url, "--collection", "nobody", "--push").status == 66)
        let missing = try sync.sync(server.url, "--collection", "work.other")
        #expect(missing.status == 66, "\(missing)")
        #expect(server.end() == 0)
    }

    @Test("a document that can't go through is named, the others go, and the exit code says so")
    func oneFails() throws {
        for id in ["fine", "broken"] { try sync.put("server.db", id) }
        try sync.place.write("picture", to: "picture")
        let put = try sync.server("blob", "put", "server.db", "broken", "image", "picture", "--key-file", "key")
        // The server has lost what it promises.
        let lost = try sync.server("sql", "server.db", "DELETE FROM blobs", "--raw", "--key-file", "key")
        #expect(put.status == 0 && lost.status == 0, "\(put) \(lost)")
        let server = try sync.serve("--plain")
        let words = try sync.sync(server.url)
        #expect(words.status == 1 && words.out == "pushed 0, pulled 1, failed 1\n", "\(words)")
        #expect(words.err.contains("pull _default \"broken\": "), "\(words)")
        let json = try sync.sync(server.url, "--reset", "--json")
        #expect(json.status == 1 && json.json?["code"] as? String == "documents-failed", "\(json)")
        let lines = json.out.split(separator: "\n").compactMap { Outcome.object(String($0)) }
        let failures = lines.filter { $0["document"] != nil }
        #expect(failures.map { $0["document"] as? String } == ["broken"] && failures[0]["way"] as? String == "pull")
        #expect(lines.last?["failed"] as? Int == 1)
        #expect(try sync.ids("client.db") == ["fine"])
        #expect(server.end() == 0)
    }

    @Test("a peer that only gives says so, and another database isn't there")
    func refusals() throws {
        try sync.put("client.db", "mine")
        try sync.put("server.db", "theirs")
        let server = try sync.serve("--plain", "--read-only")
        let refused = try sync.sync(server.url, "--json")
        #expect(refused.status == 1 && refused.json?["code"] as? String == "forbidden", "\(refused)")
        #expect(try sync.sync(server.url, "--pull").status == 0)
        #expect(try sync.sync(server.url + "x", "--attempts", "1").status == 69)
        #expect(server.end() == 0)
        #expect(try sync.ids("server.db") == ["theirs"])
    }

    @Test(
        "options that can't work together are refused",
        arguments: [
            ["sync", "client.db", "ws://127.0.0.1/db", "--push", "--pull"],
            ["sync", "client.db", "ws://127.0.0.1/db", "--self-signed", "--ca", "x"],
            ["sync", "client.db", "ws://127.0.0.1/db", "--anonymous", "--user", "a"],
            ["sync", "client.db", "ws://127.0.0.1/db", "--attempts", "0"],
            ["sync", "client.db", "ftp://127.0.0.1/db"], ["sync", "client.db", "ws://ana:secret@127.0.0.1/db"],
            ["serve", "server.db", "--plain", "--interface", "::"], ["serve", "server.db", "--interface", "all"],
            ["serve", "server.db", "--plain", "--client-ca", "x"], ["serve", "server.db", "--port", "65536"],
            ["serve", "server.db", "--identity", "x", "--new-identity"],
        ])
    func usage(_ arguments: [String]) throws {
        let outcome = try sync.place.run([Tool.path] + arguments + ["--key-file", "key"])
        #expect(outcome.status == 64, "\(outcome)")
        #expect(!outcome.err.contains("secret"))
    }
}
