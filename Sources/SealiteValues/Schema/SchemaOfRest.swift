internal import SealiteJSON

/// The requirement of `additionalItems` or `additionalProperties` for the remaining values: items and members that no
/// other keyword gives a schema for.
enum SchemaOfRest: Sendable {
    /// The keyword is true or missing: all remaining values are allowed.
    case anything
    /// The keyword is false: no remaining values are allowed.
    case nothing
    /// The keyword is a schema, which each remaining value must satisfy.
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
