import SealiteRevisions
import SealiteTestSupport
import Testing

@testable import SealiteDatabase

/// A document that a database and a Couchbase Lite Core change in turn, and sync after each turn, so that no change
/// conflicts with another.
private final class TurnsOfTwo {
    private let test: TestDatabase
    private let collection: SealiteDatabase.Collection
    private let view: ReplicatedCollection
    private(set) var peer: LiteCoreDocument
    private var lastValue = 0
    private var isPeersTurn = false
    private let peerSource = SourceID(bytes: [UInt8](repeating: 0x0B, count: 16))

    init(_ test: TestDatabase, isListener: Bool, _ peer: LiteCoreDocument = LiteCoreDocument()) throws {
        self.test = test
        collection = try test.collection
        self.peer = peer
        view = ReplicatedCollection(
            collection: collection, remote: isListener ? nil : try test.database.remoteNumber("ws://peer/db"))
    }

    /// The same two after both were upgraded.
    func upgraded(isListener: Bool) throws -> TurnsOfTwo {
        if test.database.versioning == .trees { try test.database.upgradeToVersionVectors() }
        let turns = try TurnsOfTwo(try test.reopened(), isListener: isListener, peer)
        (turns.lastValue, turns.isPeersTurn) = (lastValue, isPeersTurn)
        return turns
    }

    var value: Int? { get throws { try collection.document(id: "a")?.int(forKey: "v") } }

    func edit() throws {
        (lastValue, isPeersTurn) = (lastValue + 1, false)
        let document = try collection.document(id: "a")?.toMutable() ?? MutableDocument(id: "a")
        try collection.save(document: document.setInt(lastValue, forKey: "v"))
    }

    func editPeer(isTree: Bool = false) throws {
        (lastValue, isPeersTurn) = (lastValue + 1, true)
        if isTree { return try peer.editTree(lastValue, to: lastValue) }
        let source = try #require(peerSource)
        let time = try #require(HybridTime(rawValue: 0x1700_0000_0000_0000 + UInt64(lastValue)))
        peer.edit(SourceVersion(time: time, source: source), to: lastValue)
    }

    /// Sends the peer's state here, if the last change was the peer's.
    func pull() throws {
        guard isPeersTurn, try value != peer.value else { return }
        let history = peer.history.split(separator: ",").map { Version(String($0.drop { $0 == " " })) }
        let incoming = IncomingRevision(
            documentID: "a", version: Version(peer.version), history: history, isConflictRefused: view.remote == nil,
            body: Array("{\"v\":\(peer.value)}".utf8))
        let outcome = try view.insert([TreeRevision(incoming)]).first?.get()
        #expect(outcome == .inserted, "\(peer.version) \(peer.history)")
    }

    /// Sends the document to the peer, which must take it.
    func push() throws {
        guard !isPeersTurn, let change = try view.change(id: "a"), change.version.text != peer.version else { return }
        let known = view.remote == nil ? peer.isEmpty ? nil : Version(peer.version) : change.remoteVersion
        let query = RevisionQuery(
            documentID: "a", version: change.version, knownAncestors: known.map { [$0] } ?? [], maxHistory: 50)
        guard case .found(let sent) = try view.revision(query) else {
            Issue.record("there is nothing to send")
            return
        }
        let history = sent.history.map(\.text).joined(separator: ",")
        let before = peer
        let outcome = try peer.receive(sent.version.text, history, value: try #require(try value))
        #expect(outcome == .stored, "\(sent.version) \(history), over \(before)")
        _ = try view.markSynced([SyncedRevision(documentID: "a", version: change.version, isFirst: known == nil)])
    }
}

@Suite("histories of upgraded documents at a Couchbase Lite")
struct UpgradedHistoryTests {
    /// How the document began, and which side changed it last before both were upgraded.
    enum Beginning: CaseIterable {
        case madeHere, madeThere, synced, changedHere, changedThere, vectorsHere
    }

    @Test("changes in turn conflict nowhere, whatever was synced before the upgrade", arguments: Beginning.allCases)
    func turns(_ beginning: Beginning) throws {
        for seed in TestSeed.seeds(Effort.current == .soak ? 300 : 6) {
            var random = SeededRandom(seed: seed)
            try take(20, try begin(beginning, isListener: false, &random), &random, "\(beginning), seed \(seed)")
        }
    }

