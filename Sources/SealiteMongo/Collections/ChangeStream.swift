internal import SealiteDatabase
internal import SealiteValues

/// The changes of a collection since the stream was created, including changes by sync and by other processes.
///
/// A consumer that is slower than the writers receives several changes of one document as one event. Cancelling the
/// task or closing the database ends the sequence. The sequence can be iterated once.
public struct ChangeStream<Event: Codable & Sendable>: AsyncSequence, Sendable {
    /// A change event, or the pipeline's output for one, decoded as `Event`.
    public typealias Element = Event

    private let collection: Collection
    private let transitions: DocumentTransitions
    private let pipeline: ChangePipeline

    init(_ collection: Collection, _ pipeline: ChangePipeline) {
        (self.collection, self.pipeline) = (collection, pipeline)
        transitions = collection.transitions
    }

    /// Returns the iterator, which begins with the first change after the creation of the stream.
    public func makeAsyncIterator() -> Iterator {
        Iterator(collection: collection, transitions: transitions.makeAsyncIterator(), pipeline: pipeline)
    }

    /// An iterator over changes.
    public struct Iterator: AsyncIteratorProtocol {
        private let collection: Collection
        private var transitions: DocumentTransitions.Iterator
        private let pipeline: ChangePipeline
        private let coding = DocumentCoding<Event>()
        private var events: ArraySlice<MongoDocument> = []

        init(
            collection: Collection, transitions: DocumentTransitions.Iterator, pipeline: ChangePipeline
        ) {
            (self.collection, self.transitions, self.pipeline) = (collection, transitions, pipeline)
        }

        /// Returns the next change; nil if the sequence has ended.
        public mutating func next() async throws -> Event? {
            while events.isEmpty {
                guard let found = try await transitions.next() else { return nil }
                events = try pipeline.documents(of: found.map { $0.event(in: collection) })[...]
            }
            return try events.popFirst().map(coding.decode)
        }
    }
}
