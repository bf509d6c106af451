internal import SealiteJSON

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
