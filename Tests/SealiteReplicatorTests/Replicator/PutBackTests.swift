@testable import SealiteProtocol
import Foundation
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteTestSupport
import Synchronization
import Testing

@testable import SealiteReplicator

@Suite("a database whose file is replaced in place by an older copy of itself")
struct PutBackTests {
    /// Keeps the texts of both sides, in the order of the alphabet.
    private struct UnionResolver: ConflictResolver {
        let count = Notes<String>()

        func resolve(_ conflict: Conflict) async throws -> Resolution {
            count.add(conflict.documentID)
            let all = [conflict.localDocument, conflict.remoteDocument].compactMap { $0 }.flatMap(PutBackTests.log)
            return .merged(try PutBackTests.document(conflict.documentID, Set(all).sorted()))
        }
    }

    /// A client in a file that is copied and put back while it is closed, and a listener.
    private final class Place {
        let folder = NSTemporaryDirectory() + "sealite-put-back-" + UUID().uuidString
        let server: SyncDatabase
        private(set) var client: Database
        let resolver = UnionResolver()

        var file: String { folder + "/notes.db" }

        init(_ server: SyncDatabase) throws {
            self.server = server
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            var configuration = DatabaseConfiguration()
            configuration.versioning = .vectors
            client = try Database.create(
                folder + "/notes.db", slot: .rawKey(SyncDatabase.key), configuration: configuration)
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        /// Closes the database, so that the file has everything, and no log is left.
        private func close() throws {
            for _ in 0..<100 {
                try client.close()
                let log = try? FileManager.default.attributesOfItem(atPath: file + "-wal")[.size] as? Int
                if log ?? 0 == 0 { return }
                // A connection of a session that has just ended was still open.
                client = try Database.open(file, key: .rawKey(SyncDatabase.key))
            }
            Issue.record("the log stays")
        }

        /// Copies the file under another name.
        func copy(to name: String) throws {
            try close()
            try Data(contentsOf: URL(fileURLWithPath: file)).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            client = try Database.open(file, key: .rawKey(SyncDatabase.key))
        }

        /// Does what `cp NAME notes.db` does: the file stays the same one, with other content.
        func putBack(_ name: String) throws {
            try close()
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + suffix) }
            let handle = try #require(FileHandle(forWritingAtPath: file))
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")))
            try handle.close()
            client = try Database.open(file, key: .rawKey(SyncDatabase.key))
        }

        func add(_ text: String, to id: String) throws {
            try PutBackTests.add(text, to: id, client.defaultCollection())
        }

        @discardableResult
        func sync(
            _ change: (inout ReplicatorConfiguration) -> Void = { _ in }, dialing dialer: LoopDialer? = nil
        ) async throws -> ReplicatorStatus {
            var own = CollectionConfiguration(try client.defaultCollection())
            own.conflictResolver = resolver
            var configuration = ReplicatorConfiguration(collections: [own], target: try SyncPair.target())
            configuration.logger = .silent
            configuration.maxAttemptWaitTime = .milliseconds(1)
            configuration.maximumAttemptCount = 2
            change(&configuration)
            let service = try ReplicationService(ServiceConfiguration(collections: [server.collection]))
            let replicator = try Replicator(configuration, dialing: (dialer ?? LoopDialer(service)).dial)
            try await replicator.run()
            return replicator.status
        }

        func log(_ id: String) throws -> [String] {
            try client.defaultCollection().document(id: id).map(PutBackTests.log) ?? []
        }

