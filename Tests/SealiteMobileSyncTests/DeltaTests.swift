import Foundation
import SealiteDatabase
import SealiteMongo
import SealiteTestSupport
import SealiteValues
import Testing

@testable import SealiteMobileSync
@testable import SealiteReplicator

@Suite("per-document sync with deltas")
struct MobileDeltaTests {
    private let server: MobileServer
    private let folder: TestFolder
    private let client: MobileClient
    private static let text = String(repeating: "the same words in every version, ", count: 100)

    init() async throws {
        (server, folder) = (try await MobileServer(), try TestFolder())
        client = try MobileClient(folder)
    }

    /// A replicator as per-document sync runs it, for one session.
    private func run() async throws -> ReplicatorStatus {
        let remote = try await server.remote()
        var own = CollectionConfiguration(client.collection.collection)
        own.selection = MobileSelection(client.documents, SyncSessions(client.documents), isLookup: false)
        var configuration = ReplicatorConfiguration(collections: [own], target: remote.target)
        remote.configure(&configuration)
        return try await Replicator(configuration).run()
    }

    private func member(_ document: MongoDocument?) -> MongoDocument? {
        if case .document(let version)? = document?[StitchVersion.member] { version } else { nil }
    }

    @Test("edits of synced documents travel as deltas both ways, and versions of Stitch go on as with whole documents")
    func bothWays() async throws {
        try await server.documents.insertOne([
            "_id": "a", "n": 0, "t": .string(Self.text), "__stitch_sync_version": ["spv": 1, "id": "x", "v": 4],
        ])
        try await server.documents.insertOne(["_id": "b", "n": 0, "t": .string(Self.text)])
        let target = try await server.remote().target.description
        try client.documents.setRemote(try client.database.remoteNumber(target))
        try await client.sync.syncMany(["a", "b"])
        let first = try await run()
        #expect(first.error == nil && first.progress.pulledCount == 2 && first.progress.deltaCount == 0)
        for round in 1...4 {
            let number = BSON.int32(Int32(round))
            if round.isMultiple(of: 2) {
                try await client.sync.updateMany([:], ["$set": ["n": number]])
            } else {
                try await server.documents.updateOne(
                    ["_id": "a"], ["$set": ["n": number, "__stitch_sync_version.v": .int32(Int32(10 * round))]])
                try await server.documents.updateOne(["_id": "b"], ["$set": ["n": number]])
            }
            let status = try await run()
            #expect(status.error == nil && status.progress.pushedCount + status.progress.pulledCount == 2)
            #expect(status.progress.deltaCount == 2 && status.progress.deltaFallbackCount == 0)
            let there = try await server.all()
            let here = try await client.all()
            for id in ["a", "b"] {
                let key = "\(BSON.string(id))"
                #expect(
                    here[key]?["n"] == number && there[key]?["n"] == number && there[key]?["t"] == .string(Self.text))
                #expect(here[key]?[StitchVersion.member] == nil)
            }
            let version = member(there["\(BSON.string("a"))"])?["v"]
            #expect(version == .int32(Int32(round.isMultiple(of: 2) ? 10 * (round - 1) + 1 : 10 * round)))
            #expect(member(there["\(BSON.string("b"))"]) == nil)
        }
        try await client.close()
        await server.stop()
    }
}
