internal import FoundationEssentials
internal import GRDB
package import SealiteFunctions
internal import SealiteJSON

/// A row of the catalogue of indexes (Documentation/DocumentFormat.md §3).
package struct IndexRecord: Sendable, Hashable {
    /// The number of the index, which is part of the names of its tables.
    package let number: Int64
    /// The number of the collection that the index belongs to.
    package let collection: Int
    /// The index's name, unique in the collection.
    package let name: String
    /// The name of the index's kind, which this program needn't know.
    let kindName: String
    /// The kind of the index; nil for one that this program doesn't know.
    package var kind: IndexKind? { IndexKind(rawValue: kindName) }
    /// The index's definition, the text of a JSON object.
    package let definition: String
    /// The versions of the parts of the program on which the index depends, the text of a JSON object.
    package let versions: String
    /// A Boolean value that says whether the index is complete. An incomplete index must be rebuilt before use.
    package let isWhole: Bool

    /// Rows are equal if their texts have the same bytes: definitions over members whose names differ in normalization only
    /// are others.
    package static func == (left: IndexRecord, right: IndexRecord) -> Bool {
        (left.number, left.collection, left.isWhole) == (right.number, right.collection, right.isWhole)
            && ExactText.areSame(left.name, right.name) && ExactText.areSame(left.kindName, right.kindName)
            && ExactText.areSame(left.definition, right.definition) && ExactText.areSame(left.versions, right.versions)
    }

    static let columns = "number, collection, name, kind, definition, versions, state"

    /// Creates a record from the current row of a statement that selects the columns `columns`.
    init(_ statement: borrowing PreparedStatement) {
        number = statement.int64(at: 0)
        collection = Int(truncatingIfNeeded: statement.int64(at: 1))
        name = statement.text(at: 2)
        kindName = statement.text(at: 3)
        definition = statement.text(at: 4)
        versions = statement.text(at: 5)
        isWhole = statement.int64(at: 6) == 0
    }

    /// Returns the rows of the catalogue, sorted by number: the indexes of one collection, or of all collections if
    /// `collection` is nil.
    static func all(of collection: Int? = nil, in connection: GRDB.Database) throws -> [IndexRecord] {
        try connection.rows(
            "SELECT \(columns) FROM indexes WHERE ?1 IS NULL OR collection = ?1 ORDER BY number", collection
        ) { IndexRecord($0) }
    }

    /// Returns the row of an index; nil if there is none with the number.
    static func record(_ number: Int64, in connection: GRDB.Database) throws -> IndexRecord? {
        try connection.first("SELECT \(columns) FROM indexes WHERE number = ?1", number) { IndexRecord($0) }
    }

    /// Returns the tables of the index; nil if this program can't maintain them.
    func table() -> (any IndexTable)? {
        guard IndexComponents.agreement(versions) != .unknown else { return nil }
        return form?.table(number: number, collection: collection)
    }

    /// Returns the table of keys; nil if the index has none, or if this program can't maintain it.
    func keyTable() -> KeyTable? { table() as? KeyTable }

    /// The definition; nil if this program doesn't know the kind or the definition.
    private var form: IndexForm? { kind?.form(stored: definition) }

    /// The name of the table and the definition of a full-text index; nil for an index of another kind, and for one
    /// that has to be rebuilt before use (see ``isCurrent``).
    package var text: (table: String, definition: TextDefinition)? {
        guard isCurrent, case .text(let known)? = form else { return nil }
        return (TextTable.name(number), known)
    }

    /// The plan of searches of a vector index, and its definition; nil for an index of another kind, and for one that has to
    /// be rebuilt before use (see ``isCurrent``).
    package var vectors: (plan: VectorPlan, definition: VectorDefinition)? {
        guard isCurrent, case .vector(let known)? = form else { return nil }
        return (known.plan(index: number, collection: collection), known)
    }

    /// The name of the table of keys, and the text in which the API that created the index described it, which this
    /// module doesn't interpret. Nil without such a text, for a full-text index, for a kind or definition that this
    /// program doesn't know, and for an index that has to be rebuilt before use (see ``isCurrent``).
    package var usable: (table: String, source: String)? {
        guard isCurrent, case .keys(let known)? = form, let source = known.source else { return nil }
        return (KeyTable.name(number, known), source)
    }

    /// The name of the table of an index on geometries, its grid and its paths; nil for an index of another kind, and for one that has
    /// to be rebuilt before use (see ``isCurrent``).
    package var geometries: (table: String, grid: GeoGrid, paths: [String])? {
        guard isCurrent, case .keys(let known)? = form, let grid = known.grid, let paths = known.paths else {
            return nil
        }
        return (KeyTable.name(number, known), grid, paths)
    }

    /// The paths of the keys of a value index for SQL++, as `member.member`; empty for an index of another kind. Keys
    /// that are expressions, or have array items in their paths, are left out.
    package var queryPaths: [String] {
        guard kind == .value, case .keys(let known)? = form else { return [] }
        return known.keys.compactMap { key in
            guard case .path(let steps, .queries) = key else { return nil }
            let members = steps.compactMap { if case .member(let name) = $0 { name } else { nil } }
            return members.count == steps.count ? members.joined(separator: ".") : nil
        }
    }

    /// A Boolean value that says whether the index can be used: it is complete, and was made with this program's
    /// versions of the components that it depends on.
    var isCurrent: Bool { isWhole && IndexComponents.agreement(versions) == .same }

    /// Returns the error for a write to a collection with this index, which the program can't maintain or has to
    /// rebuild first.
    func refusal(_ collection: Collection) -> DatabaseError {
        let problem = "the collection \"\(collection.fullName)\" can't be changed: its index \"\(name)\""
        guard table() == nil else {
            return DatabaseError(
                .indexNotCurrent,
                "\(problem) has to be rebuilt first; opening the database does that, unless the rebuild fails",
                hint:
                    "open the database again; if the rebuild fails, delete the index, or write the collection with another version of the program"
            )
        }
        let reason =
            kind == nil
            ? "is of the kind \"\(kindName)\", which this program can't maintain"
            : "has a definition, or depends on a component, that this program doesn't know"
        return DatabaseError(
            .databaseTooNew, "\(problem) \(reason)",
            hint: "write the collection with a newer version of the program, or delete the index with that version")
    }
}

