internal import SealiteDatabase
public import SealiteQuery

/// The results of a query over objects, as documents change: the first result at once, even if it is empty, then each
/// one that differs from the previous one.
///
/// The first error ends the sequence. Cancelling the task, releasing the iterator or closing the database ends it
/// without an error. Each iterator observes independently (Documentation/LiveQueries.md).
public struct ObservedObjects<Output: Sendable>: AsyncSequence, Sendable {
    /// A result of the query.
    public typealias Element = Output

    /// A query, with a closure that reads its results.
    typealias Source = (query: Query, read: @Sendable (ResultSet) throws -> Output)

    let source: @Sendable () throws -> Source
    /// Returns whether a result needn't be delivered after another one.
    var isRepeated: @Sendable (_ old: Output, _ new: Output) -> Bool = { _, _ in false }

    /// Returns an iterator with an observer of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Delivers one result after another.
    public struct Iterator: AsyncIteratorProtocol {
        private let sequence: ObservedObjects
        private var source: Source?
        private var results: QueryResults.Iterator?
        private var last: Output?
        private var hasEnded = false

        fileprivate init(sequence: ObservedObjects) { self.sequence = sequence }

        /// Returns the next result; nil if the observation has ended.
        ///
        /// - Throws: the errors of running the query, `decodingFailed`, and `SchemaError` for a key path without a
        ///   member.
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

/// The changes of the objects of a query: the first element inserts all objects; each later element is the difference
/// from the previous result. Objects are identified by their IDs.
///
/// Between two elements, memory holds the IDs and hashes of the objects. The first error ends the sequence; see
/// ``ObservedObjects``.
public struct ObjectChanges<M: Model>: AsyncSequence, Sendable {
    /// The difference between two results. The keys of removed objects are the IDs of their documents.
    public typealias Element = QueryDelta<M>

    let source: @Sendable () throws -> QueryDeltas<M>

    /// Returns an iterator with an observer of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    /// Delivers one delta after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: @Sendable () throws -> QueryDeltas<M>
        private var deltas: QueryDeltas<M>.Iterator?
        private var hasEnded = false

        fileprivate init(source: @escaping @Sendable () throws -> QueryDeltas<M>) { self.source = source }

        /// Returns the next delta; nil if the observation has ended.
        ///
        /// - Throws: the errors of running the query, `decodingFailed`, and `SchemaError` for a key path without a
        ///   member.
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
