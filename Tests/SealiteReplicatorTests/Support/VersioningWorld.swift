@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport
import SealiteDatabase
import SealiteRevisions
import SealiteTestSupport

@testable import SealiteReplicator

/// The way in which a database of a test came to its versioning.
enum VersioningKind: String, CaseIterable {
    case trees, vectors
    /// Vectors, with documents from before the upgrade.
    case upgraded

    var versioning: DocumentVersioning { self == .trees ? .trees : .vectors }
}

/// Two databases, the versionings and directions in which they sync, and the way in which that goes.
struct VersioningCase: CustomStringConvertible {
    let client, server: VersioningKind
    let isPush, isPull, isCompressed: Bool

    /// All that can work.
    static let all: [VersioningCase] = VersioningKind.allCases.flatMap { client in
        VersioningKind.allCases.filter { $0.versioning == client.versioning }.flatMap { server in
            [(true, false), (false, true), (true, true)].flatMap { direction in
                [false, true].map {
                    VersioningCase(
                        client: client, server: server, isPush: direction.0, isPull: direction.1, isCompressed: $0)
                }
            }
        }
    }

    var description: String {
        "\(client) with \(server),\(isPush ? " push" : "")\(isPull ? " pull" : "")\(isCompressed ? ", compressed" : "")"
    }
}

/// A client and a server, which sync step by step without time or sockets, over connections that break.
final class VersioningWorld {
    private let kind: VersioningCase
    private(set) var client, server: SyncDatabase
    private(set) var random: SeededRandom
    private(set) var conflictCount = 0
    private(set) var cutCount = 0
    private(set) var errors: [String] = []

    init(_ kind: VersioningCase, seed: UInt64) throws {
        self.kind = kind
        random = SeededRandom(seed: seed)
        let kinds = [kind.client, kind.server]
        let databases = try kinds.map { try SyncDatabase(versioning: $0 == .vectors ? .vectors : .trees) }
        (client, server) = (databases[0], databases[1])
        guard kinds.contains(.upgraded) else { return }
        for (kind, database) in zip(kinds, databases) where kind == .upgraded {
            for _ in 0..<12 { try edit(database) }
        }
        if kinds[0] == kinds[1] {
            // Some of it was synced before the upgrade.
            try sync(isBoth: true)
            for database in databases { for _ in 0..<4 { try edit(database) } }
        }
        if kind.client == .upgraded { client = try SyncDatabase(upgrading: client) }
        if kind.server == .upgraded { server = try SyncDatabase(upgrading: server) }
        // What one direction can't carry is left out of the comparison by beginning equal.
        try settle(isBoth: true)
    }

    /// Edits at random where the direction carries edits from.
    func edit() throws {
        let sides = (kind.isPush ? [client] : []) + (kind.isPull ? [server] : [])
        guard let side = sides.randomElement(using: &random) else { return }
        guard Int.random(in: 0..<12, using: &random) == 0 else { return try edit(side) }
        let id = randomID
        for database in [client, server] where try database.collection.currentRevision(id: id) != nil {
            try database.collection.purge(id: id)
        }
    }

    private var randomID: String { "doc-\(Int.random(in: 0..<8, using: &random))" }

    private func edit(_ database: SyncDatabase) throws {
        let id = randomID
        switch Int.random(in: 0..<6, using: &random) {
        case 0: try database.delete(id)
        case 1: try database.save(id, attachment: random.bytes(Int.random(in: 0..<300, using: &random)))
        case 2:
            // Again after it was deleted, perhaps.
            try database.delete(id)
            try database.save(id, #"{"again":\#(random.next() % 1_000)}"#)
        default: try database.save(id, #"{"n":\#(random.next() % 1_000)}"#)
        }
    }

    /// Runs a one-shot session.
    ///
    /// - Parameters:
    ///   - steps: the steps after which the connection is lost; nil for none.
    ///   - isBoth: whether both directions are replicated, whatever the case says.
    /// - Throws: the error of a database, or of a session whose connection isn't lost.
    func sync(losingAfter steps: Int? = nil, isBoth: Bool = false) throws {
        var configuration = SessionConfiguration.one(push: isBoth || kind.isPush, pull: isBoth || kind.isPull)
        let hasVectors = client.database.versioning == .vectors
        configuration.hasVectors = hasVectors
        let remote = try client.database.remoteNumber("ws://server/db")
        var limits = BLIPLimits()
        if !kind.isCompressed { limits.compressionLevel = 0 }
        let active = try SessionNode(
            ActiveSession(configuration), [SealedStore(client, client.collection, role: .active(remote: remote))],
            limits: limits)
        let passive = try SessionNode(
            PassiveSession(.init(collections: ["_default"], hasVectors: hasVectors)),
            [SealedStore(server, server.collection, role: .passive)], limits: limits)
        active.start()
        if let steps {
            cutCount += 1
            try? SessionRun.run(active, passive, stepLimit: steps)
            active.disconnect()
            passive.disconnect()
        } else {
            try SessionRun.run(active, passive)
            if let error = active.closed?.error { errors.append("\(error)") }
        }
        try resolve()
    }

    private func resolve() throws {
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
        }
    }

    /// Syncs until both sides are equal.
    ///
    /// - Returns: false if they don't become equal.
    @discardableResult
    func settle(isBoth: Bool = false) throws -> Bool {
        for _ in 0..<8 {
            try sync(isBoth: isBoth)
            if try differences.isEmpty { return true }
        }
        return false
    }

    /// What differs, apart from tombstones that one side alone has.
    var differences: [String] {
        get throws {
            let (mine, theirs) = (try client.revisions, try server.revisions)
            return try Set(mine.keys).union(theirs.keys).sorted().compactMap { id in
                let (left, right) = (try client.json(id), try server.json(id))
                let isSame =
                    mine[id] == theirs[id] || left == nil && right == nil && (mine[id] == nil || theirs[id] == nil)
                let isConflicted = try client.collection.conflictedDocumentIDs().contains(id)
                guard !isSame || left != right || isConflicted else { return nil }
                return "\(id): \(mine[id] ?? "none") \(left ?? "-") | \(theirs[id] ?? "none") \(right ?? "-")"
                    + (isConflicted ? ", in conflict" : "")
            }
        }
    }
}
