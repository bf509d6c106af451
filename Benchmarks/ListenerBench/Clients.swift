import BenchmarkData
import Foundation
import Logging
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteReplicator

/// The databases of both sides.
enum ServerFile {
    /// The bytes of the raw key of throw-away databases.
    static let keyBytes = [UInt8](repeating: 0x42, count: 32)
    static var key: SecretBytes { SecretBytes(copying: keyBytes) }
    /// The collection that clients push to, and the one that they pull from.
    static let (up, down) = ("up", "down")

    static func create(_ path: String) throws -> Database {
        var configuration = DatabaseConfiguration()
        configuration.readerCount = 2
        return try Database.create(path, slot: .rawKey(key), configuration: configuration)
    }

    static func fill(_ path: String, documents: Int) throws {
        let database = try create(path)
        _ = try database.createCollection(name: up)
        let collection = try database.createCollection(name: down)
        try save(documents, as: "d", in: collection)
        try database.close()
    }

    /// Saves documents of about 1 KB of JSON in one transaction.
    static func save(_ count: Int, as prefix: String, in collection: SealiteDatabase.Collection) throws {
        try collection.database.write { _ in
            var people = PersonGenerator(count: count * 8)
            for index in 0..<count {
                guard let person = people.next() else { break }
                let notes = (0..<7).compactMap { _ in people.next()?.bio }.joined(separator: ". ")
                let json = "{\"person\":\(person.json),\"notes\":\"\(notes) \(notes)\"}"
                try collection.save(document: MutableDocument(id: "\(prefix)-\(index)", json: Array(json.utf8)))
            }
        }
    }
}

/// Some of the clients, in a process of their own.
struct ClientGroup: Sendable {
    let first: Int
    let count: Int
    /// The number of documents that each pushes, and that each pulls.
    let documents: Int
    let url: String
    let pin: String

    private struct Client: Sendable {
        let database: Database
        let push: Replicator
        let pull: Replicator
    }

    /// Makes the databases, says so, waits for a line, syncs, and tells how long each took.
    func run() async throws {
        let clients = try (first..<first + count).map { try client($0) }
        print("ready")
        fflush(nil)
        _ = readLine()
        let results = await withTaskGroup(of: Double?.self) { group in
            for client in clients { group.addTask { await sync(client) } }
            return await group.reduce(into: [Double?]()) { $0.append($1) }
        }
        print(results.map { $0.map { "\($0)" } ?? "failed" }.joined(separator: " "))
        fflush(nil)
        for client in clients { try await client.database.close() }
    }

    private func client(_ number: Int) throws -> Client {
        let database = try ServerFile.create("client-\(number).db")
        let up = try database.createCollection(name: ServerFile.up)
        let down = try database.createCollection(name: ServerFile.down)
        try ServerFile.save(documents, as: "c\(number)", in: up)
        return Client(database: database, push: try replicator(up, .push), pull: try replicator(down, .pull))
    }

    private func replicator(_ collection: SealiteDatabase.Collection, _ type: ReplicatorType) throws -> Replicator {
        var configuration = ReplicatorConfiguration(collections: [collection], target: try EndpointURL(url))
        configuration.replicatorType = type
        let digits = Array(pin)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0..<$0 + 2]), radix: 16)
        }
        configuration.trust = .pinned([.publicKeyDigest(bytes)])
        configuration.logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        return try Replicator(configuration)
    }

    /// Returns the time of a sync in seconds; nil if it failed.
    private func sync(_ client: Client) async -> Double? {
        let start = ContinuousClock.now
        do {
            let pushed = try await client.push.run().progress.pushedCount
            let pulled = try await client.pull.run().progress.pulledCount
            guard pushed == documents, pulled == documents else {
                throw BenchFailure(description: "pushed \(pushed), pulled \(pulled) of \(documents)")
            }
        } catch {
            FileHandle.standardError.write(Data("a sync failed: \(error)\n".utf8))
            return nil
        }
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
