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
            #expect(stranger.status == 76 && stranger.json?["code"] as? String == "server-not-trusted")
            #expect(stranger.err.contains("compare the pin"), "\(stranger)")
            #expect(try sync.sync(server.url).status == 76)
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
        #expect(try sync.sync(server.url, "--pull", "--collection", "_default").out == "pushed 0, pulled 1, failed 0\n")
        #expect(try sync.ids("client.db") == ["a", "b", "c", "s"])
        let both = try sync.sync(server.url, "--collection", "work.notes", "--collection", "_default", "--json")
        let summary = Outcome.object(both.out.split(separator: "\n").last.map(String.init) ?? "")
        #expect(summary?["pushed"] as? Int == 2 && summary?["pulled"] as? Int == 1 && both.status == 0, "\(both)")
        #expect(try sync.sync(server.url, "--reset").out == "pushed 0, already there 5, pulled 0, failed 0\n")
        #expect(try sync.sync(server.url, "--collection", "nobody", "--push").status == 66)
        let missing = try sync.sync(server.url, "--collection", "work.other")
        #expect(missing.status == 66, "\(missing)")
        #expect(server.end() == 0)
    }

    @Test("a collection that is made while the server runs is served to later peers, unless others were named")
    func laterCollection() throws {
        let server = try sync.serve("--plain")
        #expect(try sync.sync(server.url).status == 0)
        for name in ["server.db", "client.db"] {
            _ = try sync.client("collection", "create", name, "later", "--key-file", "key")
        }
        _ = try sync.server("doc", "put", "server.db", "n", "{}", "--collection", "later", "--key-file", "key")
        let pulled = try sync.sync(server.url, "--collection", "later")
        #expect(pulled.out == "pushed 0, pulled 1, failed 0\n", "\(pulled)")
        #expect(server.end() == 0)
        let named = try sync.serve("--plain", "--collection", "_default")
        #expect(try sync.sync(named.url, "--collection", "later").status == 66)
        #expect(named.end() == 0)
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
        #expect(words.status == 1 && words.out == "pushed 0, pulled 1, failed 1 (1 not stored)\n", "\(words)")
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

    @Test("a document that the remote refuses fails each sync until it goes through, and is listed meanwhile")
    func refused() throws {
        for (name, json) in [("client.db", #"{"by":"client"}"#), ("server.db", #"{"by":"server"}"#)] {
            try sync.put(name, "a", json)
        }
        try sync.put("client.db", "fine")
        let server = try sync.serve("--plain")
        #expect(try sync.sync(server.url, "--pull", "--doc-id", "none").status == 0)
        #expect(try sync.status().out.isEmpty)
        for round in 0..<3 {
            let outcome = try sync.sync(server.url, "--push")
            #expect(outcome.status == 1, "\(outcome)")
            #expect(outcome.out == "pushed \(round == 0 ? 1 : 0), pulled 0, failed 1 (1 refused by the remote)\n")
            #expect(outcome.err.contains("'sealite sync-status'"), "\(outcome)")
        }
        let json = try sync.sync(server.url, "--push", "--reset", "--json")
        let summary = Outcome.object(json.out.split(separator: "\n").last.map(String.init) ?? "")
        #expect(json.status == 1 && summary?["failed"] as? Int == 1 && summary?["refused"] as? Int == 1, "\(json)")
        // One way is nothing that was refused.
        #expect(try sync.sync(server.url, "--pull", "--doc-id", "none").status == 0)
        let row = try sync.status(server.url)
        #expect(row.status == 0 && row.out.hasPrefix("\(server.url)\t_default\ta\t409\t20"), "\(row)")
        let listed = try #require(try Outcome.object(sync.status("--json").out))
        #expect(listed["id"] as? String == "a" && listed["code"] as? Int == 409)
        #expect(listed["url"] as? String == server.url)
        #expect(listed["scope"] as? String == "_default" && listed["collection"] as? String == "_default")
        #expect(!(listed["reason"] as? String ?? "").isEmpty && (listed["time"] as? String)?.hasSuffix("Z") == true)
        #expect(listed["revision"] as? String != nil && listed["domain"] == nil)
        let unknown = try sync.status(server.url + "x", "--json")
        #expect(unknown.status == 66 && unknown.json?["code"] as? String == "no-such-remote", "\(unknown)")
        #expect(try sync.status("ftp://127.0.0.1/db").status == 64)
        // Both ways the conflict is resolved.
        #expect(try sync.sync(server.url).status == 0)
        #expect(try sync.status(server.url).out.isEmpty)
        #expect(try sync.sync(server.url, "--push").out == "pushed 0, pulled 0, failed 0\n")
        #expect(server.end() == 0)
    }

    @Test("a document that was purged here and made again meets the remote's after a reset, which the error names")
    func purgedHere() throws {
        try sync.put("server.db", "a", #"{"by":"server"}"#)
        let server = try sync.serve("--plain")
        #expect(try sync.sync(server.url).status == 0)
        _ = try sync.client("doc", "purge", "client.db", "a", "--key-file", "key")
        try sync.put("client.db", "a", #"{"by":"client"}"#)
        for _ in 0..<2 {
            let refused = try sync.sync(server.url)
            #expect(refused.status == 1 && refused.err.contains("--reset compares all documents again"), "\(refused)")
        }
        let pushed = try sync.sync(server.url, "--push")
        #expect(pushed.status == 1 && pushed.err.contains("without --push") && !pushed.err.contains("--reset"))
        let reset = try sync.sync(server.url, "--reset", "--on-conflict", "local")
        #expect(reset.status == 0 && reset.out.contains("conflicts resolved 1"), "\(reset)")
        #expect(try sync.document("server.db", "a")?.contains("client") == true)
        #expect(server.end() == 0)
    }

    @Test("a server that was set up anew at its URL is filled again, and one that lost documents by a reset")
    func lostDocuments() throws {
        for id in ["a", "b", "c"] { try sync.put("client.db", id) }
        var server = try sync.serve("--plain")
        let (url, port) = (server.url, server.port)
        #expect(try sync.sync(url).out == "pushed 3, pulled 0, failed 0\n")
        _ = try sync.server("doc", "purge", "server.db", "b", "--key-file", "key")
        #expect(try sync.sync(url).out == "pushed 0, pulled 0, failed 0\n")
        #expect(try sync.sync(url, "--reset").out == "pushed 1, already there 2, pulled 0, failed 0\n")
        #expect(try sync.ids("server.db") == ["a", "b", "c"])
        #expect(server.end() == 0)
        for name in ["server.db", "server.db-wal", "server.db-shm"] { try? sync.place.remove(name) }
        try sync.place.makeDatabase("server.db")
        server = try sync.serve("--plain", port: port)
        let filled = try sync.sync(url)
        #expect(filled.status == 0 && filled.out == "pushed 3, pulled 0, failed 0\n", "\(filled)")
        #expect(filled.err.contains("the remote has lost its replication checkpoint of _default._default"), "\(filled)")
        #expect(try sync.ids("server.db") == ["a", "b", "c"])
        let again = try sync.sync(url, "--json")
        #expect(again.status == 0 && !again.out.contains("lostCheckpoint") && again.out.contains("\"pushed\":0"))
        #expect(server.end() == 0)
    }

    @Test("a server without TLS listens at other addresses where that is allowed")
    func unencrypted() throws {
        let server = try sync.serve("--plain", "--interface", "all", "--allow-unencrypted")
        #expect(server.url.hasPrefix("ws://"))
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
            ["serve", "server.db", "--anyone", "--plain", "--interface", "::"],
            ["serve", "server.db", "--interface", "all"],
            ["serve", "server.db", "--plain", "--client-ca", "x"],
            ["serve", "server.db", "--anyone", "--port", "65536"],
            ["serve", "server.db", "--anyone", "--identity", "x", "--new-identity"],
            ["serve", "server.db"], ["serve", "server.db", "--plain"],
            ["serve", "server.db", "--anyone", "--user", "ana"],
            ["serve", "server.db", "--anyone", "--client-ca", "x"],
            ["serve", "server.db", "--anyone", "--proxy", "here"],
            ["serve", "server.db", "--anyone", "--connections-per-address", "0"],
            ["serve", "server.db", "--anyone", "--connections-per-address", "257"],
            ["serve", "server.db", "--plain", "--user", "ana", "--interface", "all"],
            ["serve", "server.db", "--anyone", "--allow-unencrypted"],
        ])
    func usage(_ arguments: [String]) throws {
        let outcome = try sync.place.run([Tool.path] + arguments + ["--key-file", "key"])
        #expect(outcome.status == 64, "\(outcome)")
        #expect(!outcome.err.contains("secret"))
    }
}
