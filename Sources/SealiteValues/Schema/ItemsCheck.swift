internal import SealiteJSON

/// The keywords `items` and `additionalItems` of JSON Schema.
struct ItemsCheck: SchemaCheck {
    let keyword = "items"
    /// The schemas of the first items of an array, one for each.
    var first: [SchemaNode] = []
    /// The requirement for the items after those that `first` has schemas for.
    var rest = SchemaOfRest.anything

    static func items(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) -> (any SchemaCheck)? {
        var check = ItemsCheck()
        switch keyword.value {
        case .document(let document): check.rest = .schema(try parser.node(document))
        case .array(let items):
            for (index, item) in items.enumerated() { check.first.append(try parser.below(String(index)).schema(item)) }
            check.rest = try SchemaOfRest(parser.beside("additionalItems"), keyword.siblings["additionalItems"])
        default: throw parser.error(.typeMismatch, "expected an array or an object")
        }
        return check
    }

    /// Checks the value of `additionalItems`. Returns nil, because the requirement is part of the check of `items`; it
    /// has no effect unless `items` is a list of schemas.
    static func additional(
        _ parser: SchemaParser, _ keyword: SchemaKeyword
    ) throws(JSONSchemaError) -> (any SchemaCheck)? {
        _ = try SchemaOfRest(parser, keyword.value)
        return nil
    }

    func isFulfilled(by value: BSON) -> Bool {
        guard case .array(let items) = value else { return true }
        for (index, item) in items.enumerated() {
            guard index < first.count ? first[index].isFulfilled(by: item) : rest.isFulfilled(by: item) else {
                return false
            }
        }
        return true
    }

    func violations(in value: BSON, at path: [String]) -> [JSONSchema.Violation] {
        guard case .array(let items) = value else { return [] }
        return items.enumerated().flatMap { index, item in
            let place = path + [String(index)]
            return index < first.count
                ? first[index].violations(in: item, at: place)
                : rest.violations(in: item, at: place, "additionalItems")
        }
    }
}
