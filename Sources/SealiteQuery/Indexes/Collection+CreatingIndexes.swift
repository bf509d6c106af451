public import SealiteDatabase
internal import SealiteFunctions
internal import SealiteQueryLanguage

extension Collection {
    /// Creates an index of the collection and fills it, in one transaction, which blocks writers but not readers. An
    /// existing index with the same name and definition is left unchanged; one with the same name and another
    /// definition is replaced. Inside a transaction, the change is part of the transaction.
    ///
    /// - Parameters:
    ///   - name: the name, unique in the collection; it must not be empty or contain a double quotation mark.
    ///   - config: the definition of the index.
    ///   - progress: called first before any document is read, then after each 50,000 documents, 200 for a vector index,
    ///     which is trained meanwhile if there are enough vectors, or 1,000 for a
    ///     full-text index, and after the last one; for a full-text index also during its completion, with the same
    ///     numbers. Returning false cancels the creation.
    /// - Throws: `invalidQuery` if an expression isn't SQL++ or can't be in an index, `invalidParameter` for an unknown
    ///   list of stop words, `badName`, `cancelled`, and errors of the storage; then nothing is changed.
    public func createIndex(
        withName name: String, config: any IndexConfiguration,
        progress: (@Sendable (IndexBuildProgress) -> Bool)? = nil
    ) throws {
        guard !name.utf8.contains(0x22) else {
            throw DatabaseError(
                .badName, "the name of an index can't contain a double quotation mark, as '\(name)' does")
        }
        let report: (IndexProgress) throws -> Void = { done in
            let report = IndexBuildProgress(
                documentCount: done.documentCount, totalDocumentCount: done.totalDocumentCount)
            guard progress?(report) ?? true else {
                throw DatabaseError(
                    .cancelled, "creating the index \"\(name)\" was cancelled; the database is unchanged")
            }
        }
        if let config = config as? FullTextIndexConfiguration {
            let translation = try TextTranslation(config)
            return try createIndex(name, translation.definition, components: translation.components, progress: report)
        }
        if let config = config as? VectorIndexConfiguration {
            let translation = try VectorTranslation(config)
            try createIndex(name, translation.definition, components: translation.components, progress: report)
            // In a transaction the index is completed by the first search after it.
            if !database.isInTransactionOrSnapshot { try completeVectorIndex(name, progress: report) }
            return
        }
        let translation =
            switch config {
            case let config as ValueIndexConfiguration: try IndexTranslation(config)
            case let config as ArrayIndexConfiguration: try IndexTranslation(config)
            default:
                throw DatabaseError(
                    .invalidParameter, "no index can be created from a configuration of the type \(type(of: config))",
                    hint:
                        "use ValueIndexConfiguration, ArrayIndexConfiguration, FullTextIndexConfiguration or VectorIndexConfiguration"
                )
            }
        try createIndex(name, translation.definition, components: translation.components, progress: report)
    }

    /// Creates an index from a definition made with ``IndexBuilder``; see ``createIndex(withName:config:progress:)``.
    public func createIndex(_ index: Index, name: String) throws {
        if let failure = index.failure { throw DatabaseError(.invalidQuery, failure) }
        try createIndex(withName: name, config: index.config)
    }

    /// Returns the names of the collection's indexes, sorted.
    public func indexes() throws -> [String] { try indexRecords().map(\.name).sorted() }

    /// Returns the index of the collection with a name; nil if there is none.
    public func index(withName name: String) throws -> QueryIndex? {
        guard let record = try indexRecords().first(where: { $0.name == name }) else { return nil }
        let stored = record.usable?.source ?? record.text?.definition.source ?? record.vectors?.definition.source
        let source = stored.flatMap { try? IndexSource(stored: $0) }
        return QueryIndex(
            collection: self, name: name, path: source?.path, expressions: source?.expressions ?? [],
            where: source?.condition, language: source?.language,
            fullText: record.text.flatMap { text in source.map { FullTextIndexConfiguration($0, text.definition) } },
            vectors: record.vectors.flatMap { vectors in
                source?.expressions.first.map { VectorIndexConfiguration($0, vectors.definition) }
            })
    }

    /// Deletes the index of the collection with a name; does nothing if there is none.
    public func deleteIndex(forName name: String) throws { try deleteIndex(name) }
}

/// An index of a collection.
public struct QueryIndex: Sendable {
    /// The collection that has the index.
    public let collection: Collection
    /// The index's name, unique in the collection.
    public let name: String
    /// The path to the array whose elements an array index contains; nil for an index of another kind, and if the
    /// definition isn't available: because the index wasn't created from SQL++, or has to be rebuilt before it is used.
    public let path: String?
    /// The indexed expressions in SQL++; empty if whole elements are indexed, and if the definition isn't available:
    /// because the index wasn't created from SQL++, or has to be rebuilt before it is used.
    public let expressions: [String]
    /// The condition in SQL++ of a partial index; nil if all documents are in the index, and if the definition isn't
    /// available, as for ``expressions``.
    public let `where`: String?
    /// The language that the full-text index was created with; nil if it has none, and for other kinds of indexes.
    public let language: String?
    /// The definition of a full-text index, with the stop words that `automatic` selected; nil for other kinds of
    /// indexes, and if the index has to be rebuilt before it is used.
    public let fullText: FullTextIndexConfiguration?
    /// The definition of a vector index; nil for other kinds of indexes, and if the index has to be rebuilt before it is
    /// used.
    public let vectors: VectorIndexConfiguration?
    /// A Boolean value that says whether there is a stemmer for ``language``; without a stemmer, only words in the same
    /// form match. False if ``language`` is nil.
    public var isLanguageKnown: Bool {
        language.map { WordSettings.algorithms.contains(WordSettings.languageName($0)) } ?? false
    }
}

/// The progress of filling a new index from the documents of its collection.
public struct IndexBuildProgress: Sendable, Equatable {
    /// The number of documents that have been read so far.
    public let documentCount: UInt64
    /// The number of all documents of the collection, or those read so far if they are more.
    public let totalDocumentCount: UInt64
}
