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
