internal import SealiteJSON

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
