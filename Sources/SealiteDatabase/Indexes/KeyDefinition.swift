internal import FoundationEssentials
package import SealiteFunctions
internal import SealiteJSON

/// The definition of an index of the kind `value`: the keys of a document, and the condition for its being in the index
/// (Documentation/DocumentFormat.md §3.4). With levels, the definition of an index of the kind `array`: the keys of an
/// array's elements (§3.5). With paths, the definition of an index of the kind `multikey`: the values at these paths
/// (§3.6); with a grid too, one of the kind `geo`: the cells of the geometries at the paths (§3.10).
package struct KeyDefinition: IndexDefinition, Equatable {
    /// One key of an index entry.
    package enum Key: Sendable, Equatable {
        /// The key of the value at a path.
        case path([PathStep], KeyOrder)
        /// A deterministic SQL expression over the columns `id` and `body`, or over an element's column `value`, that
        /// yields a BLOB. Its subqueries read only `query_each`.
        case sql(String)
    }

    /// One step of a path into a document's body.
    package enum PathStep: Sendable, Equatable {
        /// The member of an object.
        case member(String)
        /// The item of an array at an index, which counts from 0.
        case item(Int)

        /// Members are the same if their names have the same bytes.
        package static func == (left: PathStep, right: PathStep) -> Bool {
            switch (left, right) {
            case (.member(let left), .member(let right)): ExactText.areSame(left, right)
            case (.item(let left), .item(let right)): left == right
            case (.member, _), (.item, _): false
            }
        }

        /// A Boolean value that says whether the step doesn't count from the end of an array.
        fileprivate var isForward: Bool { if case .item(let index) = self { index >= 0 } else { true } }
    }

    /// The order of the values of a key.
    package enum KeyOrder: String, Sendable, Codable {
        /// The order of SQL++.
        case queries
        /// MongoDB's order.
        case mongo

        var values: ValueOrder { self == .queries ? .queries : .mongo }
    }

    /// The greatest number of keys, or of paths, that an index can have.
    package static let maximumKeyCount = 32
    /// The greatest number of nested arrays that the path to the elements of an index can lead through.
    package static let maximumLevelCount = 16

    /// The keys of an index entry, at least one and at most 32.
    package var keys: [Key]
    /// The condition, an SQL expression over `id` and `body`; nil if every live document has an entry.
    package var condition: String?
    /// The source text of the definition, for the caller that created the index; this module doesn't interpret it.
    package var source: String?
    /// The path to the array whose elements have the keys: from the document to an array, from its elements to nested
    /// arrays, and so on. Nil for an index of another kind than `array`.
    package var levels: [[PathStep]]?
    /// The paths of an index of the kind `multikey`, whose keys are made from the values at these paths, through nested
    /// documents and arrays; nil for the other kinds.
    package private(set) var paths: [String]?
    /// A Boolean value that says whether a document without a value at any of ``paths`` has no entry.
    package private(set) var isSparse = false
    /// The grid of an index of the kind `geo`; nil for the other kinds.
    package private(set) var grid: GeoGrid?

    /// Creates the definition of an index of the kind `value`, in which a document has one entry.
    package init(keys: [Key], condition: String? = nil, source: String? = nil) {
        self.keys = keys
        self.condition = condition
        self.source = source
    }

    /// Creates the definition of an index over the elements of an array; without keys, the element itself is the key.
    package init(levels: [[PathStep]], keys: [Key] = [], source: String? = nil) {
        self.init(keys: keys.isEmpty ? [.path([], .queries)] : keys, source: source)
        self.levels = levels
    }

    /// Creates the definition of an index of the kind `multikey`, in which a document has an entry for each combination
    /// of the values at the paths.
    package init(paths: [String], isSparse: Bool, source: String? = nil) {
        self.init(keys: [Self.entryKey], source: source)
        self.paths = paths
        self.isSparse = isSparse
    }

    /// Creates the definition of an index of the kind `geo`, in which a document has an entry for each cell of the geometries at
    /// the paths.
    package init(grid: GeoGrid, paths: [String], source: String? = nil) {
        self.init(paths: paths, isSparse: false, source: source)
        self.grid = grid
    }

    /// The only key in an index over paths: an SQL expression in which the column `value` is an entry that the SQL
    /// function `mongo_entries` returns.
    fileprivate static let entryKey = Key.sql("CAST(value AS BLOB)")

    package var ownComponents: Set<IndexComponent> { grid == nil ? [.keys] : [.keys, .cells] }

    /// The kind of the index: `value`, `array`, `multikey` or `geo`.
    package var kind: IndexKind {
        if grid != nil { return .geo }
        return paths != nil ? .multikey : levels == nil ? .value : .array
    }
    package var form: IndexForm { .keys(self) }

    /// A Boolean value that says whether a document may have several entries, each with a position.
    var hasPositions: Bool { levels != nil || paths != nil }
}

// MARK: - The stored form

