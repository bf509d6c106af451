internal import SealiteJSON

/// The requirement of `additionalItems` or `additionalProperties` for the remaining values.
enum SchemaOfRest: Sendable {
    /// True, or no keyword: all values are allowed.
    case anything
    /// False: no values are allowed.
    case nothing
    /// A schema for each remaining value.
    case schema(SchemaNode)

    init(_ parser: SchemaParser, _ value: BSON?) throws(JSONSchemaError) {
        switch value {
        case nil, .bool(true): self = .anything
        case .bool(false): self = .nothing
        case .document(let document): self = .schema(try parser.node(document))
        default: throw parser.error(.typeMismatch, "expected a boolean or an object")
        }
    }

    func violations(in value: BSON, at path: [String], _ keyword: String) -> [JSONSchema.Violation] {
        switch self {
        case .anything: []
        case .nothing: [JSONSchema.Violation(path: path.joined(separator: "."), keyword: keyword)]
        case .schema(let node): node.violations(in: value, at: path)
        }
    }

    func isFulfilled(by value: BSON) -> Bool {
        switch self {
        case .anything: true
        case .nothing: false
        case .schema(let node): node.isFulfilled(by: value)
        }
    }
}
