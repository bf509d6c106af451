internal import SealiteValues

/// A path of member names in expressions and stages, such as `a.b`.
struct FieldPath: Sendable, Hashable {
    /// The maximum number of names of a path.
    static let maximumCount = 200

    /// The names from the outermost to the innermost, at least one.
    let names: [String]

    /// Creates the path of a text with dots between names; throws `MongoError` if it isn't valid.
    init(_ text: String) throws {
        try require(!text.utf8.contains(0), 16411, "A field path has a NUL character.")
        try require(!text.isEmpty, 40352, "A field path is empty.")
        names = text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false).map { String($0) ?? "" }
        try require(names.count <= Self.maximumCount, 15, "A field path has more than \(Self.maximumCount) names.")
        try require(names.last != "" || names.count == 1, 40353, "The field path '\(text)' ends with a dot.")
        try names.forEach(Self.check)
    }

    /// Throws `MongoError` if a text isn't valid as one of a path's names.
    static func check(_ name: String) throws {
        try require(!name.isEmpty, 15998, "A name in a field path is empty.")
        // The names of a database reference are allowed.
        try require(
            !name.hasPrefix("$") || ["$ref", "$id", "$db"].contains(name), 16410,
            "The name '\(name)' in a field path begins with '$'.")
    }

    /// The names joined by dots.
    var text: String { names.joined(separator: ".") }
}

extension BSON {
    /// Returns the value at a path by the rules of expressions; nil if it is missing.
    ///
    /// For an array on the path, the result is an array of the values in the array's documents, without missing values.
    /// A number is a name, not an index of an array.
    func value(at names: ArraySlice<String>) -> BSON? {
        guard let name = names.first else { return self }
        switch self {
        case .document(let document): return document[name]?.value(at: names.dropFirst())
        case .array(let items):
            return .array(
                items.compactMap { item in
                    if case .document(let document) = item { document[name]?.value(at: names.dropFirst()) } else { nil }
                })
        default: return nil
        }
    }
}
