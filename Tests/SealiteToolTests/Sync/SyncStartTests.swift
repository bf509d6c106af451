import Foundation
import Testing

/// The first sync: its collections, its credential, a new database.
@Suite("starting to sync", .serialized)
struct SyncStartTests {
    private let sync: SyncPlace

    init() throws { sync = try SyncPlace() }

    @Test("without --collection everything is synced that both sides have, and the rest is named")
    func collections() throws {
        for (database, name) in [
            ("client.db", "both"), ("server.db", "both"), ("client.db", "mine"), ("server.db", "theirs"),
        ] {
            _ = try sync.client("collection", "create", database, name, "--key-file", "key")
            _ = try sync.client(
                "doc", "put", database, "of-\(database)", "{}", "--collection", name, "--key-file", "key")
        }
        try sync.put("client.db", "plain")
        let server = try sync.serve("--plain")
        let outcome = try sync.sync(server.url)
        #expect(outcome.status == 0 && outcome.out == "pushed 2, pulled 1, failed 0\n", "\(outcome)")
        #expect(outcome.err == "collections _default, both; only here: mine; only there: theirs\n", "\(outcome)")
        let quiet = try sync.sync(server.url, "--quiet")
        #expect(quiet.status == 0 && quiet.err.isEmpty, "\(quiet)")
        // A database that doesn't exist.
        let made = try sync.sync(server.url, "--collection", "theirs", "--json")
        #expect(made.status == 0 && !made.out.contains("onlyHere"), "\(made)")
        let new = try sync.place.sealite("sync", "new.db", server.url, "--create", "-k", "key", "--anonymous")
        #expect(new.status == 0 && new.out == "made \"new.db\"\npushed 0, pulled 1, failed 0\n", "\(new)")
        #expect(new.err.contains("only there: both, theirs"), "\(new)")
        #expect(try sync.place.sealite("sync", "new2.db", server.url, "--create", "--anonymous").status == 64)
        #expect(!sync.place.exists("new2.db"))
        let missing = try sync.place.sealite("sync", "new2.db", server.url, "-k", "key", "--anonymous", "--json")
        #expect(missing.status == 66 && missing.json?["code"] as? String == "no-such-file", "\(missing)")
        #expect((missing.json?["hint"] as? String)?.hasPrefix("--create makes it") == true, "\(missing)")
        let pushed = try sync.place.sealite(
            "sync", "new2.db", server.url, "-k", "key", "--anonymous", "--push", "--json")
        #expect((pushed.json?["hint"] as? String)?.contains("--create") == false, "\(pushed)")
        #expect(server.end() == 0)
    }

