import BenchmarkData
import Foundation
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteReplicator

/// The task of one process of the benchmark.
enum Role {
    /// Of throw-away databases.
    private static var key: SecretBytes { SecretBytes(copying: [UInt8](repeating: 0x42, count: 32)) }

    static func number(_ text: String) throws -> Int {
        guard let value = Int(text), value >= 0 else { throw BenchFailure(description: "\(text) is no number") }
        return value
    }

    static func open(_ path: String) throws -> Database {
        if FileManager.default.fileExists(atPath: path) { return try Database.open(path, key: .rawKey(key)) }
        var configuration = DatabaseConfiguration()
        configuration.versioning = versioning
        return try Database.create(path, slot: .rawKey(key), configuration: configuration)
    }

    /// The name of the environment's variable with the versioning of new databases.
    static let versioningName = "SEALITE_BENCH_VERSIONING"

    /// The name of the environment's variable that is "off" where documents are sent whole.
    static let deltasName = "SEALITE_BENCH_DELTAS"

    private static var versioning: DocumentVersioning {
        ProcessInfo.processInfo.environment[versioningName].flatMap { DocumentVersioning(rawValue: $0) } ?? .trees
    }

    /// Makes a database.
    static func fill(_ path: String, documents: Int, attachments: Int) throws {
        let database = try open(path)
        let collection = try database.defaultCollection()
        try database.write { _ in
            for person in PersonGenerator(count: documents) {
                try collection.save(document: MutableDocument(id: person.id, json: Array(person.json.utf8)))
            }
        }
        var random = SystemRandomNumberGenerator()
        for number in 0..<attachments {
            let words = (0..<12_500).map { _ in random.next() }
            let document = MutableDocument(id: "attachment-\(number)")
            let bytes = unsafe words.withUnsafeBytes { unsafe Array($0) }
            document.setBlob(Blob(contentType: "image/jpeg", bytes: bytes), forKey: "picture")
            try collection.save(document: document)
        }
        try database.close()
    }

    /// Serves until its input ends; tells where first, and for each line what it used since the last.
    static func serve(_ path: String, isEncrypted: Bool) async throws {
        let database = try open(path)
        var configuration = ListenerConfiguration(collections: [try database.defaultCollection()], databaseName: "db")
        configuration.access = .anyone
        configuration.isEncrypted = isEncrypted
        let listener = ReplicationListener(configuration)
        try await listener.start()
        let digest = listener.publicKeyDigest?.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        say("\(listener.urls.first ?? "") \(digest?.joined() ?? "none")")
        var before = Usage.now
        while readLine() != nil {
            let now = Usage.now
            var figures = Figures()
            figures["processor"] = now.processorSeconds - before.processorSeconds
            figures["memory"] = Double(now.peakMemory)
            figures["count"] = Double(try configuration.collections[0].count)
            figures.tell()
            before = now
        }
        await listener.stop()
        try await database.close()
    }

    static func configuration(
        _ database: Database, _ type: ReplicatorType, _ url: String, _ pin: String
    ) throws -> ReplicatorConfiguration {
        var configuration = ReplicatorConfiguration(
            collections: [try database.defaultCollection()], target: try EndpointURL(url))
        configuration.replicatorType = type
        configuration.continuous = true
        configuration.enableDeltaSync = ProcessInfo.processInfo.environment[deltasName] != "off"
        if let trust = trust(pin) { configuration.trust = trust }
        return configuration
    }

    /// Whom to trust, by what a server said of its key; nil without TLS.
    static func trust(_ pin: String) -> ServerTrust? {
        guard pin != "none" else { return nil }
        let digits = Array(pin)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0..<$0 + 2]), radix: 16)
        }
        return .pinned([.publicKeyDigest(bytes)])
    }

    /// Replicates everything, and tells how long it took until it was idle.
    static func replicate(_ path: String, _ type: ReplicatorType, to url: String, pin: String) async throws {
        let database = try open(path)
        let replicator = try Replicator(try configuration(database, type, url, pin))
        let before = Usage.now
        let clock = ContinuousClock()
        let start = clock.now
        let statuses = replicator.statuses
        replicator.start()
        for await status in statuses {
            if let error = status.error { throw error }
            if status.activity == .idle { break }
        }
        var figures = Figures()
        figures["seconds"] = (clock.now - start).seconds
        figures["deltas"] = Double(replicator.status.progress.deltaCount)
        figures["bytes"] = Double(replicator.status.progress.completed)
        figures["saved"] = Double(replicator.status.progress.deltaSavedByteCount)
        let now = Usage.now
        figures["processor"] = now.processorSeconds - before.processorSeconds
        figures["memory"] = Double(now.peakMemory)
        figures["count"] = Double(try database.defaultCollection().count)
        try await stop(replicator)
        try await database.close()
        figures.tell()
    }

    /// Saves single documents, and tells how long each took until the remote had stored it and said so.
    static func single(_ path: String, to url: String, pin: String, count: Int) async throws {
        let database = try open(path)
        let collection = try database.defaultCollection()
        let replicator = try Replicator(try configuration(database, .push, url, pin))
        let statuses = replicator.statuses
        replicator.start()
        for await status in statuses where status.activity == .idle { break }
        var events = replicator.documentReplications.makeAsyncIterator()
        var times: [Double] = []
        let clock = ContinuousClock()
        for person in PersonGenerator(count: count, seed: 7) {
            // Those that another run has sent are known to the server, which then stores nothing.
            let id = "\(path)-\(person.id)"
            let start = clock.now
            try save(person, as: id, in: collection)
            waiting: while let event = await events.next() {
                for document in event.documents where document.id == id {
                    if let error = document.error { throw error }
                    break waiting
                }
            }
            times.append((clock.now - start).seconds)
            // As a person types, so that each begins at rest.
            try await Task.sleep(for: .milliseconds(5))
        }
        times.sort()
        var figures = Figures()
        figures["median"] = times[count / 2]
        figures["high"] = times[count * 99 / 100]
        try await stop(replicator)
        try await database.close()
        figures.tell()
    }

    private static func save(
        _ person: PersonGenerator.Person, as id: String, in collection: SealiteDatabase.Collection
    ) throws { try collection.save(document: MutableDocument(id: id, json: Array(person.json.utf8))) }

    static func stop(_ replicator: Replicator) async throws {
        let statuses = replicator.statuses
        replicator.stop()
        for await status in statuses where status.activity == .stopped { break }
    }
}