    /// A listener knows nothing of its peers: the histories that it sends end with the document's newest tree id.
    @Test("a listener's changes conflict with none of a peer whose tree was the same", arguments: [true, false])
    func listener(isMadeHere: Bool) throws {
        for seed in TestSeed.seeds(3) {
            var random = SeededRandom(seed: seed)
            let beginning: Beginning = isMadeHere ? .synced : .vectorsHere
            try take(20, try begin(beginning, isListener: true, &random), &random, "\(beginning), seed \(seed)")
        }
    }

    private func begin(
        _ beginning: Beginning, isListener: Bool, _ random: inout SeededRandom
    ) throws -> TurnsOfTwo {
        var configuration = DatabaseConfiguration()
        if beginning == .vectorsHere { configuration.versioning = .vectors }
        let turns = try TurnsOfTwo(try TestDatabase(configuration), isListener: isListener)
        func times(_ step: () throws -> Void) throws { for _ in 0...random.below(3) { try step() } }
        switch beginning {
        case .madeHere: try times { try turns.edit() }
        case .madeThere, .vectorsHere: try times { try turns.editPeer(isTree: true) }
        case .synced, .changedHere, .changedThere:
            try times {
                try turns.edit()
                try turns.push()
                try turns.editPeer(isTree: true)
                try turns.pull()
            }
        }
        switch beginning {
        // More than a history keeps.
        case .changedHere: for _ in 0..<(random.below(2) == 0 ? 2 : 30) { try turns.edit() }
        case .changedThere: try times { try turns.editPeer(isTree: true) }
        default: break
        }
        let upgraded = try turns.upgraded(isListener: isListener)
        if random.below(2) == 0 {
            switch beginning {
            case .madeHere, .changedHere: try times { try upgraded.edit() }
            case .madeThere, .changedThere, .vectorsHere: try times { try upgraded.editPeer() }
            case .synced: break
            }
        }
        return upgraded
    }

    private func take(_ count: Int, _ turns: TurnsOfTwo, _ random: inout SeededRandom, _ words: String) throws {
        try turns.pull()
        try turns.push()
        for turn in 0..<count {
            if random.below(2) == 0 {
                for _ in 0...random.below(2) { try turns.edit() }
                try turns.push()
            } else {
                for _ in 0...random.below(2) { try turns.editPeer() }
                try turns.pull()
            }
            guard try turns.value == turns.peer.value else {
                Issue.record("\(words), turn \(turn): \(String(describing: try turns.value)), \(turns.peer)")
                return
            }
        }
    }
}

/// The revision tree that a Sync Gateway 4.1.1 keeps of a document with versions, as it builds it by its source
/// (`PutExistingCurrentVersion`, in words of our own): a version becomes a child of the current revision, but its
/// generation is one more than that of the history's newest tree id, if there is one. A tree whose generations aren't
/// consecutive is damaged: the gateway can't send the document to clients with trees any more.
private struct SyncGatewayTree {
    private(set) var generations: [UInt32]
    private(set) var hasVersion = false

    mutating func receive(_ history: [Version]) {
        let ids = history.flatMap { $0.text.split(separator: ",") }.compactMap { part in
            RevisionID(ofTree: String(part.drop { $0 == " " }))
        }
        if !hasVersion, let newest = ids.first?.generation { generations = Array(1...newest) }
        generations.append((ids.first?.generation ?? generations.last ?? 0) + 1)
        hasVersion = true
    }

    var isSound: Bool { generations == Array(1...UInt32(generations.count)) }
}

@Suite("histories of upgraded documents at a Sync Gateway")
struct UpgradedGatewayHistoryTests {
    private func history(
        _ view: ReplicatedCollection, _ change: LocalChange, known: Version?, isGateway: Bool = true
    ) throws -> [Version] {
        let query = RevisionQuery(
            documentID: "a", version: change.version, knownAncestors: known.map { [$0] } ?? [], maxHistory: 50,
            omitsOldTreeIDs: isGateway)
        guard case .found(let sent) = try view.revision(query) else {
            Issue.record("there is nothing to send")
            return []
        }
        return sent.history
    }