    @Test("a password is stored by serve; a peer that shows none is told which there are; refusals are logged")
    func credentials() throws {
        try sync.place.write("open sesame\n", to: "password")
        let server = try sync.serve(
            "--set-password", "ana", "--user", "ana", "--password-file", "password", "--log-level", "info")
        func client(_ arguments: String...) throws -> Outcome {
            try sync.place.run(
                [Tool.path] + arguments + ["--vault", "client.vault", "--vault-key-file", "key"],
                environment: ["HOME": sync.place.path])
        }
        let noVault = try client("sync", "client.db", server.url, "-k", "key", "--pin", server.pin, "--user", "ana")
        #expect(noVault.status == 66 && noVault.out.isEmpty && !noVault.err.contains("offline"), "\(noVault)")
        let near = server.url.replacing("/server", with: "/other")
        #expect(try client("credential", "set", near, "--user", "eve", "--password-file", "password").status == 0)
        let refused = try client("sync", "client.db", server.url, "-k", "key", "--pin", server.pin)
        #expect(refused.status == 77 && refused.out.isEmpty, "\(refused)")
        #expect(refused.err.contains("no credential was sent: none is stored for \(server.url)"), "\(refused)")
        #expect(
            refused.err.contains("/other (eve)") && refused.err.contains("hint: store a credential with"), "\(refused)")
        #expect(try client("credential", "set", server.url, "--user", "ana", "--password-file", "password").status == 0)
        let synced = try client("sync", "client.db", server.url, "-k", "key", "--pin", server.pin)
        #expect(synced.status == 0, "\(synced)")
        #expect(server.end() == 0)
        let log = String(decoding: try sync.place.read("served.errors"), as: UTF8.self)
        #expect(
            log.contains(" info sealite.listener: peer connected ")
                && log.contains(" warning sealite.listener: refused a peer "), "\(log)")
        #expect(!log.contains("sesame"))
    }

    @Test("a sync that a locked vault holds up waits for it, and isn't called offline")
    func lockedVault() throws {
        try sync.place.write("open sesame\n", to: "password")
        let set = try sync.client(
            "credential", "set", "wss://127.0.0.1:1/x", "--user", "ana", "--password-file", "password")
        #expect(set.status == 0, "\(set)")
        let arguments = [
            Tool.path, "sync", "client.db", "wss://127.0.0.1:1/x", "-k", "key", "--user", "ana", "--vault",
            "client.vault", "--attempts", "2", "--no-input",
        ]
        let waited = try sync.place.run(arguments, environment: ["HOME": sync.place.path])
        #expect(waited.status == 69 && waited.err.contains("waiting: credential store locked: "), "\(waited)")
        #expect(!waited.err.contains("offline"), "\(waited)")
        let json = try sync.place.run(arguments + ["--json"], environment: ["HOME": sync.place.path])
        let codes = json.out.split(separator: "\n").compactMap { Outcome.object(String($0))?["code"] as? String }
        #expect(codes.contains("credential-store-locked"), "\(json)")
        let unreachable = try sync.sync("ws://127.0.0.1:1/x", "--attempts", "2", "--anonymous")
        #expect(unreachable.err.contains("offline: "), "\(unreachable)")
    }

    @Test("a session that has ended without a stored password leads to sealite login")
    func endedSession() throws {
        let server = try SessionServer(in: sync.place, "--upgrade", "401")
        try sync.place.write("old", to: "session")
        let set = try sync.client("credential", "set", server.url, "--user", "alice", "--session-file", "session")
        #expect(set.status == 0, "\(set)")
        let refused = try sync.sync(server.url)
        #expect(refused.status == 77 && refused.err.contains("'sealite login \(server.url)'"), "\(refused)")
        let password = try sync.client("credential", "set", server.url, "--user", "alice", input: "wrong")
        #expect(password.status == 0, "\(password)")
        let wrong = try sync.sync(server.url)
        #expect(wrong.status == 77 && !wrong.err.contains("sealite login"), "\(wrong)")
    }

    @Test("a collection that the remote doesn't have is not left behind, nor is a listener called twice for channels")
    func nothingLeft() throws {
        _ = try sync.client("collection", "create", "client.db", "mine", "--key-file", "key")
        let server = try sync.serve("--plain", "--log-level", "info")
        let before = try sync.client("collection", "list", "client.db", "--key-file", "key").out
        #expect(try sync.sync(server.url, "--collection", "app.nope").status == 66)
        #expect(try sync.sync("ws://127.0.0.1:1/x", "--attempts", "1", "--collection", "app.nope").status == 69)
        #expect(try sync.client("collection", "list", "client.db", "--key-file", "key").out == before)
        func connections() throws -> Int {
            String(decoding: try sync.place.read("served.errors"), as: UTF8.self).ranges(of: "peer connected").count
        }
        let count = try connections()
        let channel = try sync.sync(server.url, "--channel", "news")
        #expect(channel.status == 1 && channel.err.contains("a listener, which has no channels"), "\(channel)")
        #expect(channel.err.contains("leave out --channel"), "\(channel)")
        #expect(try connections() == count + 1)
        #expect(server.end() == 0)
    }

    @Test("documents that were already there and conflicts that were resolved are counted apart")
    func counts() throws {
        for (name, json) in [("client.db", #"{"by":"client"}"#), ("server.db", #"{"by":"server"}"#)] {
            try sync.put(name, "both", json)
        }
        let server = try sync.serve("--plain")
        let first = try sync.sync(server.url)
        #expect(first.status == 0 && !first.err.contains("push _default"), "\(first)")
        #expect(first.out.contains("conflicts resolved 1, failed 0"), "\(first)")
        #expect(first.err.contains("conflict _default \"both\": ") && first.err.contains(" discarded\n"), "\(first)")
        // One direction goes on where both had come to, and the other way round.
        for way in ["--pull", "--push"] {
            try sync.put("server.db", "later\(way)", "{}")
            #expect(try sync.sync(server.url, way).status == 0)
        }
        let json = try sync.sync(server.url, "--reset", "--json")
        let summary = Outcome.object(json.out.split(separator: "\n").last.map(String.init) ?? "")
        #expect(summary?["alreadyThere"] as? Int ?? 0 >= 2 && summary?["pushed"] as? Int == 0, "\(json)")
        #expect(summary?["removed"] as? Int == 0 && summary?["conflictsResolved"] as? Int == 0, "\(json)")
        #expect(server.end() == 0)
    }

    @Test("a conflict with a deletion names the deletion that was kept, and the revision that was discarded")
    func deletions() throws {
        let server = try sync.serve("--plain")
        for id in ["here", "there"] { try sync.put("client.db", id, #"{"n":1}"#) }
        #expect(try sync.sync(server.url).status == 0)
        for (gone, changed, id) in [("client.db", "server.db", "here"), ("server.db", "client.db", "there")] {
            #expect(try sync.client("doc", "delete", gone, id, "--key-file", "key").status == 0)
            try sync.put(changed, id, #"{"n":2}"#)
        }
        let outcome = try sync.sync(server.url)
        #expect(outcome.status == 0, "\(outcome)")
        let (here, there) = ("conflict _default \"here\": ", "conflict _default \"there\": ")
        #expect(outcome.err.contains(here + "the document was deleted (local revision 2-"), "\(outcome)")
        #expect(outcome.err.contains(there + "the remote's deletion was kept, local revision 2-"), "\(outcome)")
        #expect(server.end() == 0)
    }

    @Test("under systemd a line of the log begins with its priority")
    func journal() throws {
        let outcome = try sync.place.run(
            [
                "bash", "-c",
                "JOURNAL_STREAM=$(stat -L -c %d:%i /dev/stderr) '\(Tool.path)' sync client.db ws://127.0.0.1:1/x -k key -v --anonymous --attempts 1",
            ])
        #expect(outcome.status == 69 && outcome.err.contains("<3>sealite.replicator: replication failed"), "\(outcome)")
        #expect(outcome.out.isEmpty)
    }
}
