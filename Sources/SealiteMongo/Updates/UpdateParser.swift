internal import SealiteValues

/// The parser of update operators.
struct UpdateParser {
    /// A function that parses the operand of an operator for a path, and returns the operation.
    typealias Reader = @Sendable (UpdatePath, BSON, FilterContext) throws -> FieldOperation

    /// The paths of the operators that have been parsed, for the check of the array filters' names.
    private(set) var paths: [UpdatePath] = []
    private var node = UpdateNode.none

    /// The functions that parse the operators on one path, by the operators' names; `$rename`, which has two paths,
    /// isn't among them.
    private static let operators: [String: Reader] = [
        "$set": FieldOperators.set,
        "$setOnInsert": FieldOperators.setOnInsert,
        "$unset": FieldOperators.unset,
        "$inc": NumberOperators.inc,
        "$mul": NumberOperators.mul,
        "$min": FieldOperators.min,
        "$max": FieldOperators.max,
        "$currentDate": FieldOperators.currentDate,
        "$bit": NumberOperators.bit,
        "$push": PushOperator.read,
        "$addToSet": ArrayOperators.addToSet,
        "$pop": ArrayOperators.pop,
        "$pull": PullOperators.pull,
        "$pullAll": PullOperators.pullAll,
    ]

    /// Parses a document of update operators, such as `{"$set": {"a": 1}}`, and returns the operations.
    mutating func parse(_ document: MongoDocument, _ context: FilterContext) throws -> UpdateNode {
        for member in document {
            let read = Self.operators[member.key]
            guard read != nil || member.key == "$rename" else {
                throw MongoError.failedToParse(
                    "There is no update operator \(member.key); a pipeline of stages is given as an array."
                )
            }
            guard case .document(let fields) = member.value else {
                throw MongoError.failedToParse(
                    "\(member.key) takes an object of paths, not \(member.value.type.alias)."
                )
            }
            for field in fields {
                let path = try UpdatePath(field.key)
                if let read {
                    try add(try read(path, field.value, context), at: path)
                } else {
                    try addRename(from: path, to: field.value)
                }
            }
        }
        return node
    }

    private mutating func add(_ operation: FieldOperation, at path: UpdatePath) throws {
        try node.add(operation, at: path)
        paths.append(path)
    }

    private mutating func addRename(from source: UpdatePath, to target: BSON) throws {
        guard case .string(let text) = target else {
            throw MongoError.badValue("$rename of '\(source.text)' takes a string, the new path.")
        }
        let target = try UpdatePath(text)
        guard let names = source.names else {
            throw MongoError.badValue("$rename takes no '$' in a path: '\(source.text)'.")
        }
        guard target.names != nil else {
            throw MongoError.badValue("$rename takes no '$' in a new path: '\(target.text)'.")
        }
        guard names != target.names else {
            throw MongoError.badValue("$rename would give '\(source.text)' the path that it has.")
        }
        try add(FieldOperators.renamed(from: names), at: target)
        try add(FieldOperators.movedAway, at: source)
    }
}