    @Test(
        "a gateway that has a version gets no tree ids, so that its tree stays whole",
        arguments: [false, true])
    func wholeTree(isPushedBefore: Bool) throws {
        let test = try TestDatabase()
        func edit(_ value: Int, _ test: TestDatabase) throws {
            let document = try test.collection.document(id: "a")?.toMutable() ?? MutableDocument(id: "a")
            try test.collection.save(document: document.setInt(value, forKey: "v"))
        }
        func view(_ test: TestDatabase) throws -> ReplicatedCollection {
            ReplicatedCollection(
                collection: try test.collection, remote: try test.database.remoteNumber("ws://gateway/db"))
        }
        var gateway = SyncGatewayTree(generations: [])
        for value in 1...3 { try edit(value, test) }
        if isPushedBefore {
            let change = try #require(try view(test).change(id: "a"))
            _ = try view(test).markSynced([SyncedRevision(documentID: "a", version: change.version, isFirst: true)])
            gateway = SyncGatewayTree(generations: [1, 2, 3])
        }
        try test.database.upgradeToVersionVectors()
        let upgraded = try test.reopened()
        for value in 4...8 {
            try edit(value, upgraded)
            let gatewayView = try view(upgraded)
            let change = try #require(try gatewayView.change(id: "a"))
            let sent = try history(gatewayView, change, known: change.remoteVersion)
            gateway.receive(sent)
            #expect(gateway.isSound, "\(gateway.generations) after \(sent)")
            // A Couchbase Lite would get one.
            let toLite = try history(gatewayView, change, known: change.remoteVersion, isGateway: false)
            #expect(toLite.contains { $0.text.contains("3-") } == (isPushedBefore || value == 4), "\(toLite)")
            _ = try gatewayView.markSynced([
                SyncedRevision(documentID: "a", version: change.version, isFirst: change.remoteVersion == nil)
            ])
        }
        // After a reset no version is named; the gateway is known to have had one.
        try edit(9, upgraded)
        let change = try #require(try view(upgraded).change(id: "a"))
        gateway.receive(try history(try view(upgraded), change, known: nil))
        #expect(gateway.isSound, "\(gateway.generations)")
    }

    /// What was changed here between the last sync with trees and the first one with vectors.
    enum Unsent: CaseIterable { case tree, version, both }

    @Test(
        "the version that a gateway gave a document's tree revision conflicts with no change made since",
        arguments: Unsent.allCases, [true, false])
    func ownTreeID(_ unsent: Unsent, isGateway: Bool) throws {
        let test = try TestDatabase()
        func edit(_ value: Int, _ test: TestDatabase) throws {
            let document = try test.collection.document(id: "a")?.toMutable() ?? MutableDocument(id: "a")
            try test.collection.save(document: document.setInt(value, forKey: "v"))
        }
        func view(_ test: TestDatabase) throws -> ReplicatedCollection {
            ReplicatedCollection(
                collection: try test.collection, remote: try test.database.remoteNumber("ws://gateway/db"))
        }
        try edit(1, test)
        let first = try #require(try view(test).change(id: "a")).version
        _ = try view(test).markSynced([SyncedRevision(documentID: "a", version: first, isFirst: true)])
        if unsent != .version { try edit(2, test) }
        try test.database.upgradeToVersionVectors()
        let upgraded = try test.reopened()
        if unsent != .tree { try edit(3, upgraded) }
        let here = try #require(try view(upgraded).change(id: "a"))

        let given = Version("1700000000000000@MeZtQCPrsHsaoIH8+c1n3Q")
        var incoming = IncomingRevision(
            documentID: "a", version: given, history: [first], body: Array("{\"v\":1}".utf8))
        incoming.namesOwnTreeID = isGateway
        let outcome = try view(upgraded).insert([TreeRevision(incoming)]).first?.get()
        #expect(outcome == (isGateway ? .known : .conflict))
        let change = try #require(try view(upgraded).change(id: "a"))
        #expect(change.version == here.version && change.hasConflict == !isGateway)
        guard isGateway else { return }
        // What is pushed then replaces the version, or is the next revision of the tree.
        #expect(change.remoteVersion == (unsent == .tree ? first : given))
        let sent = try history(try view(upgraded), change, known: change.remoteVersion).map(\.text)
        #expect(sent == [unsent == .tree ? first.text : given.text])
    }
}
