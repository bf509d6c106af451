internal import SealiteValues

/// The values that `$rename` moves.
enum MovedValues {
    /// Returns the values that the `$rename` operations of an update move, by their present paths in a document;
    /// missing ones are left out.
    ///
    /// No other operation of the update applies to these paths, so that the values are the same before and after the
    /// other operations.
    static func collect(_ node: UpdateNode, in document: MongoDocument) throws -> [[String]: BSON] {
        var moved: [[String]: BSON] = [:]
        for operation in node.operations {
            guard let source = operation.source else { continue }
            moved[source] = try value(at: source, in: document)
        }
        return moved
    }

    private static func value(at path: [String], in document: MongoDocument) throws -> BSON? {
        var value: BSON = .document(document)
        for name in path {
            switch value {
            case .document(let document):
                guard let member = document[name] else { return nil }
                value = member
            case .array:
                throw MongoError.badValue(
                    "$rename can't take its value out of an array: '\(path.joined(separator: "."))'.")
            default:
                throw MongoError(
                    code: 28,
                    "$rename can't follow '\(path.joined(separator: "."))': a value of the type \(value.type.alias) has no field '\(name)'."
                )
            }
        }
        return value
    }
}
