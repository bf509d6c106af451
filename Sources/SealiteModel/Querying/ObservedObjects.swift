internal import SealiteDatabase
internal import SealiteQuery

/// The results of a query over objects, as documents change: the first result immediately, even if it is empty, then
/// each result that differs from the previous one.
///
/// The first error ends the sequence. Cancelling the task, releasing the iterator or closing the database ends it
/// without an error. Each iterator observes independently (Documentation/LiveQueries.md).
public struct ObservedObjects<Output: Sendable>: AsyncSequence, Sendable {
    /// A result of the query.
    public typealias Element = Output

    /// A query, with a closure that reads its results.
    typealias Source = (query: Query, read: @Sendable (ResultSet) throws -> Output)

    let source: @Sendable () throws -> Source
    /// A function that returns whether a new result equals the previous one, so that it isn't delivered.
    var isRepeated: @Sendable (_ old: Output, _ new: Output) -> Bool = { _, _ in false }

    /// Returns an iterator with an observer of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Delivers the results, one at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private let sequence: ObservedObjects
        private var source: Source?
        private var results: QueryResults.Iterator?
        private var last: Output?
        private var hasEnded = false

        init(sequence: ObservedObjects) { self.sequence = sequence }

        /// Returns the next result; nil if the observation has ended.
        ///
        /// - Throws: the errors of running the query, `decodingFailed`, `notFound` if a read-only store has no
        ///   collection of the objects, and `SchemaError` for a key path without a member.
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
