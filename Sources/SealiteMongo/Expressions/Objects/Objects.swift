internal import SealiteValues

extension ExpressionOperator {
    /// The operators on objects and their members, such as `$mergeObjects`.
    static let objects: [ExpressionOperator] = [
        .init("$mergeObjects", 0...) { arguments in
            var merged = MongoDocument()
            // A single array argument supplies its items.
            var values = Array(arguments)
            if arguments.count == 1, case .array(let items) = arguments[0] { values = items }
            for value in values {
                if value.isNullish { continue }
                let document = try requireDocument(value, 40400, "$mergeObjects takes objects")
                // The names of a short object are looked up in the other one by one.
                try arguments.work.charge(document.count + merged.count)
                merged.merge(document)
            }
            return .document(merged)
        },
        .init("$getField", parsing: getField),
        .init("$setField") { operand, parser in
            try setField(operand, parser, "$setField", ["field", "input", "value"])
        },
        .init("$unsetField") { operand, parser in
            try setField(operand, parser, "$unsetField", ["field", "input"])
        },
    ]

    /// Returns the value of the argument `field` of an operator. Throws `MongoError` with `code` if it is a path, and
    /// with another code if it isn't a constant string.
    private static func name(
        _ field: BSON?, _ operatorName: String, _ code: Int, _ parser: ExpressionParser
    ) throws -> String {
        try require(
            field.text?.hasPrefix("$") != true, code,
            "'field' of \(operatorName) must not be a path; use $literal for a string that begins with '$'.")
        let constant = try parser.parse(field ?? .null).constant ?? nil
        return try require(constant.text, 5654601, "\(operatorName) takes a constant string as 'field'.")
    }

    @Sendable private static func getField(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        var (field, input): (BSON?, BSON) = (operand, "$$CURRENT")
        if case .document(let document) = operand, document.members.first?.key.hasPrefix("$") != true {
            let operands = try NamedOperands(operand, of: "$getField", ["field", "input"], code: 3041701)
            (field, input) = (operands["field"], operands["input"] ?? .null)
        }
        let name = try name(field, "$getField", 5654600, parser)
        let node = try parser.parse(input)
        return .form { evaluation in
            let value = try node.value(evaluation)
            if case .document(let document) = value { return document[name] }
            return value.isNullish && value != nil ? .some(.null) : .none
        }
    }

    private static func setField(
        _ operand: BSON, _ parser: ExpressionParser, _ operatorName: String, _ names: [String]
    ) throws -> ExpressionNode {
        let operands = try NamedOperands(operand, of: operatorName, names, code: 4161100)
        let name = try name(operands["field"], operatorName, 4161108, parser)
        let (input, value) = (try operands.node("input", parser), try operands.node("value", parser))
        return .form { evaluation in
            let given = try input.value(evaluation)
            if given.isNullish { return .null }
            var document = try requireDocument(given, 4161105, "\(operatorName) takes an object as 'input'")
            document[name] = try value.value(evaluation)
            return try BSON.document(document).checked(evaluation.work)
        }
    }
}

extension MongoDocument {
    /// If each of two documents has more members than this number, names are looked up in a dictionary instead of one
    /// by one.
    private static let manyCount = 16

    /// Sets each member of another document in this document. Members that this document lacks are appended, and
    /// members that only this document has stay.
    mutating func merge(_ other: MongoDocument) {
        guard count > Self.manyCount, other.count > Self.manyCount else {
            for member in other { self[member.key] = member.value }
            return
        }
        var members = self.members
        var places = Dictionary(
            members.enumerated().map { (Array($0.element.key.utf8), $0.offset) },
            uniquingKeysWith: { first, _ in first })
        for member in other {
            let key = Array(member.key.utf8)
            if let place = places[key] {
                members[place].value = member.value
            } else {
                places[key] = members.count
                members.append(member)
            }
        }
        self = MongoDocument(members)
    }
}
