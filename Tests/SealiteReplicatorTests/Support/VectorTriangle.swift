@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport
@testable import SealiteDatabase
import SealiteRevisions
import SealiteTestSupport

@testable import SealiteReplicator

/// Three databases of version vectors that sync continuously, step by step without time or sockets, over connections
/// that break. Conflicts are resolved at random.
final class VectorTriangle {
    /// Who connects to whom.
    enum Shape: String, CaseIterable {
        /// Two clients of one server.
        case star
        /// A client of a client.
        case chain
        /// Each with each.
        case ring

        var edges: [(client: Int, server: Int)] {
            switch self {
            case .star: [(1, 0), (2, 0)]
            case .chain: [(1, 0), (2, 1)]
            case .ring: [(1, 0), (2, 1), (2, 0)]
            }
        }
    }

    let shape: Shape
    let databases: [SyncDatabase]
    private(set) var random: SeededRandom
    private(set) var conflictCount = 0
    private(set) var cutCount = 0
    private(set) var errors: [String] = []
    /// The steps that changed a document's state, in words.
    private(set) var trace: [String] = []
    private let isTracing: Bool
    private var sentCounts: [String: Int] = [:]
    private var links: [Link?]
    private var remotes: [Int] = []
    private var sequences: [UInt64] = [0, 0, 0]
    private var states: [[String: String]] = [[:], [:], [:]]

    private struct Link {
        let active: SessionNode<ActiveSession>
        let passive: SessionNode<PassiveSession>
        let stores: [SealedStore]
    }

    init(_ shape: Shape, seed: UInt64, isTracing: Bool = false) throws {
        self.shape = shape
        links = shape.edges.map { _ in nil }
        random = SeededRandom(seed: seed)
        self.isTracing = isTracing
        databases = try (0..<3).map { _ in try SyncDatabase(versioning: .vectors) }
        remotes = try shape.edges.map { try databases[$0.client].database.remoteNumber("ws://\($0.server)/db") }
    }

    private let ids = (0..<3).map { "doc-\($0)" }

