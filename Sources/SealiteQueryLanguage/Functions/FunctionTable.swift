extension FunctionSignature {
    private static let many = QueryLimits.arguments

    /// All functions that queries may call, grouped by subject, except those with a syntax of their own: META, MATCH
    /// and the RANK of a full-text index.
    package static let table: [FunctionSignature] =
        strings + numbers + arrays + objects + conditions + types + dates + vectors + geometries + fullText + aggregates
        + windows

    private static let strings: [FunctionSignature] = [
        .init("LENGTH", 1...1), .init("LOWER", 1...1), .init("UPPER", 1...1),
        .init("TRIM", 1...2), .init("LTRIM", 1...2), .init("RTRIM", 1...2),
        .init("CONTAINS", 2...2), .init("CONCAT", 2...many),
        .init("REGEXP_CONTAINS", 2...2), .init("REGEXP_LIKE", 2...2), .init("REGEXP_POSITION", 2...2),
        .init("REGEXP_REPLACE", 3...4),
        .init("SUBSTR", 2...3), .init("REPLACE", 3...4), .init("SPLIT", 1...2), .init("POSITION", 2...2),
        .init("LPAD", 2...3), .init("RPAD", 2...3), .init("REPEAT", 2...2), .init("REVERSE", 1...1),
    ]

    private static let numbers: [FunctionSignature] = [
        .init("ABS", 1...1), .init("ACOS", 1...1), .init("ASIN", 1...1), .init("ATAN", 1...1), .init("CEIL", 1...1),
        .init("COS", 1...1), .init("DEGREES", 1...1), .init("EXP", 1...1), .init("FLOOR", 1...1), .init("LN", 1...1),
        .init("LOG", 1...1), .init("RADIANS", 1...1), .init("SIN", 1...1), .init("SQRT", 1...1), .init("TAN", 1...1),
        .init("ATAN2", 2...2), .init("POWER", 2...2), .init("E", 0...0), .init("PI", 0...0),
        .init("ROUND", 1...2), .init("ROUND_EVEN", 1...2), .init("TRUNC", 1...2), .init("SIGN", 1...1),
        .init("DIV", 2...2), .init("IDIV", 2...2), .init("GREATEST", 2...many), .init("LEAST", 2...many),
    ]

    private static let arrays: [FunctionSignature] = [
        .init("ARRAY_LENGTH", 1...1), .init("ARRAY_COUNT", 1...1), .init("ARRAY_SUM", 1...1), .init("ARRAY_AVG", 1...1),
        .init("ARRAY_MIN", 1...1), .init("ARRAY_MAX", 1...1), .init("ARRAY_CONTAINS", 2...2),
        .init("ARRAY_IFNULL", 1...1),
        .init("ARRAY_OF", 0...many),
        .init("ARRAY_SORT", 1...1), .init("ARRAY_DISTINCT", 1...1), .init("ARRAY_APPEND", 2...many),
        .init("ARRAY_FLATTEN", 2...2), .init("ARRAY_RANGE", 2...3),
        .init("ARRAY_CONCAT", 2...many), .init("ARRAY_REVERSE", 1...1), .init("ARRAY_POSITION", 2...2),
        .init("ARRAY_UNION", 2...many), .init("ARRAY_INTERSECT", 2...many), .init("ARRAY_STAR", 1...1),
    ]

    private static let objects: [FunctionSignature] = [
        .init("OBJECT_KEYS", 1...1), .init("OBJECT_NAMES", 1...1), .init("OBJECT_VALUES", 1...1),
        .init("OBJECT_PAIRS", 1...1), .init("OBJECT_PUT", 3...3), .init("OBJECT_REMOVE", 2...many),
        .init("OBJECT_CONCAT", 2...many),
    ]

    private static let conditions: [FunctionSignature] = [
        .init("IFMISSING", 2...many), .init("IFNULL", 2...many), .init("IFMISSINGORNULL", 2...many),
        .init("MISSINGIF", 2...2), .init("NULLIF", 2...2), .init("NVL", 2...2), .init("COALESCE", 2...many),
        .init("DECODE", 3...many),
    ]

    private static let types: [FunctionSignature] =
        ["ARRAY", "ATOM", "BOOLEAN", "NUMBER", "OBJECT", "STRING"].flatMap { type in
            ["IS", "IS_", "TO", "TO_"].map { FunctionSignature($0 + type, 1...1) }
        } + [.init("TYPE", 1...1), .init("TYPENAME", 1...1)]

    private static let dates: [FunctionSignature] = [
        .init("STR_TO_MILLIS", 1...1), .init("STR_TO_UTC", 1...2), .init("STR_TO_TZ", 2...3),
        .init("MILLIS_TO_STR", 1...2), .init("MILLIS_TO_UTC", 1...2), .init("MILLIS_TO_TZ", 2...3),
        .init("DATE_DIFF_STR", 3...3), .init("DATE_DIFF_MILLIS", 3...3),
        .init("DATE_ADD_STR", 3...4), .init("DATE_ADD_MILLIS", 3...3),
        .init("DATE_PART_STR", 2...2), .init("DATE_PART_MILLIS", 2...2),
        .init("DATE_TRUNC_STR", 2...2), .init("DATE_TRUNC_MILLIS", 2...2),
        .init("DATE_FORMAT_STR", 2...2), .init("DATE_RANGE_STR", 3...4), .init("NOW_STR", 0...1),
        .init("NOW_MILLIS", 0...0),
    ]

    /// The functions of full-text search, whose first argument is the name of an index.
    private static let fullText: [FunctionSignature] = [
        .init("SNIPPET", 1...6), .init("HIGHLIGHT", 1...4), .init("HITS", 1...1),
    ]

    private static let geometries: [FunctionSignature] = [.init("GEO_WITHIN", 2...2)]

    private static let vectors: [FunctionSignature] = [
        .init("APPROX_VECTOR_DISTANCE", 2...5), .init("EUCLIDEAN_DISTANCE", 2...3), .init("COSINE_DISTANCE", 2...2),
        .init("L2_DISTANCE", 2...2), .init("DOT_PRODUCT", 2...2), .init("VECTOR_DISTANCE", 2...3),
    ]

    private static let aggregates: [FunctionSignature] = [
        .init("COUNT", 0...1, .aggregate), .init("SUM", 1...1, .aggregate), .init("AVG", 1...1, .aggregate),
        .init("MIN", 1...1, .aggregate), .init("MAX", 1...1, .aggregate), .init("ARRAY_AGG", 1...1, .aggregate),
    ]

    private static let windows: [FunctionSignature] = [
        .init("ROW_NUMBER", 0...0, .window), .init("RANK", 0...0, .window), .init("DENSE_RANK", 0...0, .window),
        .init("PERCENT_RANK", 0...0, .window), .init("CUME_DIST", 0...0, .window), .init("NTILE", 1...1, .window),
        .init("LAG", 1...3, .window), .init("LEAD", 1...3, .window), .init("FIRST_VALUE", 1...1, .window),
        .init("LAST_VALUE", 1...1, .window), .init("NTH_VALUE", 2...2, .window),
    ]
}

