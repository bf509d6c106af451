import BenchmarkData
import Foundation
import SealiteDatabase
import SealiteMobileSync
import SealiteMongo
import SealiteReplicator
import SealiteValues

/// The task of one process of the benchmark with individually synced documents.
enum MobileRole {
    private static let clock = ContinuousClock()

    /// Tells how long a replicator of all documents, and the sync of as many chosen ones, take to begin where everything is the same on both sides.
    static func start(_ path: String, to url: String, pin: String, count: Int) async throws {
        var figures = Figures()
        let all = try Role.open("all-\(path)")
        let replicator = try Replicator(try Role.configuration(all, .pushAndPull, url, pin))
        figures["firstAll"] = try await time { try await idle(replicator) }
        try await Role.stop(replicator)
        var times: [Double] = []
        for _ in 0..<9 {
            times.append(try await time { try await idle(replicator) })
            try await Role.stop(replicator)
        }
        figures["all"] = times.sorted()[4]
        try await all.close()

        let database = try Role.open(path)
        let collection = try MongoCollection<MongoDocument>(database.defaultCollection())
        let sync = MobileSync.of(database)
        await sync.connect(to: try remote(url, pin))
        let ids = PersonGenerator(count: count).map { BSON.string($0.id) }
        figures["firstChosen"] = try await time {
            try await collection.sync.syncMany(ids)
            try await collection.sync.configure(conflictHandler: nil)
            try await sync.syncNow()
        }
        times = []
        for _ in 0..<9 {
            await sync.stop()
            times.append(
                try await time {
                    try await collection.sync.configure(conflictHandler: nil)
                    try await sync.syncNow()
                })
        }
        figures["chosen"] = times.sorted()[4]
        figures["count"] = Double(try await collection.sync.count())
        await sync.stop()
        try await database.close()
        figures.tell()
    }

    /// Adds an id to a set, and tells how many documents came and how long it took.
    static func add(_ path: String, to url: String, pin: String, id: String) async throws {
        let database = try Role.open(path)
        let collection = try MongoCollection<MongoDocument>(database.defaultCollection())
        let sync = MobileSync.of(database)
        await sync.connect(to: try remote(url, pin))
        let (events, continuation) = AsyncStream.makeStream(of: BSON.self)
        try await collection.sync.configure(conflictHandler: { _, _, remote in remote.fullDocument }) { id, _ in
            continuation.yield(id)
        }
        try await sync.syncNow()
        let before = try await collection.countDocuments()
        var told = events.makeAsyncIterator()
        var figures = Figures()
        figures["seconds"] = try await time {
            try await collection.sync.syncOne(.string(id))
            while let found = await told.next(), found != .string(id) {}
        }
        try await sync.syncNow()
        figures["count"] = Double(try await collection.countDocuments() - before)
        await sync.stop()
        try await database.close()
        figures.tell()
    }

    /// Writes single documents, and tells how long each took until it was told that the remote has it.
    static func single(_ path: String, to url: String, pin: String, count: Int) async throws {
        let database = try Role.open(path)
        let collection = try MongoCollection<MongoDocument>(database.defaultCollection())
        let sync = MobileSync.of(database)
        await sync.connect(to: try remote(url, pin))
        let (events, continuation) = AsyncStream.makeStream(of: ChangeEvent<MongoDocument>.self)
        try await collection.sync.configure(conflictHandler: { _, _, remote in remote.fullDocument }) { _, event in
            continuation.yield(event)
        }
        var told = events.makeAsyncIterator()
        var times: [Double] = []
        for (number, person) in PersonGenerator(count: count + 20, seed: 7).enumerated() {
            var document = try MongoDocument(extendedJSON: person.json)
            let id = BSON.string("\(path)-\(person.id)")
            document["_id"] = id
            let made = document
            let seconds = try await time {
                try await collection.sync.insertOne(made)
                while let event = await told.next(), event.documentID != id || event.hasUncommittedWrites {}
            }
            if number >= 20 { times.append(seconds) }
            try await Task.sleep(for: .milliseconds(5))
        }
        times.sort()
        var figures = Figures()
        figures["median"] = times[count / 2]
        figures["high"] = times[count * 99 / 100]
        await sync.stop()
        try await database.close()
        figures.tell()
    }

    private static func remote(_ url: String, _ pin: String) throws -> MobileSyncRemote {
        let trust = Role.trust(pin)
        return MobileSyncRemote(try EndpointURL(url)) { configuration in
            if let trust { configuration.trust = trust }
        }
    }

    private static func idle(_ replicator: Replicator) async throws {
        let statuses = replicator.statuses
        replicator.start()
        for await status in statuses {
            if let error = status.error { throw error }
            if status.activity == .idle { return }
        }
    }

    private static func time(_ body: () async throws -> Void) async throws -> Double {
        let start = clock.now
        try await body()
        return (clock.now - start).seconds
    }
}
