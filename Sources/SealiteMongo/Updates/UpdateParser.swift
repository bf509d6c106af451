internal import SealiteJSON
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
            try require(
                read != nil || member.key == "$rename",
                .failedToParse("There is no update operator \(member.key); a pipeline of stages is given as an array."))
            let fields = try require(
                member.value.members,
                .failedToParse("\(member.key) takes an object of paths, not \(member.value.type.alias)."))
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
        let text = try require(target.text, .badValue("$rename of '\(source.text)' takes a string, the new path."))
        let target = try UpdatePath(text)
        try require(
            !text.utf8.contains(0), 9_867_600, "$rename of '\(source.text)' takes no path with a NUL character.")
        let names = try require(source.names, .badValue("$rename takes no '$' in a path: '\(source.text)'."))
        let newNames = try require(
            target.names, .badValue("$rename takes no '$' in a new path: '\(target.text)'."))
        try require(
            names.map { ExactText($0) } != newNames.map { ExactText($0) },
            .badValue("$rename would give '\(source.text)' the path that it has."))
        try add(FieldOperators.renamed(from: names, to: newNames), at: target)
        try add(FieldOperators.movedAway, at: source)
    }
}

/// The operation of an update on the value at one path.
struct FieldOperation: Sendable {
    /// The result of an operation: the value is unchanged, replaced or removed.
    enum Outcome {
        case unchanged
        case value(BSON)
        case removed
    }

    /// The effect of the operation if there is no value at the path.
    enum Missing: Sendable {
        /// The operation creates a value, and the objects on the path to it.
        case makesValue
        /// The operation does nothing, but throws if the path leads through a value that can't contain the next name.
        case nothing
        /// The operation does nothing, even if the path leads through a value that can't contain the next name.
        case nothingAnywhere
    }

    /// The operator's name, such as `$set`.
    let name: String
    let missing: Missing
    /// A function that returns the operation's result for the value at a path; nil is a missing value.
    let apply: @Sendable (BSON?, UpdateSituation, _ path: String) throws -> Outcome
    /// The path from which `$rename` moves the value, and this operation's path, to which it does; nil for other
    /// operators.
    var move: (source: [String], target: [String])?
    /// A Boolean value that says whether the operation applies only to documents that an upsert inserts.
    var isForInsertion = false

    init(
        _ name: String, missing: Missing,
        _ apply: @escaping @Sendable (BSON?, UpdateSituation, _ path: String) throws -> Outcome
    ) {
        (self.name, self.missing, self.apply) = (name, missing, apply)
    }
}

/// The update operators on values of any type.
enum FieldOperators {
    static let set: UpdateParser.Reader = { _, operand, _ in
        FieldOperation("$set", missing: .makesValue) { _, _, _ in .value(operand) }
    }

    static let setOnInsert: UpdateParser.Reader = { _, operand, _ in
        var operation = FieldOperation("$setOnInsert", missing: .makesValue) { _, _, _ in .value(operand) }
        operation.isForInsertion = true
        return operation
    }

    static let unset: UpdateParser.Reader = { _, _, _ in
        FieldOperation("$unset", missing: .nothingAnywhere) { _, _, _ in .removed }
    }

    static let min = extreme("$min") { $0 <= 0 }
    static let max = extreme("$max") { $0 >= 0 }

    /// Returns the parsing function of an operator that keeps a value if it is on one side of the operand; `isKept`
    /// gets the result of comparing it with the operand.
    private static func extreme(_ name: String, _ isKept: @escaping @Sendable (Int) -> Bool) -> UpdateParser.Reader {
        { _, operand, _ in
            FieldOperation(name, missing: .makesValue) { value, _, _ in
                guard let value, isKept(value.compared(to: operand)) else { return .value(operand) }
                return .unchanged
            }
        }
    }

    static let currentDate: UpdateParser.Reader = { path, operand, _ in
        let isTimestamp: Bool
        switch operand {
        case .bool: isTimestamp = false
        case .document(let document) where document.keys == ["$type"] && document["$type"] == .string("date"):
            isTimestamp = false
        case .document(let document) where document.keys == ["$type"] && document["$type"] == .string("timestamp"):
            isTimestamp = true
        default:
            throw MongoError.badValue("$currentDate of '\(path.text)' takes a boolean, or $type 'date' or 'timestamp'.")
        }
        return FieldOperation("$currentDate", missing: .makesValue) { _, situation, _ in
            guard isTimestamp else { return .value(.datetime(situation.now)) }
            let seconds = UInt32(clamping: situation.now.milliseconds / 1000)
            return .value(.timestamp(Timestamp(seconds: seconds, increment: 1)))
        }
    }

    // MARK: - Renaming

    /// Returns the operation that `$rename` applies to the path `target`, to which it moves a value from `source`.
    static func renamed(from source: [String], to target: [String]) -> FieldOperation {
        var operation = FieldOperation("$rename", missing: .makesValue) { _, situation, _ in
            situation.moved[source].map { .value($0) } ?? .unchanged
        }
        operation.move = (source, target)
        return operation
    }

    /// The operation that `$rename` applies to the path from which it moves a value: the value is removed.
    static let movedAway = FieldOperation("$rename", missing: .nothingAnywhere) { _, _, _ in .removed }
}
