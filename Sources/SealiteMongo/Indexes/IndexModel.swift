internal import SealiteFunctions
internal import SealiteJSON
public import SealiteValues

/// An index of a collection: its paths with their directions, and its options.
public struct IndexModel: Sendable, Hashable {
    /// The paths in their order, each with 1 or -1, or with `2dsphere` or `2d` for an index on geometries.
    public var keys: MongoDocument
    /// The index's options, such as `unique`.
    public var options: IndexOptions

    /// Creates an index over paths.
    public init(keys: MongoDocument, options: IndexOptions = IndexOptions()) {
        (self.keys, self.options) = (keys, options)
    }
}

extension IndexModel {
    /// The maximum number of paths of an index.
    private static let maximumPathCount = 31

    /// The index's name, which is derived from the paths and directions if the options have none; always `_id_` for
    /// the index over `_id`.
    var name: String {
        if isOverID { return "_id_" }
        if let name = options.name { return name }
        return keys.map { "\($0.key)_\($0.value.text ?? ($0.value.isNegativeNumber ? "-1" : "1"))" }
            .joined(separator: "_")
    }

    /// The index's paths in their order, without directions.
    var paths: [String] { keys.keys }

    /// A Boolean value that says whether the index is over `_id` alone. Every collection has this index.
    var isOverID: Bool { paths == ["_id"] }

    /// Returns whether another model has the same name and the same stored definition, byte by byte.
    func isSame(as other: IndexModel) -> Bool {
        ExactText.areSame(name, other.name) && ExactText.areSame(stored, other.stored)
    }

    /// Throws `MongoError` if the definition of the index is invalid.
    func check() throws {
        try require(
            !keys.isEmpty && keys.count <= Self.maximumPathCount, 67,
            "An index must have 1 to \(Self.maximumPathCount) paths, not \(keys.count).")
        try require(Set(paths.map { ExactText($0) }).count == keys.count, 67, "An index has the same path twice.")
        for member in keys {
            try require(
                isText
                    ? member.value == "text"
                    : member.value.isDirection || Self.geometryTypes.contains(member.value.text ?? ""), 67,
                isText
                    ? "All paths of a text index must have the value 'text', also '\(member.key)'."
                    : "The value of '\(member.key)' in an index must be a number other than 0, 'text', '2dsphere' or '2d'."
            )
            let names = member.key.split(separator: ".", omittingEmptySubsequences: false)
            try require(
                names.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("$") }) && names.count <= FilterPath.maximumCount, 67,
                "'\(member.key)' can't be a path of an index: its names must not be empty or begin with '$', and be at most \(FilterPath.maximumCount)."
            )
            try require(
                names.first != "_id" || names.count == 1, 67,
                "The path '\(member.key)' of an index must not lead into the '_id'.")
        }
        if isText {
            try checkText()
        } else {
            try require(
                options.defaultLanguage == nil && options.weights == nil, 67,
                "'defaultLanguage' and 'weights' belong to a text index.")
        }
        if let filter = options.partialFilterExpression { _ = try Filter(parsing: filter) }
        try require(
            !options.sparse || options.partialFilterExpression == nil, 67,
            "An index can't have both 'sparse' and 'partialFilterExpression'.")
        try checkGeometry()
        guard let seconds = options.expireAfterSeconds else { return }
        try require(
            keys.count == 1 && !isOverID, 67,
            "expireAfterSeconds needs an index over exactly one path, which must not be '_id'.")
        try require((0...Int(Int32.max)).contains(seconds), 67, "expireAfterSeconds must be from 0 to \(Int32.max).")
    }
}

extension IndexModel {
    /// A Boolean value that says whether the index is a text index.
    var isText: Bool { keys.contains { $0.value == "text" } }

    /// Returns the name of the language of a text index.
    func textLanguage() throws -> String {
        try require(
            TextLanguage.name(options.defaultLanguage ?? "english"), 67,
            "There is no language '\(options.defaultLanguage ?? "")' of a text index; 'none' is for texts of any.")
    }

    /// Throws `MongoError` 67 if the options of a text index are invalid.
    private func checkText() throws {
        try require(
            !options.unique && !options.sparse && options.expireAfterSeconds == nil
                && options.partialFilterExpression == nil, 67,
            "A text index can't have 'unique', 'sparse', 'expireAfterSeconds' or 'partialFilterExpression'.")
        _ = try textLanguage()
        for weight in options.weights ?? [:] {
            let number = weight.value.exactInt64 ?? 0
            try require(
                paths.contains(weight.key) && (1...99_999).contains(number), 67,
                "The weight of '\(weight.key)' must be an integer from 1 to 99,999, for a path of the index.")
        }
    }
}

// MARK: - On geometries

extension IndexModel {
    /// The types of indexes on geometries.
    private static let geometryTypes = ["2dsphere", "2d"]

    /// The paths of the geometries; empty for an index of values. Other paths of an index on geometries are only part of its
    /// definition.
    var geometryPaths: [String] { keys.filter { Self.geometryTypes.contains($0.value.text ?? "") }.map(\.key) }

    /// The grid of an index on geometries; nil for an index of values.
    var grid: GeoGrid? {
        guard let first = keys.lazy.compactMap(\.value.text).first, Self.geometryTypes.contains(first) else {
            return nil
        }
        return first == "2dsphere" ? .sphere : .plane(low: options.min ?? -180, high: options.max ?? 180)
    }

