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
