import Foundation
import SealiteDatabase
import SealiteMongo
import SealiteTestSupport
import SealiteValues
import Testing

@testable import SealiteMobileSync

/// Two clients that edit the same documents by a listener, at random, and must end alike.
final class RandomRounds {
    private let server: MobileServer
    private let folder: TestFolder
    private var clients: [MobileClient] = []
    private var dice: SeededRandom
    private var isUp = true
    private var count = 0
    /// The last event of each client that was told, by its number: what a restart repeats.
    private var told: [[UInt64: String]] = [[:], [:]]
    /// The number of errors that each client was told, which have numbers of events as well.
    private var errorCounts = [0, 0]
    /// The last event of each document.
    private var last: [[String: ChangeEvent<MongoDocument>]] = [[:], [:]]
    private static let ids: [BSON] = [1, 2, 3, 4, "five", "six"]

    private struct Refusal: Error {}

    init(seed: UInt64) async throws {
        dice = SeededRandom(seed: seed)
        (server, folder) = (try await MobileServer(), try TestFolder())
        try server.keepHistory(of: Self.ids)
        for index in 0..<2 { clients.append(try await open(index)) }
    }

    private func open(_ index: Int) async throws -> MobileClient {
        let client = try MobileClient(folder, "client\(index)")
        await client.mobile.connect(to: try await server.remote())
        let (told, server) = (client.told, server)
        client.told.onEvent { [weak told] event in
            guard !event.hasUncommittedWrites, told != nil else { return }
            // A deletion is known by its revision, since the document may have been deleted before.
            let isDeleted = event.fullDocument == nil
            let tombstone = isDeleted ? try? await client.sentTombstone(of: event.documentID) : nil
            let hasHad = try? await server.hasHad(event.documentID, event.fullDocument, tombstone: tombstone)
            if hasHad != true { Issue.record("told as committed, and never at the remote: \(event)") }
        }
        try await client.configure { local, remote in
            // One conflict in eight fails, and pauses its document.
            if told.conflicts.count.isMultiple(of: 8) { throw Refusal() }
            guard let theirs = remote.fullDocument else { return local.fullDocument }
            return theirs
        }
        return client
    }

    func round() async throws {
        if Bool.random(using: &dice) {
            let pause = Duration.milliseconds(Int.random(in: 0...25, using: &dice))
            await letTimePass(pause, because: "a session is to be at a random place when the next change comes")
        }
        for _ in 0..<Int.random(in: 1...4, using: &dice) { try await act(Int.random(in: 0...1, using: &dice)) }
        switch Int.random(in: 0..<12, using: &dice) {
        case 0: try await turnServer()
        case 1:
            let client = clients[Int.random(in: 0...1, using: &dice)]
            await client.mobile.setOnline(!client.mobile.isOnline)
        case 2:
            let index = Int.random(in: 0...1, using: &dice)
            try await clients[index].close()
            noteEvents(index)
            clients[index] = try await open(index)
        case 3: try await kill(Int.random(in: 0...1, using: &dice))
        default: break
        }
        let found = try await clients[0].contradictions() + clients[1].contradictions()
        if !found.isEmpty { Issue.record("\(found)") }
    }

    /// Lets a process of its own write in the place of a client until it is killed, and goes on with what it has left.
    func kill(_ index: Int) async throws {
        try await clients[index].close()
        noteEvents(index)
        let seed = UInt64.random(in: 0...UInt64.max, using: &dice)
        let child = try ChildProcess(
            "\(ChildProcess.buildFolder)/SealiteMobileTestChild",
            ["\(folder.path)/client\(index).db", "\(try await server.remote().target)", "\(seed)"])
        var count = 0
        let limit = Int.random(in: 1...30, using: &dice)
        while let line = try child.line() {
            count += 1
            if count == limit { child.kill() }
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            guard words.count == 3, let number = UInt64(words[1]) else { continue }
            try await note(number, MongoDocument(extendedJSON: words[2]), index)
        }
        child.wait()
        clients[index] = try await open(index)
    }

