@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import SealiteTransportTestSupport
import SealiteTransport
import Foundation
import SealiteDatabase
import Synchronization
import SealiteTestSupport
import Testing

@testable import SealiteReplicator
import SealiteRevisions

@Suite("the replicator against recorded Sync Gateways")
struct RecordedServerTests {
    /// All recordings of the active session's tests but those whose conflicts the recorded client left alone, which this
    /// replicator resolves and pushes.
    static let names =
        ScriptedServer.recordings.filter { !$0.hasSuffix("conflict_both") } + ScriptedServer.vectorRecordings
        + ScriptedServer.passiveRecordings

    /// The messages that the scripted server received, examined at the end.
    private struct Seen: Sendable {
        var unexpected: [String] = []
        var revisions: [RevisionRequest] = []
        var attachments: [String: [UInt8]] = [:]
        var proofs: [String] = []
    }

    /// Plays a recorded server at the other end of a pipe.
    private static func play(_ name: String, connection: Int, isLegacy: Bool, _ pipe: MessagePipe) async throws -> Seen
    {
        let server = try ScriptedServer(try Recording(name, connection: connection), isLegacy: isLegacy)
        func send() async throws {
            repeat {
                while let frame = try server.endpoint.nextFrame() { try? await pipe.send(frame) }
            } while try server.proceed()
        }
        do {
            for try await frame in pipe.messages {
                try server.receive(frame)
                try await send()
            }
        } catch is TransportError {
            // The client closed.
        }
        return Seen(
            unexpected: server.unexpected, revisions: server.revisions, attachments: server.attachments,
            proofs: server.proofs)
    }

    private static let remoteName = "ws://127.0.0.1:4984/db"

    /// Fills a sealed database with what the recorded client had.
    private func seed(_ test: SyncDatabase, _ collections: [Collection], _ recording: Recording) throws {
        let remote = try test.database.remoteNumber(Self.remoteName)
        let memory = try ScriptedRun.stores(recording)
        for (store, collection) in zip(memory, collections) {
            let sealed = SealedStore(test, collection, role: .passive)
            for (digest, content) in store.attachments { try sealed.store(content, as: digest) }
            for (id, document) in store.documents.sorted(by: { $0.value.sequence < $1.value.sequence }) {
                let ancestors = document.ancestors(of: document.current)
                if let known = document.remote {
                    let older = ancestors.firstIndex(of: known).map { Array(ancestors[($0 + 1)...]) } ?? []
                    let isCurrent = known == document.current
                    try test.seed(
                        id, known, history: isCurrent ? ancestors : older, remote: remote, in: collection)
                    if isCurrent { continue }
                }
                guard let revision = document.revisions[document.current] else { continue }
                try test.seed(
                    id, document.current, history: ancestors, isDeleted: revision.isDeleted, body: revision.body ?? [],
                    in: collection)
            }
        }
    }

    private func run(
        _ name: String, connection: Int = 1, isLegacy: Bool = false, isContinuous: Bool = false,
        _ test: SyncDatabase, until isDone: () throws -> Bool = { true }
    ) async throws -> (seen: Seen, events: [DocumentReplication]) {
        let recording = try Recording(name, connection: connection)
        let session = try recording.configuration()
        let collections = try test.collections(session.collections.map(\.path))
        if !isLegacy { try seed(test, collections, recording) }
        let seen = Mutex(Seen())
        let isPlayed = Atomic<Bool>(false)
        let dialer = LoopDialer { pipe in
            let result = try? await Self.play(name, connection: connection, isLegacy: isLegacy, pipe)
            seen.withLock { $0 = result ?? Seen(unexpected: ["the server failed"]) }
            isPlayed.store(true, ordering: .releasing)
        }
        var configuration = ReplicatorConfiguration(
            collections: collections, target: try EndpointURL(Self.remoteName))
        let isPush = session.collections.contains(where: \.isPush) && !isLegacy
        let isPull = session.collections.contains(where: \.isPull) || isLegacy
        configuration.replicatorType = isPush && isPull ? .pushAndPull : isPush ? .push : .pull
        configuration.continuous = isContinuous
        for (index, collection) in session.collections.enumerated() {
            configuration.collections[index].channels = collection.channels
            configuration.collections[index].documentIDs = collection.documentIDs
        }
        let replicator = try Replicator(configuration, dialing: dialer.dial)
        let notes = Notes<DocumentReplication>()
        let token = replicator.addDocumentReplicationListener { notes.add($0) }
        replicator.start()
        if isContinuous {
            try await eventually { try isDone() && replicator.status.activity == .idle }
            replicator.stop()
        }
        await eventually { replicator.status.activity == .stopped && isPlayed.load(ordering: .acquiring) }
        #expect(replicator.status.error == nil, "\(String(describing: replicator.status.error))")
        #expect(try test.findings.isEmpty)
        token.remove()
        return (seen.withLock { $0 }, notes.all)
    }

    @Test("the same documents go the same way as between the recorded peers", arguments: names)
    func sameAsRecorded(_ name: String) async throws {
        let recording = try Recording(name)
        let test = try SyncDatabase(versioning: name.contains("-vv/") ? .vectors : .trees)
        let (seen, _) = try await run(name, test)
        #expect(seen.unexpected == [])
        let recorded = try recording.revisions(fromActive: true).map(\.message)
        let title = { (revision: RevisionRequest) in
            "\(revision.collection ?? 0) \(revision.documentID) \(revision.version) "
                + revision.history.replacing(" ", with: "")
        }
        #expect(seen.revisions.map(title).sorted() == recorded.map(title).sorted())
        for revision in seen.revisions {
            let same = try #require(recorded.first { title($0) == title(revision) })
            #expect(revision.isDeleted == same.isDeleted && revision.isConflictRefused)
            #expect(Recording.isSameJSON(revision.body, same.body), "\(String(decoding: revision.body, as: UTF8.self))")
        }
        for (digest, content) in recording.attachments(fromActive: true) {
            #expect(seen.attachments[digest.description] == content)
        }
        #expect(!seen.proofs.contains("wrong"))
        let collections = try test.collections(recording.configuration().collections.map(\.path))
        for (revision, _) in try recording.revisions(fromActive: false) {
            let collection = collections[revision.collection ?? 0]
            let stored = try #require(try collection.currentRevision(id: revision.documentID))
            #expect(stored.revisionID == revision.version.text && stored.isDeleted == revision.isDeleted)
            let json = Array(try stored.toJSON().utf8)
            #expect(Recording.isSameJSON(json, MemoryAttachments.stripped(from: revision.body)), "\(stored.id)")
        }
        let attachments = SealedStore(test, collections[0], role: .passive)
        for (digest, content) in recording.attachments(fromActive: false) {
            #expect(try attachments.content(digest) == content)
        }
    }

    @Test("access that is lost purges documents of the database, and access that returns brings them back")
    func revocation() async throws {
        let test = try SyncDatabase()
        let expected = ["revk-10116-1", "revk-10116-3"]
        let (seen, events) = try await run(
            "sync-gateway-4.1.1/revocation", isLegacy: true, isContinuous: true, test
        ) { try test.revisions.keys.sorted() == expected }
        #expect(seen.unexpected == [])
        let lost = events.flatMap(\.documents).filter { $0.flags.contains(.accessRemoved) }
        #expect(Set(lost.map(\.id)).isSuperset(of: ["revk-10116-1"]))
        #expect(try test.revisions.keys.sorted() == expected)
    }
}