extension IndexKind {
    /// Returns the definition of an index of this kind from the text by which the catalogue of indexes stores it; nil
    /// if this program doesn't know the definition.
    func form(stored: String) -> IndexForm? {
        switch self {
        case .value, .array, .multikey, .geo:
            guard let definition = try? KeyDefinition(stored: stored), definition.kind == self else { return nil }
            return .keys(definition)
        case .text: return (try? TextDefinition(stored: stored)).map { .text($0) }
        case .vector: return (try? VectorDefinition(stored: stored)).map { .vector($0) }
        }
    }
}

/// The definition of an index, in the type that definitions of its kind have.
package enum IndexForm: Sendable {
    /// The definition of an index of the kind `value`, `array`, `multikey` or `geo`.
    case keys(KeyDefinition)
    /// The definition of an index of the kind `text`.
    case text(TextDefinition)
    /// The definition of an index of the kind `vector`.
    case vector(VectorDefinition)

    /// Returns the tables of an index of this definition.
    func table(number: Int64, collection: Int) -> any IndexTable {
        switch self {
        case .keys(let definition): KeyTable(number: number, collection: collection, definition)
        case .text(let definition): TextTable(number: number, collection: collection, definition)
        case .vector(let definition): VectorTable(number: number, collection: collection, definition)
        }
    }
}

/// The definition of an index, from which the content of its tables follows.
package protocol IndexDefinition: Sendable {
    var kind: IndexKind { get }
    /// The definition with its type, by which the program selects the tables.
    var form: IndexForm { get }
    /// The source text of the definition, for the caller that created the index; nil if it gave none.
    var source: String? { get }
    /// Returns the text by which the catalogue of indexes stores the definition.
    func stored() throws -> String
    /// The parts of the program, such as the layout of keys, on which every index of the kind depends.
    var ownComponents: Set<IndexComponent> { get }
}

extension IndexDefinition where Self: Encodable {
    package func stored() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