    /// Notes an event of a process that was killed.
    private func note(_ number: UInt64, _ words: MongoDocument, _ index: Int) async throws {
        let (id, document): (BSON, MongoDocument?) = (words["id"] ?? .null, words["document"]?.asDocument)
        let isUncommitted = words["isUncommitted"] == BSON.bool(true)
        note(number, "\(id) \(words["operation"]?.asString ?? "") \(isUncommitted)", index)
        guard !isUncommitted else { return }
        if try await !server.hasHad(id, document) { Issue.record("told as committed by a child: \(words)") }
    }

    private func note(_ number: UInt64, _ text: String, _ index: Int) {
        if let earlier = told[index][number], earlier != text { Issue.record("event \(number) has changed") }
        told[index][number] = text
    }

    private func turnServer() async throws {
        if isUp { await server.stop() } else { try await server.start() }
        isUp.toggle()
    }

    private func act(_ index: Int) async throws {
        let sync = clients[index].sync
        let id = Self.ids[Int.random(in: 0..<Self.ids.count, using: &dice)]
        count += 1
        let value = BSON.int64(Int64(count))
        switch Int.random(in: 0..<10, using: &dice) {
        case 0, 1:
            do {
                try await sync.insertOne(["_id": id, "n": value, "by": .int32(Int32(index))])
            } catch let error as MongoError where error.code == 11000 {}
        case 2, 3, 4: try await sync.updateOne(["_id": id], ["$set": .document(["n": value])])
        case 5: try await sync.replaceOne(["_id": id], ["_id": id, "only": value])
        case 6: try await sync.deleteOne(["_id": id])
        case 7: try await sync.syncOne(id)
        case 8: try await sync.desyncOne(id)
        default: try await sync.resumeSync(forDocumentID: id)
        }
    }

    private func noteEvents(_ index: Int) {
        errorCounts[index] += clients[index].told.errors.count
        for event in clients[index].told.takeEvents() {
            last[index]["\(event.documentID)"] = event
            note(event.id, "\(event.documentID) \(event.operationType.rawValue) \(event.hasUncommittedWrites)", index)
        }
    }

    /// Ends all trouble, and compares.
    func end() async throws {
        if !isUp { try await turnServer() }
        for client in clients {
            await client.mobile.setOnline(true)
            try await client.sync.syncMany(Self.ids)
        }
        var differences = "nothing was compared"
        try await eventually("equal sides") {
            for client in clients {
                for id in try await client.sync.pausedIds { try await client.sync.resumeSync(forDocumentID: id) }
                // A deletion that was under way takes an id out of the set.
                if try await client.sync.syncedIds.count < Self.ids.count { try await client.sync.syncMany(Self.ids) }
            }
            differences = try await difference()
            return differences.isEmpty
        }
        #expect(differences == "")
        for (index, client) in clients.enumerated() {
            try await client.settle()
            noteEvents(index)
            for (id, document) in try await client.all() {
                let event = last[index][id]
                let isTold: Bool = event?.fullDocument == document && event?.hasUncommittedWrites == false
                if !isTold { Issue.record("client \(index) was told of \(id): \(String(describing: event))") }
            }
            let next = try client.documents.space()?.nextEvent ?? 1
            let missing = (1..<next).filter { told[index][$0] == nil }
            let isComplete: Bool = missing.count <= errorCounts[index]
            if !isComplete { Issue.record("client \(index) wasn't told of \(missing)") }
            try await client.close()
        }
        await server.stop()
    }

    private func difference() async throws -> String {
        let remote = try await server.all()
        for (index, client) in clients.enumerated() {
            let pending = try await client.sync.uncommittedIds
            if !pending.isEmpty { return "client \(index) has \(pending) to send" }
            let here = try await client.all()
            let isSame: Bool = here == remote
            if !isSame {
                let records = try client.documents.records()
                return "client \(index) has \(here), the server \(remote), records \(records)"
            }
        }
        return ""
    }
}

@Suite("random rounds of per-document sync")
struct RandomRoundTests {
    @Test("two clients and a listener end equal")
    func rounds() async throws {
        let environment = ProcessInfo.processInfo.environment
        let rounds = try await RandomRounds(seed: TestSeed.run)
        let count = environment["SEALITE_SOAK"] == "1" ? 500 : 20
        for number in 0..<count {
            try await rounds.round()
            if number == count / 2 { try await rounds.kill(0) }
        }
        try await rounds.end()
    }
}
