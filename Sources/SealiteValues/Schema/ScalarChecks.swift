extension NumericValue {
    /// A Boolean value that says whether the number is NaN.
    var isNaN: Bool {
        switch self {
        case .integer: false
        case .double(let value): value.isNaN
        case .decimal(let value): value.isNaN
        }
    }
}

/// The keywords `minimum` and `maximum` of JSON Schema, with `exclusiveMinimum` and `exclusiveMaximum`. NaN satisfies
/// only a bound that is NaN.
struct BoundCheck: SchemaCheck {
    let keyword: String
    let bound: NumericValue
    let isExclusive: Bool
    /// 1 if the bound is a minimum, -1 if it is a maximum.
    let direction: Int

    static func minimum(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) -> (any SchemaCheck)?
    {
        try make(parser, keyword, exclusive: "exclusiveMinimum", direction: 1)
    }

    static func maximum(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) -> (any SchemaCheck)?
    {
        try make(parser, keyword, exclusive: "exclusiveMaximum", direction: -1)
    }

    private static func make(
        _ parser: SchemaParser, _ keyword: SchemaKeyword, exclusive: String, direction: Int
    ) throws(JSONSchemaError) -> BoundCheck {
        BoundCheck(
            keyword: keyword.name, bound: try parser.number(keyword.value),
            isExclusive: keyword.siblings[exclusive] == .bool(true), direction: direction)
    }

    /// Checks the value of `exclusiveMinimum` or `exclusiveMaximum`, a Boolean that modifies a bound. Returns nil,
    /// because its effect is part of the bound's check.
    static func exclusive(
        _ parser: SchemaParser, _ keyword: SchemaKeyword
    ) throws(JSONSchemaError) -> (any SchemaCheck)? {
        _ = try parser.boolean(keyword.value)
        let bound = keyword.name == "exclusiveMinimum" ? "minimum" : "maximum"
        guard keyword.siblings[bound] != nil else {
            throw parser.error(.failedToParse, "'\(keyword.name)' requires '\(bound)' in the same schema")
        }
        return nil
    }

    func isFulfilled(by value: BSON) -> Bool {
        guard let number = NumericValue(value) else { return true }
        let order = number.compared(to: bound) * direction
        if number.isNaN || bound.isNaN { return order == 0 && !isExclusive }
        return isExclusive ? order > 0 : order >= 0
    }
}

/// The keywords of JSON Schema that limit the number of a string's Unicode scalars (`minLength`, `maxLength`), an
/// array's items (`minItems`, `maxItems`) or a document's members (`minProperties`, `maxProperties`).
struct CountCheck: SchemaCheck {
    let keyword: String
    let limit: Int
    let isMaximum: Bool
    let count: @Sendable (BSON) -> Int?

    static func characters(
        _ parser: SchemaParser, _ keyword: SchemaKeyword
    ) throws(JSONSchemaError) -> (any SchemaCheck)? {
        try make(parser, keyword) { if case .string(let text) = $0 { text.unicodeScalars.count } else { nil } }
    }

    static func items(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) -> (any SchemaCheck)? {
        try make(parser, keyword) { if case .array(let items) = $0 { items.count } else { nil } }
    }

    static func members(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) -> (any SchemaCheck)?
    {
        try make(parser, keyword) { if case .document(let document) = $0 { document.count } else { nil } }
    }

    private static func make(
        _ parser: SchemaParser, _ keyword: SchemaKeyword, _ count: @escaping @Sendable (BSON) -> Int?
    ) throws(JSONSchemaError) -> CountCheck {
        CountCheck(
            keyword: keyword.name, limit: try parser.count(keyword.value), isMaximum: keyword.name.hasPrefix("max"),
            count: count)
    }

    func isFulfilled(by value: BSON) -> Bool {
        guard let count = count(value) else { return true }
        return isMaximum ? count <= limit : count >= limit
    }
}

/// The keyword `multipleOf` of JSON Schema, in decimal arithmetic: 0.0075 is a multiple of 0.0001.
struct MultipleCheck: SchemaCheck {
    let keyword = "multipleOf"
    let divisor: Decimal128
    let dialect: JSONSchema.Dialect

    init(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) {
        let number = try parser.number(keyword.value)
        divisor = Self.decimal(number, parser.dialect)
        dialect = parser.dialect
        guard divisor.isFinite, divisor.compared(to: .zero) > 0 else {
            throw parser.error(.failedToParse, "expected a finite number above 0")
        }
    }

    /// Returns a number as a decimal: a double is rounded to 15 digits in MongoDB's dialect, otherwise its shortest
    /// text is used.
    private static func decimal(_ number: NumericValue, _ dialect: JSONSchema.Dialect) -> Decimal128 {
        switch number {
        case .integer(let value): Decimal128(value)
        case .double(let value): dialect == .mongo ? Decimal128(value) : Decimal128(shortest: value)
        case .decimal(let value): value
        }
    }

    func isFulfilled(by value: BSON) -> Bool {
        guard let number = NumericValue(value) else { return true }
        return Self.decimal(number, dialect).remainder(dividingBy: divisor).isZero
    }
}

/// The keyword `pattern` of JSON Schema.
struct PatternCheck: SchemaCheck {
    let keyword = "pattern"
    let pattern: JSONSchema.Pattern

    init(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) {
        pattern = try parser.pattern(parser.string(keyword.value))
    }

    func isFulfilled(by value: BSON) -> Bool {
        guard case .string(let text) = value else { return true }
        return pattern(text)
    }
}
