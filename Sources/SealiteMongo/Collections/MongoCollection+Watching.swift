internal import SealiteDatabase
public import SealiteValues

extension MongoCollection {
    /// Returns the changes of the collection from now on.
    ///
    /// - Parameter pipeline: stages that each event, as a document, goes through: `$match`, `$project`, `$addFields`,
    ///   `$set`, `$unset`, `$replaceRoot`, `$replaceWith` and `$redact`, such as `[["$match": ["operationType":
    ///   "insert", "fullDocument.age": ["$gte": 21]]]]`.
    /// - Returns: the changes.
    /// - Throws: `MongoError` for a pipeline that isn't one, 20 for a stage that changes can't go through.
    public func watch(_ pipeline: [MongoDocument] = []) throws -> ChangeStream<ChangeStreamEvent<T>> {
        try watch(pipeline, as: ChangeStreamEvent<T>.self)
    }

    /// Returns the documents that a pipeline produces from the changes of the collection from now on, as values of a
    /// type; see ``watch(_:)``.
    public func watch<Event: Codable & Sendable>(
        _ pipeline: [MongoDocument], as type: Event.Type
    ) throws -> ChangeStream<Event> {
        ChangeStream(collection, try ChangePipeline(pipeline))
    }
}

/// The changes of a collection from the moment at which the stream was created, changes by sync and by other processes
/// included.
///
/// A consumer that is slower than the writers receives several changes of one document as one event. Cancelling the
/// task or closing the database ends the sequence. The sequence can be iterated once.
public struct ChangeStream<Event: Codable & Sendable>: AsyncSequence, Sendable {
    /// A change.
    public typealias Element = Event

    private let collection: Collection
    private let transitions: DocumentTransitions
    private let pipeline: ChangePipeline

    init(_ collection: Collection, _ pipeline: ChangePipeline) {
        (self.collection, self.pipeline) = (collection, pipeline)
        transitions = collection.transitions
    }

    /// Returns the iterator, which begins at the moment at which the stream was created.
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

        fileprivate init(
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

/// The pipeline stages that are applied to change events.
struct ChangePipeline: Sendable {
    private let pipeline: Pipeline?

    private static let stages: Set<String> = [
        "$match", "$project", "$addFields", "$set", "$unset", "$replaceRoot", "$replaceWith", "$redact",
    ]

    init(_ stages: [MongoDocument]) throws {
        for name in stages.compactMap(\.keys.first) where StageKind.all[name] != nil && !Self.stages.contains(name) {
            throw MongoError(code: 20, "\(name) is no stage that changes can go through.")
        }
        pipeline = stages.isEmpty ? nil : try Pipeline(parsing: stages)
    }

    /// Returns the documents that the stages produce from events.
    func documents(of events: [MongoDocument]) throws -> [MongoDocument] {
        guard let pipeline else { return events }
        var rows = try pipeline.rows(from: RowCursor(events.map { Row($0) }), options: PipelineOptions(now: .now))
        var documents: [MongoDocument] = []
        while let row = try rows.next() { documents.append(row.document) }
        return documents
    }
}
