internal import SealiteDatabase
public import SealiteQuery

/// The changes of the objects of a query: the first element inserts all objects; each later element is the difference
/// from the previous result. Objects are identified by their IDs.
///
/// Between two elements, memory holds the IDs and hashes of the objects. The first error ends the sequence; see
/// ``ObservedObjects``.
public struct ObjectChanges<M: Model>: AsyncSequence, Sendable {
    /// The difference between two results. The keys of removed objects are the document IDs.
    public typealias Element = QueryDelta<M>

    let source: @Sendable () throws -> QueryDeltas<M>

    /// Returns an iterator with an observer of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    /// Delivers the deltas, one for each new result.
    public struct Iterator: AsyncIteratorProtocol {
        let source: @Sendable () throws -> QueryDeltas<M>
        private var deltas: QueryDeltas<M>.Iterator?
        private var hasEnded = false

        init(source: @escaping @Sendable () throws -> QueryDeltas<M>) { self.source = source }

        /// Returns the next delta; nil if the observation has ended.
        ///
        /// - Throws: the errors of running the query, `decodingFailed`, `notFound` if a read-only store has no
        ///   collection of the objects, and `SchemaError` for a key path without a member.
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