/// A function that queries may call: its name, its kind and its number of arguments.
///
/// META, MATCH and RANK(index) are part of the grammar and therefore not in `table` (`FunctionTable.swift`).
package struct FunctionSignature: Sendable, Equatable {
    /// The kinds of functions.
    package enum Kind: Sendable {
        /// A function that returns one value for each row.
        case scalar
        /// A function that returns one value for each group; DISTINCT, FILTER and OVER are allowed.
        case aggregate
        /// A function that returns one value for each row of a window; OVER is required.
        case window
    }

    /// The function's name in upper case.
    package let name: String
    package let kind: Kind
    /// The smallest and the largest number of arguments that a call may have.
    package let arguments: ClosedRange<Int>

    init(_ name: String, _ arguments: ClosedRange<Int>, _ kind: Kind = .scalar) {
        self.name = name
        self.arguments = arguments
        self.kind = kind
    }

    /// Returns the function with a name, in upper or lower case; nil if there is none.
    package static func named(_ name: String) -> FunctionSignature? { byName[name.uppercased()] }

    /// Returns the name of the known function that is most similar to an unknown name; nil if none is close.
    static func nearestName(to name: String) -> String? { NearestName.to(name, among: table.lazy.map(\.name)) }

    private static let byName: [String: FunctionSignature] = Dictionary(
        uniqueKeysWithValues: table.map { ($0.name, $0) })
}
