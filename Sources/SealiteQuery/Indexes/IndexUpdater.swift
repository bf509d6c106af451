public import SealiteDatabase
internal import SealiteFunctions

internal import SealiteVectors
internal import Synchronization

extension QueryIndex {
    /// Begins to update a lazy vector index: returns documents for which it needs vectors, those that changed first first.
    ///
    /// Deleted documents are removed from the index by themselves. Until it is updated, a changed document is found by the
    /// vector of its earlier state.
    ///
    /// - Parameter limit: the greatest number of documents, at least 1.
    /// - Returns: an object that takes their vectors; nil if the index needs none.
    /// - Throws: `invalidParameter` for an index that isn't lazy or a limit of 0, `notOpen`, and errors of the storage.
    public func beginUpdate(limit: UInt64) throws -> IndexUpdater? { try beginUpdate(limit: limit, after: 0) }

    /// Begins an update as ``beginUpdate(limit:)`` does, with only the documents that changed after the one with the
    /// given sequence: those that were skipped before it aren't returned again.
    package func beginUpdate(limit: UInt64, after sequence: Int64) throws -> IndexUpdater? {
        guard limit > 0 else {
            throw DatabaseError(.invalidParameter, "the limit of an update is at least 1 document, not 0")
        }
        let items = try collection.readVectorUpdates(ofIndex: name, limit: Int(clamping: limit), after: sequence) {
            item, row in (item, QueryValue(row, 2))
        }
        guard !items.isEmpty, let dimensions = vectors?.dimensions else { return nil }
        return IndexUpdater(
            collection, name, items, dimensions: Int(dimensions), refusesZero: vectors?.metric == .cosine)
    }
}

/// Documents for which a lazy vector index needs vectors, and the vectors that an application computes for them.
///
/// ```swift
/// while let updater = try index.beginUpdate(limit: 100) {
///     for place in 0..<updater.count {
///         try updater.setVector(try await embed(updater.string(at: place) ?? ""), at: place)
///     }
///     try updater.finish()
/// }
/// ```
/// The vectors are stored by ``finish()``. May be used from any thread.
public final class IndexUpdater: Sendable {
    private enum Answer {
        case set([UInt8]?), skipped
    }

    private struct State {
        var answers: [Answer?]
        var isFinished = false
    }

    private let collection: Collection
    private let name: String
    private let items: [(item: VectorUpdateItem, value: QueryValue)]
    private let dimensions: Int
    private let refusesZero: Bool
    private let state: Mutex<State>

    /// The number of documents.
    public var count: Int { items.count }
    /// The sequence of the last document, for the update that follows.
    package var lastSequence: Int64 { items.last?.item.sequence ?? 0 }

    fileprivate init(
        _ collection: Collection, _ name: String, _ items: [(VectorUpdateItem, QueryValue)], dimensions: Int,
        refusesZero: Bool
    ) {
        (self.collection, self.name, self.dimensions) = (collection, name, dimensions)
        self.items = items.map { (item: $0, value: $1) }
        self.refusesZero = refusesZero
        state = Mutex(State(answers: Array(repeating: nil, count: items.count)))
    }

    /// Returns the value of the index's expression for the document with a number from 0 to ``count`` - 1, from which its
    /// vector is to be computed; nil for damaged values.
    public func value(at index: Int) -> Value? {
        precondition(items.indices.contains(index), "the update has no document \(index)")
        return items[index].value.value(collection.database)
    }

    /// Returns the value as for ``value(at:)`` if it is a string; otherwise nil.
    public func string(at index: Int) -> String? { value(at: index)?.string }

    /// Sets the vector of the document with a number; nil takes the document out of the index.
    ///
    /// - Throws: `invalidParameter` for a vector of another number of dimensions than the index's, with a number that isn't
    ///   finite, or with only zeros if the metric is cosine; for a number that no document has, and after ``finish()``.
    public func setVector(_ vector: [Float]?, at index: Int) throws {
        if let vector {
            guard vector.count == dimensions else {
                throw DatabaseError(
                    .invalidParameter,
                    "the vector has \(vector.count) dimensions, and those of the index \"\(name)\" have \(dimensions)")
            }
            guard vector.allSatisfy(\.isFinite), !refusesZero || vector.contains(where: { $0 != 0 }) else {
                throw DatabaseError(
                    .invalidParameter,
                    refusesZero
                        ? "a vector must have finite numbers, not all of them 0" : "a vector must have finite numbers")
            }
        }
        try answer(.set(vector.map { VectorReader.bytes(of: $0) }), at: index)
    }

    /// Leaves the document with a number out of this update; a later one has it again.
    ///
    /// - Throws: `invalidParameter` for a number that no document has, and after ``finish()``.
    public func skipVector(at index: Int) throws { try answer(.skipped, at: index) }

    private func answer(_ answer: Answer, at index: Int) throws {
        try state.withLock { state in
            guard state.answers.indices.contains(index) else {
                throw DatabaseError(
                    .invalidParameter,
                    "the update has \(state.answers.count) documents, and none with the number \(index)")
            }
            try Self.requireUnfinished(state)
            state.answers[index] = answer
        }
    }

    /// Stores the vectors, in one transaction or as part of the thread's. Documents that have changed since
    /// `beginUpdate(limit:)` are left out; a later update has them.
    ///
    /// - Throws: `invalidParameter` if a document has neither a vector nor been skipped, or at a second call; `notOpen`, and
    ///   errors of the storage; then nothing is stored.
    public func finish() throws {
        let answers = try state.withLock { state in
            try Self.requireUnfinished(state)
            guard let missing = state.answers.firstIndex(where: { $0 == nil }) else { return state.answers }
            throw DatabaseError(
                .invalidParameter, "the document \(missing) of the update has neither a vector nor been skipped")
        }
        let vectors = zip(items, answers).compactMap { entry, answer -> (item: VectorUpdateItem, vector: [UInt8]?)? in
            guard case .set(let vector)? = answer else { return nil }
            return (item: entry.item, vector: vector)
        }
        try collection.storeVectors(ofIndex: name, vectors)
        state.withLock { $0.isFinished = true }
    }

    private static func requireUnfinished(_ state: borrowing State) throws {
        guard !state.isFinished else {
            throw DatabaseError(.invalidParameter, "the update is finished", hint: "begin another one")
        }
    }
}