    private func checkGeometry() throws {
        let types = keys.compactMap(\.value.text).filter { Self.geometryTypes.contains($0) }
        if let version = options.sphereIndexVersion {
            try require((1...3).contains(version), 67, "The version of a '2dsphere' index is from 1 to 3.")
        }
        if let bits = options.bits { try require((1...32).contains(bits), 72, "'bits' of an index is from 1 to 32.") }
        guard !types.isEmpty else { return }
        try require(
            types == ["2d"] && keys.members[0].value.text != nil || !types.contains("2d"), 67,
            "An index has '2d' only at its first path, and no other geometries.")
        try require(!options.unique, 67, "An index on geometries can't be unique.")
        try require(options.expireAfterSeconds == nil, 67, "An index on geometries can't have expireAfterSeconds.")
        guard case .plane(let low, let high)? = grid else { return }
        try require(low.isFinite && high.isFinite && low < high, 72, "'min' of an index must be less than 'max'.")
    }
}

// MARK: - As the catalogue has it

extension IndexModel {
    /// The keys and options of the index, without its name, as the Extended JSON that the database's catalogue stores.
    var stored: String {
        var members: MongoDocument = ["key": .document(keys)]
        if options.unique { members["unique"] = true }
        if options.sparse { members["sparse"] = true }
        members["partialFilterExpression"] = options.partialFilterExpression.map { .document($0) }
        members["expireAfterSeconds"] = options.expireAfterSeconds.map { BSON($0) }
        members["default_language"] = options.defaultLanguage.map { .string($0) }
        members["weights"] = options.weights.map { .document($0) }
        members["bits"] = options.bits.map { BSON($0) }
        members["min"] = options.min.map { .double($0) }
        members["max"] = options.max.map { .double($0) }
        return members.extendedJSON(.canonical)
    }

    /// Creates the index that a text of the catalogue defines; nil if the text isn't a definition by this API.
    init?(stored: String, name: String) {
        guard let members = try? MongoDocument(extendedJSON: stored), case .document(let keys)? = members["key"] else {
            return nil
        }
        var options = IndexOptions(name: name)
        options.unique = members["unique"] == true
        options.sparse = members["sparse"] == true
        if case .document(let filter)? = members["partialFilterExpression"] { options.partialFilterExpression = filter }
        options.defaultLanguage = members["default_language"].text
        options.weights = members["weights"].members
        switch members["expireAfterSeconds"] {
        case .int32(let seconds)?: options.expireAfterSeconds = Int(seconds)
        case .int64(let seconds)?: options.expireAfterSeconds = Int(seconds)
        default: break
        }
        options.bits = members["bits"]?.exactInt64.map { Int($0) }
        if case .double(let low)? = members["min"] { options.min = low }
        if case .double(let high)? = members["max"] { options.max = high }
        self.init(keys: keys, options: options)
    }
}

/// The options of an index, with the names of MongoDB's Swift driver.
public struct IndexOptions: Sendable, Hashable {
    /// The index's name; nil derives it from the paths and directions, joined by `_`, such as `age_1_name_-1`.
    public var name: String?
    /// A Boolean value that says whether a write is refused if another document has the same values at the index's
    /// paths; a missing value counts as null. Documents that sync receives are never refused.
    public var unique: Bool
    /// A Boolean value that says whether documents without a value at any of the paths have no entry in the index and
    /// aren't checked for uniqueness.
    public var sparse: Bool
    /// A filter for the documents to which `unique` applies; nil for all documents.
    public var partialFilterExpression: MongoDocument?
    /// The number of seconds after which the expiration timer deletes a document, counted from the date at the index's
    /// only path, or from the earliest date if an array is at the path. Nil for an index without expiration.
    public var expireAfterSeconds: Int?
    /// The language of the texts of a text index, whose stems and stop words are used: its English name or its code of
    /// two letters, or `none`. Nil for English.
    public var defaultLanguage: String?
    /// The factors by which words at the paths of a text index count in scores, from 1 to 99,999; 1 for paths that it
    /// lacks.
    public var weights: MongoDocument?
    /// The precision of a `2d` index, from 1 to 32, which is checked but has no effect: an index has all of a coordinate.
    public var bits: Int?
    /// The least coordinate that a `2d` index allows; nil for -180.
    public var min: Double?
    /// The greatest coordinate that a `2d` index allows; nil for 180.
    public var max: Double?
    /// The version of a `2dsphere` index in MongoDB, from 1 to 3, which is checked but has no effect.
    public var sphereIndexVersion: Int?

    /// Creates options.
    public init(
        name: String? = nil, unique: Bool = false, sparse: Bool = false,
        partialFilterExpression: MongoDocument? = nil, expireAfterSeconds: Int? = nil, defaultLanguage: String? = nil,
        weights: MongoDocument? = nil, bits: Int? = nil, min: Double? = nil, max: Double? = nil,
        sphereIndexVersion: Int? = nil
    ) {
        (self.name, self.unique, self.sparse) = (name, unique, sparse)
        (self.partialFilterExpression, self.expireAfterSeconds) = (partialFilterExpression, expireAfterSeconds)
        (self.defaultLanguage, self.weights) = (defaultLanguage, weights)
        (self.bits, self.min, self.max, self.sphereIndexVersion) = (bits, min, max, sphereIndexVersion)
    }
}

extension BSON {
    var isNegativeNumber: Bool { type.isNumber && compared(to: .int32(0)) < 0 }

    var isDirection: Bool { type.isNumber && compared(to: .int32(0)) != 0 }
}
