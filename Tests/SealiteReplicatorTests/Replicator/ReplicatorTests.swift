import SealiteTransportTestSupport
import Foundation
import SealiteDatabase
import SealiteFile
import SealiteTestSupport
import Testing

@testable import SealiteReplicator

@Suite("a replicator between two sealed databases")
struct ReplicatorTests {
    @Test("documents, deletions and attachments go both ways, and a second run carries nothing")
    func bothWays() async throws {
        let pair = try SyncPair()
        for index in 0..<250 { try pair.client.save("c\(index)", #"{"n":\#(index)}"#) }
        for index in 0..<250 { try pair.server.save("s\(index)", #"{"n":1.50,"t":"ü\#(index)"}"#) }
        try pair.client.delete("c7")
        try pair.server.delete("s7")
        let large = (0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 1_000) }
        try pair.client.save("up", attachment: large)
        try pair.server.save("down", attachment: large.reversed())
        try pair.server.save("empty", attachment: [])
        let replicator = try pair.replicator()
        let status = try await replicator.run()
        #expect(status.activity == .stopped && status.error == nil)
        #expect(status.progress.documentCount >= 500)
        #expect(try pair.client.revisions.count == 503)
        #expect(try pair.client.revisions.filter { $0.key != "s7" } == pair.server.revisions.filter { $0.key != "s7" })
        #expect(try pair.client.json("s1") == #"{"n":1.50,"t":"ü1"}"#)
        #expect(try pair.server.attachment("up") == large)
        #expect(try pair.client.attachment("down") == large.reversed())
        #expect(try pair.client.attachment("empty") == [])
        #expect(try pair.client.findings.isEmpty && pair.server.findings.isEmpty)
        #expect(try await replicator.documentsOfRun().told.isEmpty)
        // Compared again, nothing needs to go either.
        try await replicator.run(reset: true)
        #expect(try pair.client.revisions.filter { $0.key != "s7" } == pair.server.revisions.filter { $0.key != "s7" })
    }

    @Test("members at the top that begin with an underscore go both ways and outlive edits on the other side")
    func underscoredMembers() async throws {
        let pair = try SyncPair()
        try pair.client.save("up", #"{"_custom":{"a":1.50},"t":"x"}"#)
        try pair.server.save("down", #"{"_custom":[true],"t":"x"}"#)
        try await pair.replicator().run()
        #expect(try pair.server.json("up") == #"{"_custom":{"a":1.50},"t":"x"}"#)
        #expect(try pair.client.json("down") == #"{"_custom":[true],"t":"x"}"#)
        try pair.server.change("up", to: "edited")
        try pair.client.change("down", to: "edited")
        try await pair.replicator().run()
        for side in [pair.client, pair.server] {
            #expect(try side.json("up") == #"{"_custom":{"a":1.50},"t":"edited"}"#)
            #expect(try side.json("down") == #"{"_custom":[true],"t":"edited"}"#)
        }
    }

    @Test("documents whose ids look the same and differ in their bytes go each for itself", arguments: [true, false])
    func ids(isPush: Bool) async throws {
        let pair = try SyncPair()
        let (from, to) = isPush ? (pair.client, pair.server) : (pair.server, pair.client)
        // Å in its three forms, which Swift takes for equal texts.
        let ids = ["\u{C5}", "A\u{30A}", "\u{212B}"]
        for round in 0..<2 {
            for (number, id) in ids.enumerated() { try from.save(id, #"{"n":\#(number),"round":\#(round)}"#) }
            let status = try await pair.replicator().run()
            #expect(status.error == nil)
            for (number, id) in ids.enumerated() {
                #expect(try to.json(id) == #"{"n":\#(number),"round":\#(round)}"#)
            }
        }
    }

    @Test("of ids that look the same only the named one goes")
    func oneOfThem() async throws {
        let pair = try SyncPair()
        for id in ["\u{C5}", "A\u{30A}"] { try pair.client.save(id, #"{"id":"\#(id.utf8.count)"}"#) }
        try await pair.replicator { $0.collections[0].documentIDs = ["A\u{30A}"] }.run()
        #expect(try pair.server.json("A\u{30A}") == #"{"id":"3"}"# && pair.server.json("\u{C5}") == nil)
    }

    @Test("a copy goes on where its original was, and keeps checkpoints of its own")
    func copies() async throws {
        let pair = try SyncPair()
        for id in ["a", "b"] { try pair.server.save(id, "{}") }
        try pair.client.save("c", "{}")
        try await pair.replicator().run()
        let copy = try SyncDatabase(copying: pair.client)
        // Whoever goes on doesn't ask again for what he had.
        try await copy.collection.purge(id: "a")
        try pair.server.save("later", "{}")
        var configuration = ReplicatorConfiguration(collections: [copy.collection], target: try SyncPair.target())
        configuration.maxAttempts = 1
        for _ in 0..<2 {
            try await Replicator(configuration, dialing: pair.dialer.dial).run()
            #expect(try copy.json("later") != nil && copy.json("a") == nil)
        }
        try await pair.replicator().run()
        #expect(try pair.client.json("later") != nil)
        // Its own checkpoint counts now, not the original's, which goes on.
        try pair.server.save("last", "{}")
        try await pair.replicator().run()
        try await copy.collection.purge(id: "later")
        try await Replicator(configuration, dialing: pair.dialer.dial).run()
        #expect(try copy.json("last") != nil && copy.json("later") == nil)
        try await Replicator(configuration, dialing: pair.dialer.dial).run(reset: true)
        #expect(try copy.json("a") != nil && copy.json("later") != nil)
    }

    @Test("each document is told of, with the way it went and why it could not")
    func documentEvents() async throws {
        let pair = try SyncPair()
        try pair.client.save("mine", "{}")
        try pair.server.save("theirs", "{}")
        try pair.server.save("refused", #"{"private":true}"#)
        let replicator = try pair.replicator { configuration in
            configuration.collections[0].pullFilter = { document, _ in !document.boolean(forKey: "private") }
        }
        let notes = Notes<DocumentReplication>()
        let statuses = Notes<ReplicatorStatus>()
        let tokens = [
            replicator.addDocumentReplicationListener { notes.add($0) },
            replicator.addChangeListener { statuses.add($0) },
        ]
        try await replicator.run()
        await eventually { statuses.all.last?.activity == .stopped }
        await eventually { notes.all.flatMap(\.documents).count == 3 }
        #expect(notes.all.filter(\.isPush).flatMap(\.documents).map(\.id) == ["mine"])
        let pulled = notes.all.filter { !$0.isPush }.flatMap(\.documents)
        #expect(Set(pulled.map(\.id)) == ["theirs", "refused"])
        #expect(pulled.first { $0.id == "refused" }?.error?.code == .http(403))
        #expect(statuses.all.first?.activity == .connecting)
        #expect(try pair.client.json("refused") == nil)
        withExtendedLifetime(tokens) {}
    }

    @Test("only what filters and lists of ids let through goes")
    func filters() async throws {
        let pair = try SyncPair()
        for id in ["a", "b", "c"] {
            try pair.client.save("mine-\(id)", "{}")
            try pair.server.save("theirs-\(id)", "{}")
        }
        let pushing = try pair.replicator { configuration in
            configuration.replicatorType = .push
            configuration.collections[0].pushFilter = { document, _ in document.id != "mine-b" }
        }
        try await pushing.run()
        #expect(
            Set(try pair.server.revisions.keys).intersection(["mine-a", "mine-b", "mine-c"]) == ["mine-a", "mine-c"])
        let pulling = try pair.replicator { configuration in
            configuration.replicatorType = .pull
            configuration.collections[0].documentIDs = ["theirs-c", "mine-b"]
        }
        try await pulling.run()
        #expect(Set(try pair.client.revisions.keys) == ["mine-a", "mine-b", "mine-c", "theirs-c"])
    }

    @Test("what a filter kept back goes once that filter is gone")
    func removedFilter() async throws {
        let pair = try SyncPair()
        try pair.client.save("mine", "{}")
        try pair.server.save("theirs", "{}")
        func run(filtersPush: Bool, filtersPull: Bool) async throws -> [Bool] {
            try await pair.replicator { configuration in
                if filtersPush { configuration.collections[0].pushFilter = { _, _ in false } }
                if filtersPull { configuration.collections[0].pullFilter = { _, _ in false } }
            }.run()
            return [try pair.server.json("mine") != nil, try pair.client.json("theirs") != nil]
        }
        #expect(try await run(filtersPush: true, filtersPull: true) == [false, false])
        #expect(try await run(filtersPush: true, filtersPull: false) == [false, true])
        #expect(try await run(filtersPush: false, filtersPull: false) == [true, true])
    }

    @Test("documents are pending until they are pushed")
    func pending() async throws {
        let pair = try SyncPair()
        try pair.client.save("a", "{}")
        let replicator = try pair.replicator()
        #expect(try await replicator.pendingDocumentIDs(in: pair.client.collection) == ["a"])
        try await replicator.run()
        #expect(try await replicator.pendingDocumentIDs(in: pair.client.collection) == [])
        try pair.client.save("b", "{}")
        #expect(try await replicator.isDocumentPending("b", in: pair.client.collection))
        #expect(try await !replicator.isDocumentPending("a", in: pair.client.collection))
        let pulling = try pair.replicator { $0.replicatorType = .pull }
        await #expect(throws: ReplicatorError(.invalidConfiguration, "")) {
            try await pulling.pendingDocumentIDs(in: pair.client.collection)
        }
        await #expect(throws: ReplicatorError(.invalidConfiguration, "")) {
            try await replicator.pendingDocumentIDs(in: pair.server.collection)
        }
    }

    @Test("several collections go, each to its like; one that the peer has not ends the replicator")
    func collections() async throws {
        let (client, server) = (try SyncDatabase(), try SyncDatabase())
        let names = [("notes", "work"), ("tasks", "_default")]
        let ours = try names.map { try client.database.createCollection(name: $0.0, scope: $0.1) }
        let theirs = try names.map { try server.database.createCollection(name: $0.0, scope: $0.1) }
        for collection in ours { try client.save("x", #"{"c":"\#(collection.name)"}"#, in: collection) }
        let service = try ReplicationService(ServiceConfiguration(collections: theirs))
        let target = try SyncPair.target()
        try await Replicator(
            ReplicatorConfiguration(collections: ours, target: target), dialing: LoopDialer(service).dial
        ).run()
        for collection in theirs {
            #expect(try server.text("x", "c", in: collection) == collection.name)
        }
        let wrong = try Replicator(
            ReplicatorConfiguration(collections: [client.collection], target: target), dialing: LoopDialer(service).dial
        )
        await #expect(throws: ReplicatorError(.collectionNotFound, "")) { try await wrong.run() }
    }

    @Test("a peer that only gives refuses what is pushed, and gives")
    func readOnly() async throws {
        let pair = try SyncPair(readOnly: true)
        try pair.server.save("theirs", "{}")
        try pair.client.save("mine", "{}")
        await #expect(throws: ReplicatorError(.http(403), "")) { try await pair.replicator().run() }
        try await pair.replicator { $0.replicatorType = .pull }.run()
        #expect(try pair.client.json("theirs") == "{}" && pair.server.json("mine") == nil)
    }

    @Test("configurations that can't work are refused")
    func configurations() throws {
        let pair = try SyncPair()
        let other = try SyncDatabase()
        for change in [
            { $0.collections = [] }, { $0.maxAttempts = -1 }, { $0.heartbeat = .zero },
            { $0.maxAttemptWaitTime = .zero }, { $0.collections.append($0.collections[0]) },
            { $0.collections.append(CollectionConfiguration(other.collection)) },
        ] as [(inout ReplicatorConfiguration) -> Void] {
            #expect(throws: ReplicatorError(.invalidConfiguration, "")) { _ = try pair.replicator(change) }
        }
    }

    @Test("a database isn't its own remote, whichever object has its file open")
    func ownRemote() throws {
        let own = try SyncDatabase()
        let again = try Database.open(own.path + "/test.db", key: .rawKey(SyncDatabase.key))
        for database in [own.database, again] {
            let configuration = ReplicatorConfiguration(
                collections: [own.collection], target: try DatabaseEndpoint(database))
            #expect(throws: ReplicatorError(.invalidConfiguration, "")) { _ = try Replicator(configuration) }
        }
        try again.close()
    }

    @Test("a second replicator of the same database and target is refused until the first has stopped")
    func lock() async throws {
        let pair = try SyncPair()
        let first = try pair.replicator { $0.continuous = true }
        first.start()
        await eventually { first.status.activity == .idle }
        await #expect(throws: ReplicatorError(.alreadyRunning, "")) { try await pair.replicator().run() }
        let elsewhere = try pair.replicator { $0.target = (try? SyncPair.target("other")) ?? $0.target }
        try await elsewhere.run()
        first.stop()
        await eventually { first.status.activity == .stopped }
        #expect(first.status.error == nil)
        try await pair.replicator().run()
        let left = try FileManager.default.contentsOfDirectory(atPath: pair.client.path)
        #expect(!left.contains { $0.contains("-sync-") })
    }

    @Test("only a lock that is held means that another replicator runs")
    func lockFailures() {
        #expect(TargetLock.failure(EWOULDBLOCK, "file", "target").code == .alreadyRunning)
        #expect(TargetLock.failure(ENOLCK, "file", "target").code == .storage)
    }
}
