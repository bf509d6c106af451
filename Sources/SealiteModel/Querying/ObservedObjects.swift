internal import SealiteDatabase
public import SealiteQuery

/// What a query over objects finds, as documents change: the first result at once, also an empty one, then each that differs from the one before.
///
/// The first error ends the sequence. Cancelling the task, releasing the iterator or closing the database ends it without one. Each iterator observes for itself
/// (Documentation/LiveQueries.md).
public struct ObservedObjects<Output: Sendable>: AsyncSequence, Sendable {
    /// What the query finds.
    public typealias Element = Output

    /// A query, and the reading of its results.
    typealias Source = (query: Query, read: @Sendable (ResultSet) throws -> Output)

    let source: @Sendable () throws -> Source
    /// Returns whether a result needn't be delivered behind another one.
    var isRepeated: @Sendable (_ old: Output, _ new: Output) -> Bool = { _, _ in false }

    /// Makes an observer of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Delivers one result after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let sequence: ObservedObjects
        private var source: Source?
        private var results: QueryResults.Iterator?
        private var last: Output?
        private var hasEnded = false

        fileprivate init(sequence: ObservedObjects) { self.sequence = sequence }

        /// Returns the next result; nil when the observation ended.
        ///
        /// - Throws: what running the query throws, `decodingFailed`, and `SchemaError` for a key path that no member has.
        public mutating func next() async throws -> Output? {
            guard !hasEnded else { return nil }
            do {
                if let next = try await following() { return next }
            } catch {
                (hasEnded, results) = (true, nil)
                throw error
            }
            (hasEnded, results) = (true, nil)
            return nil
        }

        private mutating func following() async throws -> Output? {
            let source = try source ?? sequence.source()
            var results = results ?? source.query.results.makeAsyncIterator()
            self.source = source
            while let found = try await results.next() {
                self.results = results
                let output = try source.read(found)
                if let last, sequence.isRepeated(last, output) { continue }
                last = output
                return output
            }
            return nil
        }
    }
}

/// What changes in the objects that a query finds: the first element has all objects inserted, each other one is what differs from the result before. Objects are told apart by their IDs.
///
/// Between two elements memory keeps the IDs and hashes of the objects. The first error ends the sequence; see ``ObservedObjects``.
public struct ObjectChanges<M: Model>: AsyncSequence, Sendable {
    /// What differs. The keys of objects that are gone are the IDs of their documents.
    public typealias Element = QueryDelta<M>

    let source: @Sendable () throws -> QueryDeltas<M>

    /// Makes an observer of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    /// Delivers one delta after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: @Sendable () throws -> QueryDeltas<M>
        private var deltas: QueryDeltas<M>.Iterator?
        private var hasEnded = false

        fileprivate init(source: @escaping @Sendable () throws -> QueryDeltas<M>) { self.source = source }

        /// Returns the next delta; nil when the observation ended.
        ///
        /// - Throws: what running the query throws, `decodingFailed`, and `SchemaError` for a key path that no member has.
        public mutating func next() async throws -> QueryDelta<M>? {
            guard !hasEnded else { return nil }
            var isOver = true
            defer { hasEnded = isOver }
            var deltas = try self.deltas ?? source().makeAsyncIterator()
            let delta = try await deltas.next()
            self.deltas = deltas
            isOver = delta == nil
            return delta
        }
    }
}