        var source: String? { get throws { try client.versionSource() } }
    }

    private static func log(_ document: Document) -> [String] {
        document.value(forKey: "log")?.array?.compactMap { $0.string } ?? []
    }

    private static func document(_ id: String, _ log: [String]) throws -> MutableDocument {
        try MutableDocument(id: id, json: "{\"log\":[\(log.map { "\"\($0)\"" }.joined(separator: ","))]}")
    }

    /// Adds a text to those that a document has.
    private static func add(_ text: String, to id: String, _ collection: Collection) throws {
        let old = try collection.document(id: id)
        let log = old.map(Self.log) ?? []
        guard let document = old?.toMutable() else {
            try collection.save(document: Self.document(id, [text]))
            return
        }
        if let value = try Self.document(id, log + [text]).value(forKey: "log") {
            document.setValue(value, forKey: "log")
        }
        try collection.save(document: document)
    }

    private func serverLog(_ place: Place, _ id: String) throws -> [String] {
        try place.server.collection.document(id: id).map(Self.log) ?? []
    }

    @Test("an edit afterwards is a conflict with what the file has lost, and doesn't replace it")
    func editAfterwards() async throws {
        let place = try Place(SyncDatabase(versioning: .vectors))
        for id in ["edited", "same"] { try place.add("first", to: id) }
        try await place.sync()
        try place.copy(to: "old")
        for id in ["edited", "same", "made"] { try place.add("lost", to: id) }
        try await place.sync()
        let source = try place.source
        try place.putBack("old")
        for id in ["edited", "made", "unknown"] { try place.add("later", to: id) }
        #expect(try place.source == source)
        #expect(try await place.sync().hasReplacedFile)
        #expect(try place.source != source)
        #expect(try await !place.sync().hasReplacedFile)
        #expect(try serverLog(place, "edited") == ["first", "later", "lost"])
        #expect(try serverLog(place, "made") == ["later", "lost"])
        #expect(try serverLog(place, "unknown") == ["later"] && place.log("same") == ["first", "lost"])
        #expect(place.resolver.count.all.sorted() == ["edited", "made"])
        for id in ["edited", "made", "unknown", "same"] { #expect(try place.log(id) == serverLog(place, id)) }
        #expect(try await place.client.integrityFindings().isEmpty)
    }

    @Test(
        "without edits a database put back in place gets back what it has lost, without a conflict, and keeps its new source"
    )
    func noEdits() async throws {
        let place = try Place(SyncDatabase(versioning: .vectors))
        try place.copy(to: "empty")
        try place.add("first", to: "a")
        try await place.sync()
        let source = try place.source
        // From before the first sync.
        try place.putBack("empty")
        try await place.sync()
        let new = try place.source
        #expect(new != source)
        for _ in 0..<3 {
            try place.add("more", to: "a")
            try await place.sync()
        }
        #expect(try place.source == new)
        #expect(try serverLog(place, "a") == ["first", "more", "more", "more"])
        #expect(place.resolver.count.all.isEmpty)
    }

    @Test("what the copy hadn't sent yet is sent, and meets what the file sent after the copy as a conflict")
    func unsent() async throws {
        let place = try Place(SyncDatabase(versioning: .vectors))
        try place.add("first", to: "a")
        try await place.sync()
        for id in ["a", "b", "c"] { try place.add("unsent", to: id) }
        try place.copy(to: "old")
        try place.add("lost", to: "b")
        try await place.sync { $0.collections[0].documentIDs = ["b"] }
        try place.add("lost", to: "d")
        // Only this checkpoint shows what happened.
        try await place.sync { $0.collections[0].documentIDs = ["d"] }
        try place.putBack("old")
        try await place.sync { $0.collections[0].documentIDs = ["d"] }
        try await place.sync()
        #expect(try serverLog(place, "a") == ["first", "unsent"] && serverLog(place, "c") == ["unsent"])
        #expect(try serverLog(place, "b") == ["lost", "unsent"] && serverLog(place, "d") == ["lost"])
        #expect(place.resolver.count.all == ["b"])
    }

    @Test("a backup that was restored has its own source already, and is left as it is")
    func restored() async throws {
        let place = try Place(SyncDatabase(versioning: .vectors))
        try place.add("first", to: "a")
        try await place.sync()
        try place.copy(to: "old")
        try place.add("lost", to: "a")
        try await place.sync()
        try place.putBack("old")
        // What a restore does.
        let source = try place.client.startNewSource(replacing: try #require(try place.source), unknownTo: 0)
        try place.add("later", to: "a")
        try await place.sync()
        #expect(try place.source == source && serverLog(place, "a") == ["first", "later", "lost"])
    }

    @Test("an interrupted session isn't taken for an older file", arguments: [true, false])
    func interrupted(isPush: Bool) async throws {
        let place = try Place(SyncDatabase(versioning: .vectors))
        let source = try place.source
        let service = try ReplicationService(ServiceConfiguration(collections: [place.server.collection]))
        for round in 0..<8 {
            try place.add("\(round)", to: "a")
            if !isPush { try place.server.save("s\(round)", "{}") }
            let dialer = LoopDialer(service)
            let cut = Task {
                for _ in 0..<(round * 5) { await Task.yield() }
                dialer.cut()
            }
            _ = try? await place.sync(dialing: dialer)
            await cut.value
        }
        try await place.sync()
        #expect(try place.source == source && place.resolver.count.all.isEmpty)
        #expect(try serverLog(place, "a").count == 8)
    }

    @Test("nothing that the remote has had is lost, whatever is edited, synced, copied and put back")
    func random() async throws {
        var random = SeededRandom()
        let ids = ["doc-0", "doc-1"]
        var putBackCount = 0
        for round in 0..<(Effort.current == .soak ? 300 : 8) {
            let server = try SyncDatabase(versioning: .vectors)
            let places = [try Place(server), try Place(server)]
            var seen: Set<String> = []
            for step in 0..<60 {
                // What one side edits several times in succession is what an older copy of it can replace.
                let place = places[Int.random(in: 0..<5, using: &random) == 0 ? 1 : 0]
                let id = ids[Int.random(in: 0..<4, using: &random) == 0 ? 1 : 0]
                switch Int.random(in: 0..<12, using: &random) {
                case 0: try place.copy(to: "copy")
                case 1, 2:
                    guard FileManager.default.fileExists(atPath: "\(place.folder)/copy") else { continue }
                    try place.putBack("copy")
                    putBackCount += 1
                case 3..<7: try await place.sync()
                default: try place.add("\(step) \(place === places[0] ? "a" : "b")", to: id)
                }
                for id in ids { seen.formUnion(try serverLog(place, id).map { "\(id) \($0)" }) }
            }
            for _ in 0..<2 { for place in places { try await place.sync() } }
            var left: Set<String> = []
            for id in ids {
                let log = try serverLog(places[0], id)
                left.formUnion(log.map { "\(id) \($0)" })
                for place in places { #expect(try place.log(id) == log, "round \(round), seed \(TestSeed.run)") }
            }
            #expect(seen.subtracting(left).isEmpty, "round \(round), seed \(TestSeed.run)")
        }
        #expect(putBackCount > 0)
    }
}
