internal import SealiteDatabase
internal import SealiteFunctions
internal import SealiteValues

extension TextMatches {
    /// Searches a collection, in the calling thread's transaction or snapshot.
    ///
    /// - Throws: `MongoError` 27 if the collection has no text index.
    convenience init(_ query: TextQuery, in collection: Collection) throws {
        let index = try require(
            StringIndex.all(of: collection).first, 27,
            "$text needs a text index of the collection '\(collection.fullName)'; create one with createIndex.")
        let matcher = TextMatcher(query, language: index.language)
        var scores: [BSONKey: Double] = [:]
        if !matcher.isEmpty {
            let documents = "documents_\(collection.number)"
            // An index finds only words of its own language.
            let isIndexed = query.language == nil || query.language == index.language
            let condition =
                isIndexed ? "number IN (SELECT rowid FROM \(index.table) WHERE \(index.table) MATCH ?1)" : "number > 0"
            let expression = query.terms.map { "\"\($0.split(separator: "\"").joined(separator: " "))\"" }
                .joined(separator: " OR ")
            try collection.database.readRows(
                "SELECT id, body FROM \(documents) WHERE \(condition)",
                bind: { if isIndexed { $0.bind(expression, at: 1) } }
            ) { statement in
                let row = Row(body: statement.bytes(at: 1) ?? [], id: DocumentKey.value(of: statement.text(at: 0)))
                guard let score = matcher.score(of: index.fields(of: row)) else { return }
                scores[BSONKey(row.id)] = score
            }
        }
        self.init(scores)
    }
}

extension Filter {
    /// The greatest number of found documents that are looked up one by one.
    private static let lookUpCount = 500

    /// Returns the filter with the documents that its `$text` finds in a collection in its place; the filter itself if
    /// it has none.
    func resolved(in collection: Collection) throws -> Filter {
        guard let text, matches == nil else { return self }
        let matches = try TextMatches(text, in: collection)
        let ids = matches.ids
        let found: FilterTree =
            ids.isEmpty
            ? .constant(false)
            : ids.count <= Self.lookUpCount
                ? .path(try FilterPath("_id"), .among(ValueList(ids, []))) : .document { matches.contains($0.id) }
        var filter = Filter(.all([found, tree.withoutText]))
        filter.matches = matches
        return filter
    }
}

extension FilterTree {
    /// The tree with a true condition in place of a `$text`.
    fileprivate var withoutText: FilterTree {
        switch self {
        case .text: .constant(true)
        case .all(let trees): .all(trees.map(\.withoutText))
        default: self
        }
    }
}

/// A text index that was created through the MongoDB API.
struct StringIndex: Sendable {
    let model: IndexModel
    /// The name of the FTS5 table.
    let table: String
    /// The name of the language of the texts.
    let language: String
    private let fields: [(path: FilterPath, weight: Double)]

    private init?(_ record: IndexRecord) {
        guard let (table, definition) = record.text, let source = definition.source,
            let model = IndexModel(stored: source, name: record.name)
        else { return nil }
        (self.table, self.model) = (table, model)
        language = TextLanguage.name(model.options.defaultLanguage ?? "english") ?? "none"
        fields = model.paths.compactMap { path in
            let weight = BSONNumber(model.options.weights?[path])?.double ?? 1
            return FilterPath(path.utf8).map { ($0, weight) }
        }
    }

    /// Returns the usable text indexes of a collection that were created through the MongoDB API.
    static func all(of collection: Collection) throws -> [StringIndex] {
        try collection.indexRecords().filter { $0.kind == .text }.compactMap { StringIndex($0) }
    }

    /// Returns the texts of a document at the paths of the index: strings, and those in arrays.
    func fields(of row: Row) -> [TextMatcher.Field] {
        fields.map { field in
            (row.leaves(at: field.path, .items).compactMap { $0.text }, field.weight)
        }
    }
}

extension IndexModel {
    /// The definition of a text index for the database's catalogue.
    func textDefinition() throws -> TextDefinition {
        let language = try textLanguage()
        // A path may lead through arrays, so that the table has all strings of its first member.
        let names = Set(try paths.map { try FieldPath($0).names[0] }).sorted()
        let texts = names.enumerated().map { place, name in
            TextDefinition.Text(name: "text\(place + 1)", sql: VectorPath(names: [name]).sql)
        }
        return TextDefinition(texts: texts, settings: TextLanguage.settings(language), source: stored)
    }
}