extension KeyDefinition: Codable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }

        static let keys = Name(stringValue: "keys")
        static let condition = Name(stringValue: "where")
        static let source = Name(stringValue: "source")
        static let levels = Name(stringValue: "array")
        static let paths = Name(stringValue: "paths")
        static let isSparse = Name(stringValue: "sparse")
        static let grid = Name(stringValue: "grid")
    }

    /// Decodes the JSON object by which the catalogue of indexes stores the definition.
    ///
    /// - Throws: `DecodingError` for a member that this program doesn't know, because it may change the keys.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        func refusal(_ name: Name, _ reason: String) -> DecodingError {
            .dataCorruptedError(forKey: name, in: container, debugDescription: reason)
        }
        let known = [
            Name.keys, Name.condition, Name.source, Name.levels, Name.paths, Name.isSparse,
            Name.grid,
        ].map(\.stringValue)
        if let unknown = container.allKeys.first(where: { !known.contains($0.stringValue) }) {
            throw refusal(unknown, "unknown member")
        }
        keys = try container.decode([Key].self, forKey: .keys)
        condition = try container.decodeIfPresent(String.self, forKey: .condition)
        source = try container.decodeIfPresent(String.self, forKey: .source)
        levels = try container.decodeIfPresent([[PathStep]].self, forKey: .levels)
        paths = try container.decodeIfPresent([String].self, forKey: .paths)
        isSparse = try container.decodeIfPresent(Bool.self, forKey: .isSparse) ?? false
        if let text = try container.decodeIfPresent(String.self, forKey: .grid) {
            guard let grid = GeoGrid(text: text), paths != nil, !isSparse else {
                throw refusal(.grid, "an index on geometries has a grid, and paths, and isn't sparse")
            }
            self.grid = grid
        }
        guard hasSoundPaths else {
            throw refusal(
                .paths,
                "an index over paths has 1 to \(Self.maximumKeyCount) paths, no other keys and no condition; only such an index is sparse"
            )
        }
        guard (1...Self.maximumKeyCount).contains(keys.count) else {
            throw refusal(.keys, "an index has 1 to \(Self.maximumKeyCount) keys")
        }
        guard hasSoundLevels else {
            throw refusal(
                .levels,
                "an index over elements has 1 to \(Self.maximumLevelCount) paths (forward, not empty), no condition, and keys in SQL++ order"
            )
        }
    }

    private var hasSoundPaths: Bool {
        guard let paths else { return !isSparse }
        return (1...Self.maximumKeyCount).contains(paths.count) && levels == nil && condition == nil
            && keys == [Self.entryKey]
    }

    private var hasSoundLevels: Bool {
        guard let levels else { return true }
        return (1...Self.maximumLevelCount).contains(levels.count)
            && levels.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isForward) }
            && condition == nil && keys.allSatisfy { if case .path(_, .mongo) = $0 { false } else { true } }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        try container.encode(keys, forKey: .keys)
        try container.encodeIfPresent(condition, forKey: .condition)
        try container.encodeIfPresent(source, forKey: .source)
        try container.encodeIfPresent(levels, forKey: .levels)
        try container.encodeIfPresent(paths, forKey: .paths)
        if isSparse { try container.encode(true, forKey: .isSparse) }
        try container.encodeIfPresent(grid?.text, forKey: .grid)
    }

    /// Creates a definition from the JSON text by which the catalogue of indexes stores it.
    ///
    /// - Throws: an error for a definition that this program doesn't know, or with an SQL expression that an index can't
    ///   have (``SQLExpressions``).
    init(stored: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(stored.utf8))
        let own: [String] = paths != nil ? [] : keys.compactMap { if case .sql(let text) = $0 { text } else { nil } }
        guard
            SQLExpressions.areAllowed(
                own + (condition.map { [$0] } ?? []), over: hasPositions ? ["value"] : ["id", "body"])
        else { throw SQLExpressions.refusal }
    }
}

extension KeyDefinition.Key: Codable {
    private enum Name: String, CodingKey { case order, path, sql }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        if container.contains(.sql), !container.contains(.path), !container.contains(.order) {
            self = .sql(try container.decode(String.self, forKey: .sql))
        } else {
            guard !container.contains(.sql) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .sql, in: container, debugDescription: "a key has either a path and an order, or SQL")
            }
            self = .path(
                try container.decode([KeyDefinition.PathStep].self, forKey: .path),
                try container.decode(KeyDefinition.KeyOrder.self, forKey: .order))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        switch self {
        case .sql(let text): try container.encode(text, forKey: .sql)
        case .path(let steps, let order):
            try container.encode(order, forKey: .order)
            try container.encode(steps, forKey: .path)
        }
    }
}

extension KeyDefinition.PathStep: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let index = try? container.decode(Int.self) {
            self = .item(index)
        } else {
            self = .member(try container.decode(String.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .member(let name): try container.encode(name)
        case .item(let index): try container.encode(index)
        }
    }
}
