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
                    "Unknown modifier: \(member.key). Expected a valid update modifier or pipeline-style update specified as an array"
                )
            }
            guard case .document(let fields) = member.value else {
                throw MongoError.failedToParse(
                    "Modifiers operate on fields but we found type \(member.value.type.alias) instead for \(member.key)."
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
            throw MongoError.badValue("The 'to' field for $rename must be a string: \(source.text)")
        }
        let target = try UpdatePath(text)
        guard let names = source.names else {
            throw MongoError.badValue("The source field for $rename may not be dynamic: \(source.text)")
        }
        guard target.names != nil else {
            throw MongoError.badValue("The destination field for $rename may not be dynamic: \(target.text)")
        }
        guard names != target.names else {
            throw MongoError.badValue("The source and target field for $rename must differ: \(source.text)")
        }
        try add(FieldOperators.renamed(from: names), at: target)
        try add(FieldOperators.movedAway, at: source)
    }
}
