internal import SealiteDatabase
internal import SealiteJSON
public import SealiteValues

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
        private let coding = TypedCoding<Event>()
        private var events: ArraySlice<MongoDocument> = []

        init(collection: Collection, transitions: DocumentTransitions.Iterator, pipeline: ChangePipeline) {
            (self.collection, self.transitions, self.pipeline) = (collection, transitions, pipeline)
        }

        /// Returns the next change; nil if the sequence has ended.
        public mutating func next() async throws -> Event? {
            while events.isEmpty {
                guard let found = try await transitions.next() else { return nil }
                events = try pipeline.documents(of: found.map { $0.event(in: collection) })[...]
            }
            return try events.popFirst().map { try coding.decode($0) }
        }
    }
}

extension MongoCollection {
    /// Returns the changes of the collection from now on.
    ///
    /// - Parameter pipeline: stages that are applied to each event in the form of a document: `$match`, `$project`,
    ///   `$addFields`, `$set`, `$unset`, `$replaceRoot`, `$replaceWith` and `$redact`, such as `[["$match":
    ///   ["operationType": "insert", "fullDocument.age": ["$gte": 21]]]]`.
    /// - Returns: the changes.
    /// - Throws: `MongoError` for an invalid pipeline; code 20 for a stage that isn't allowed for change events.
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

/// An event that reports a change of a document. Several changes of one document since the last event are combined.
public struct ChangeStreamEvent<T: Codable & Sendable>: Codable, Sendable {
    /// The kind of the change.
    public let operationType: OperationType
    /// The document after the change; nil if it was deleted.
    public let fullDocument: T?
    /// The scope and the name of the document's collection.
    public let ns: ChangeNamespace
    /// The key of the document: an object whose only member is `_id`.
    public let documentKey: MongoDocument
    /// The changed members; nil for other kinds than updates.
    public let updateDescription: UpdateDescription?
}

extension DocumentTransition {
    /// Returns the event that reports this change, as a document with the members of ``ChangeStreamEvent``.
    func event(in collection: Collection) -> MongoDocument {
        let id = DocumentKey.value(of: id)
        let row = after.map { Row($0).document }
        var description: DocumentDifference?
        let type: OperationType
        switch (before, row) {
        case (_, nil): type = .delete
        case (.missing, _): type = .insert
        case (.unknown, _): type = after?.isFirstRevision ?? false ? .insert : .replace
        case (.stored, _) where isReplaced: type = .replace
        case (.stored(let body), let new?):
            type = .update
            description = DocumentDifference(from: Row(body: body, id: id).document, to: new)
        }
        var event: MongoDocument = ["operationType": .string(type.rawValue)]
        event["fullDocument"] = row.map { .document($0) }
        event["ns"] = ["db": .string(collection.scopeName), "coll": .string(collection.name)]
        event["documentKey"] = ["_id": id]
        event["updateDescription"] = description.map {
            ["updatedFields": .document($0.updated), "removedFields": .array($0.removed.map { .string($0) })]
        }
        return event
    }
}

extension MongoDocument {
    /// A Boolean value that says whether the name of every member can be part of a path: it isn't empty, contains no
    /// dot and doesn't begin with `$`.
    var isPlain: Bool { keys.allSatisfy { !$0.isEmpty && !$0.contains(".") && !$0.hasPrefix("$") } }
}

/// The scope and the collection in which a document was changed, with the member names of MongoDB's change events.
public struct ChangeNamespace: Codable, Sendable, Hashable {
    /// The name of the scope.
    public let db: String
    /// The name of the collection.
    public let coll: String

    /// Creates the namespace of a collection in a scope.
    public init(db: String, coll: String) { (self.db, self.coll) = (db, coll) }
}

/// The kind of a change that a ``ChangeStreamEvent`` reports.
public enum OperationType: String, Codable, Sendable, Hashable {
    /// A document was inserted.
    case insert
    /// A document was changed.
    case update
    /// A document was replaced; or it was changed, and its former content isn't known.
    case replace
    /// A document was deleted or purged, or it expired.
    case delete
}

/// The members that an update changed.
public struct UpdateDescription: Codable, Sendable, Hashable {
    /// The members that were added or changed: their values by their paths, with dots between names. An array is given
    /// as a whole.
    public let updatedFields: MongoDocument
    /// The paths of the members that were removed.
    public let removedFields: [String]

    /// Creates a description of an update.
    public init(updatedFields: MongoDocument, removedFields: [String]) {
        (self.updatedFields, self.removedFields) = (updatedFields, removedFields)
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
            throw MongoError(
                code: 20,
                "The stage \(name) isn't allowed for change events; allowed are \(Self.stages.sorted().joined(separator: ", "))."
            )
        }
        pipeline = stages.isEmpty ? nil : try Pipeline(parsing: stages)
    }

    /// Returns the documents that the stages produce from change events, which are given as documents.
    func documents(of events: [MongoDocument]) throws -> [MongoDocument] {
        guard let pipeline else { return events }
        var rows = try pipeline.rows(from: RowCursor(events.map { Row($0) }), options: PipelineOptions(now: .now))
        var documents: [MongoDocument] = []
        while let row = try rows.next() { documents.append(row.document) }
        return documents
    }
}
