internal import SealiteJSON

/// The keywords `properties`, `patternProperties` and `additionalProperties` of JSON Schema.
struct MembersCheck: SchemaCheck {
    let keyword = "properties"
    private var named: [ExactText: SchemaNode] = [:]
    private var patterns: [(pattern: JSONSchema.Pattern, node: SchemaNode)] = []
    private var rest = SchemaOfRest.anything

    /// Returns one check for `properties`, `patternProperties` and `additionalProperties` together if it is called for
    /// the first of them in the schema; nil for the others.
    static func make(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) -> (any SchemaCheck)? {
        let names = ["properties", "patternProperties", "additionalProperties"]
        guard keyword.siblings.keys.first(where: { names.contains($0) }) == keyword.name else { return nil }
        return try MembersCheck(parser, keyword.siblings)
    }

    private init(_ parser: SchemaParser, _ siblings: MongoDocument) throws(JSONSchemaError) {
        if let value = siblings["properties"] {
            let parser = parser.beside("properties")
            for member in try parser.document(value) {
                named[ExactText(member.key)] = try parser.below(member.key).schema(member.value)
            }
        }
        if let value = siblings["patternProperties"] {
            let parser = parser.beside("patternProperties")
            for member in try parser.document(value) {
                let below = parser.below(member.key)
                patterns.append((try below.pattern(member.key), try below.schema(member.value)))
            }
        }
        rest = try SchemaOfRest(parser.beside("additionalProperties"), siblings["additionalProperties"])
    }

    func isFulfilled(by value: BSON) -> Bool {
        guard case .document(let document) = value else { return true }
        return document.members.allSatisfy { member in
            let nodes = nodes(for: member.key)
            return nodes.isEmpty
                ? rest.isFulfilled(by: member.value) : nodes.allSatisfy { $0.isFulfilled(by: member.value) }
        }
    }

    func violations(in value: BSON, at path: [String]) -> [JSONSchema.Violation] {
        guard case .document(let document) = value else { return [] }
        return document.members.flatMap { member in
            let (nodes, place) = (nodes(for: member.key), path + [member.key])
            return nodes.isEmpty
                ? rest.violations(in: member.value, at: place, "additionalProperties")
                : nodes.flatMap { $0.violations(in: member.value, at: place) }
        }
    }

    /// Returns the schemas that `properties` and `patternProperties` give for a member's name.
    private func nodes(for key: String) -> [SchemaNode] {
        var nodes = patterns.filter { $0.pattern(key) }.map(\.node)
        if let node = named[ExactText(key)] { nodes.append(node) }
        return nodes
    }
}

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

/// The keyword `required` of JSON Schema.
struct RequiredCheck: SchemaCheck {
    let keyword = "required"
    let names: [String]

    init(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) {
        names = try parser.names(keyword.value)
    }

    func isFulfilled(by value: BSON) -> Bool {
        guard case .document(let document) = value else { return true }
        return names.allSatisfy { document.index(of: $0) != nil }
    }

    func violations(in value: BSON, at path: [String]) -> [JSONSchema.Violation] {
        guard case .document(let document) = value else { return [] }
        return names.filter { document.index(of: $0) == nil }.map { name in
            JSONSchema.Violation(path: (path + [name]).joined(separator: "."), keyword: keyword)
        }
    }
}

/// The keyword `dependencies` of JSON Schema.
struct DependenciesCheck: SchemaCheck {
    private enum Demand: Sendable {
        case names([String])
        case schema(SchemaNode)
    }

    let keyword = "dependencies"
    private var demands: [(name: String, demand: Demand)] = []

    init(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) {
        for member in try parser.document(keyword.value) {
            let below = parser.below(member.key)
            if case .document(let document) = member.value {
                demands.append((member.key, .schema(try below.node(document))))
            } else {
                demands.append((member.key, .names(try below.names(member.value))))
            }
        }
    }

    func isFulfilled(by value: BSON) -> Bool {
        guard case .document(let document) = value else { return true }
        return demands.allSatisfy { name, demand in
            guard document.index(of: name) != nil else { return true }
            return switch demand {
            case .names(let names): names.allSatisfy { document.index(of: $0) != nil }
            case .schema(let node): node.isFulfilled(by: value)
            }
        }
    }
}
