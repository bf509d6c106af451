/// The keywords `allOf`, `anyOf` and `oneOf` of JSON Schema.
struct CombinedCheck: SchemaCheck {
    let keyword: String
    let nodes: [SchemaNode]

    init(_ parser: SchemaParser, _ keyword: SchemaKeyword) throws(JSONSchemaError) {
        var nodes: [SchemaNode] = []
        for (index, item) in try parser.array(keyword.value).enumerated() {
            nodes.append(try parser.below(String(index)).schema(item))
        }
        guard !nodes.isEmpty else { throw parser.error(.failedToParse, "expected at least one item") }
        (self.nodes, self.keyword) = (nodes, keyword.name)
    }

    func isFulfilled(by value: BSON) -> Bool {
        switch keyword {
        case "allOf": nodes.allSatisfy { $0.isFulfilled(by: value) }
        case "anyOf": nodes.contains { $0.isFulfilled(by: value) }
        default: nodes.count { $0.isFulfilled(by: value) } == 1
        }
    }

    func violations(in value: BSON, at path: [String]) -> [JSONSchema.Violation] {
        if keyword == "allOf" { return nodes.flatMap { $0.violations(in: value, at: path) } }
        return isFulfilled(by: value) ? [] : [JSONSchema.Violation(path: path.joined(separator: "."), keyword: keyword)]
    }
}
