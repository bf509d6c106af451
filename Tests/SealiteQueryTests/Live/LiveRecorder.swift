import Foundation
import SealiteDatabase
import Synchronization
import SealiteTestSupport
import Testing

@testable import SealiteQuery

/// Observes a query and keeps what it is told, as text.
final class LiveRecorder: Sendable {
    private let told = Mutex<[String]>([])
    private let task: Mutex<Task<Void, Never>?>

    init(_ query: Query) {
        task = Mutex(nil)
        let updates = query.updates
        let started = Task { [weak self] in
            for await change in updates { self?.take(change) }
            self?.told.withLock { $0.append("end") }
        }
        task.withLock { $0 = started }
    }

    deinit { cancel() }

    func cancel() { task.withLock { $0?.cancel() } }

    /// The results received so far: the rows of each as JSON, or "error" and the code.
    var all: [String] { told.withLock { $0 } }

    var last: String? { all.last }

    private func take(_ change: QueryChange) {
        let text = Self.text(change)
        told.withLock { $0.append(text) }
    }

    static func text(_ change: QueryChange) -> String {
        if let error = change.error { return "error \((error as? DatabaseError)?.code.rawValue ?? "\(error)")" }
        return text(change.results)
    }

    static func text(_ results: ResultSet?) -> String {
        results?.allResults().map { (try? $0.toJSON()) ?? "damaged" }.joined(separator: " ") ?? "none"
    }

    /// Waits until as many results and errors were told.
    func wait(for count: Int, _ place: SourceLocation = #_sourceLocation) async {
        await eventually("\(count) results; there are \(all)", place) { self.all.count >= count }
    }
}

extension TestDatabase {
    var hub: LiveQueryCoordinator { LiveQueryCoordinator.of(database) }

    /// Waits until all that was committed was looked at, and nothing is left to be run.
    func settle(_ place: SourceLocation = #_sourceLocation) async {
        await eventually("live queries to settle", place) { (try? self.isSettled()) ?? false }
    }

    private func isSettled() throws -> Bool {
        let positions = hub.positions
        for scope in try database.scopes() {
            for collection in try scope.collections() {
                guard let position = positions[collection.number] else { continue }
                guard try collection.changePosition() == position else { return false }
            }
        }
        return hub.isIdle
    }

    /// Saves one document that is written as JSON.
    func save(_ id: String, _ json: String, in collection: Collection? = nil) throws {
        let collection = try collection ?? self.collection
        try collection.save(document: MutableDocument(id: id, data: try DictionaryObject(json: json)))
    }

    func delete(_ id: String, in collection: Collection? = nil) throws {
        try (try collection ?? self.collection).delete(id: id)
    }

    func purge(_ id: String, in collection: Collection? = nil) throws {
        try (try collection ?? self.collection).purge(id: id)
    }

    /// Saves documents "d0", "d1" and on whose `n` is their number.
    func saveNumbered(_ count: Int) throws {
        let collection = try collection
        try database.write { transaction in
            for number in 0..<count {
                try transaction.save(MutableDocument(id: "d\(number)", data: ["n": Value(number)]), in: collection)
            }
        }
    }

    func expire(_ id: String) throws { try collection.setDocumentExpiration(id: id, expiration: .now) }

    func makeCollection(_ name: String) throws -> Collection { try database.createCollection(name: name) }

    func closeNow() throws { try database.close() }

    var statistics: LiveQueryStatistics { database.liveQueryStatistics }
}