    private func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    /// Changes, deletes or makes a document somewhere.
    func edit() throws {
        let index = Int.random(in: 0..<3, using: &random)
        let id = "doc-\(Int.random(in: 0..<3, using: &random))"
        if chance(4) {
            try databases[index].delete(id)
        } else {
            try databases[index].save(id, #"{"n":\#(random.next() % 1_000)}"#)
        }
        try note("edit of \(index)")
    }

    func connect(_ index: Int) throws {
        disconnect(index)
        var configuration = SessionConfiguration.one(checkpointID: "cp-\(index)", isContinuous: true)
        configuration.hasVectors = true
        let (client, server) = (databases[shape.edges[index].client], databases[shape.edges[index].server])
        let stores = [
            SealedStore(client, client.collection, role: .active(remote: remotes[index])),
            SealedStore(server, server.collection, role: .passive),
        ]
        let link = Link(
            active: try SessionNode(ActiveSession(configuration), [stores[0]]),
            passive: try SessionNode(
                PassiveSession(.init(collections: ["_default"], hasVectors: true)), [stores[1]]), stores: stores)
        link.active.start()
        links[index] = link
        try note("connect \(index)")
    }

    func disconnect(_ index: Int) {
        guard let link = links[index] else { return }
        link.active.disconnect()
        link.passive.disconnect()
        links[index] = nil
        cutCount += 1
    }

    /// Does one thing on a connection; false if there is nothing to do.
    func step(_ index: Int, mayWake: Bool) throws -> Bool {
        guard let link = links[index] else { return false }
        let (client, server) = shape.edges[index]
        if let error = link.active.closed?.error { errors.append("\(error)") }
        let first = Int.random(in: 0..<4, using: &random)
        link.active.writesLate = Bool.random(using: &random)
        link.passive.writesLate = Bool.random(using: &random)
        for turn in 0..<4 {
            switch (turn + first) % 4 {
            case 0:
                if let frame = try link.active.endpoint.nextFrame() {
                    try link.passive.receive(frame)
                    try note("frame \(client)>\(server)")
                    return true
                }
            case 1:
                if link.active.work() || link.active.write() {
                    try note("work \(client) for \(server)")
                    return true
                }
            case 2:
                if let frame = try link.passive.endpoint.nextFrame() {
                    try link.active.receive(frame)
                    try note("frame \(server)>\(client)")
                    return true
                }
            default:
                if link.passive.work() || link.passive.write() {
                    try note("work \(server) for \(client)")
                    return true
                }
            }
        }
        return mayWake && (link.active.wake() || link.passive.wake())
    }

    /// Resolves the conflicts of a database.
    func resolve(_ index: Int) throws {
        let client = databases[index]
        for id in try client.collection.conflictedDocumentIDs() {
            guard let sides = try client.collection.conflict(id: id) else { continue }
            conflictCount += 1
            let merged = MutableDocument(id: id).setInt(Int.random(in: 0..<1_000, using: &random), forKey: "m")
            let resolutions: [Resolution] = [.local, .remote, .merged(merged), .deleted]
            let chosen = resolutions[Int.random(in: 0..<4, using: &random)]
            let isDeleted = sides.local.isDeleted && sides.remote.isDeleted
            try client.collection.resolveConflict(
                id: id, revision: sides.remote.currentRevisionID, expecting: sides.local.currentRevisionID,
                resolution: isDeleted ? .remote : chosen)
            try note("resolve \(index) \(isDeleted ? "two tombstones" : "\(chosen)".prefix(8).description)")
        }
    }

    /// Does one thing somewhere.
    func act() throws {
        let index = Int.random(in: links.indices, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<5: try edit()
        case 5: disconnect(index)
        case 6: if links[index] == nil { try connect(index) }
        case 7, 8: try resolve(Int.random(in: 0..<3, using: &random))
        default: _ = try step(index, mayWake: chance(10))
        }
    }

    /// Runs until nothing happens any more on any connection.
    ///
    /// - Returns: false if that doesn't end.
    func settle() throws -> Bool {
        for index in links.indices where links[index] == nil { try connect(index) }
        for _ in 0..<20_000 {
            let moved = try links.indices.filter { try step($0, mayWake: false) }
            if !moved.isEmpty { continue }
            let hasConflicts = try databases.contains { try !$0.collection.conflictedDocumentIDs().isEmpty }
            if hasConflicts {
                for index in databases.indices { try resolve(index) }
            } else {
                let woke = try links.indices.filter { try step($0, mayWake: true) }
                if woke.isEmpty { return true }
            }
        }
        return false
    }

    // MARK: - Watching

    /// Tells the sessions of changed databases, and records what changed.
    private func note(_ cause: @autoclosure () -> String) throws {
        for (index, database) in databases.enumerated() {
            let last = try database.collection.lastSequence
            if last != sequences[index] {
                sequences[index] = last
                for (number, link) in links.enumerated() {
                    if index == shape.edges[number].client { link?.stores[0].changed() }
                    if index == shape.edges[number].server { link?.stores[1].changed() }
                }
            }
        }
        guard isTracing else { return }
        for (index, database) in databases.enumerated() {
            for id in ids {
                let state = try describe(database, id)
                guard states[index][id] != state else { continue }
                states[index][id] = state
                trace.append("\(id) of \(index) after \(cause()): \(state)")
            }
        }
        for index in links.indices {
            guard let link = links[index] else { continue }
            let (client, server) = shape.edges[index]
            for (way, sent) in [("\(client)>\(server)", link.active.sent), ("\(server)>\(client)", link.passive.sent)] {
                let key = "\(way) \(ObjectIdentifier(link.active))"
                for message in sent.dropFirst(sentCounts[key] ?? 0) {
                    let words = ["Profile", "id", "rev", "history"].compactMap { message.properties[$0] }
                    let body = String(decoding: message.body.prefix(200), as: UTF8.self)
                    trace.append("   \(way) sends \(words.joined(separator: " ")) \(body)")
                }
                sentCounts[key] = sent.count
            }
        }
    }

    private func describe(_ database: SyncDatabase, _ id: String) throws -> String {
        guard let record = try database.database.reading({ try database.collection.treeRecord(id, $0) }) else {
            return "none"
        }
        let tree = record.tree
        return tree.nodes.indices.map { index in
            let node = tree.nodes[index]
            let names = tree.remotes.filter { $0.value == index }.keys.sorted().map { "R\($0) " }.joined()
            return names + tree.history(at: index).text + (node.flags.contains(.deleted) ? " deleted" : "")
                + (node.flags.contains(.conflict) ? " CONFLICT" : "") + (node.flags.contains(.closed) ? " closed" : "")
        }.joined(separator: " / ")
    }

    /// What differs between the databases, and what a client takes for the server's version and isn't.
    var differences: [String] {
        get throws {
            try ids.compactMap { id in
                let sides = try databases.map { database in
                    try (database.revisions[id] ?? "none") + " " + (database.json(id) ?? "-")
                }
                if Set(sides).count > 1 { return "\(id): \(sides.joined(separator: " | "))" }
                for (number, edge) in shape.edges.enumerated() {
                    let known = try databases[edge.client].collection.remoteRevision(id: id, remote: remotes[number])
                    let current = try databases[edge.server].collection.currentRevision(id: id)?.currentRevisionID
                    if known != current {
                        return "\(id): \(edge) \(known.map { "\($0)" } ?? "none") is recorded for \(sides[0])"
                    }
                }
                return nil
            }
        }
    }
}
