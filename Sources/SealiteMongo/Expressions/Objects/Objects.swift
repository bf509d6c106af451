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
            try setField(operand, parser, "$setField", ["field", "value", "input"], pathCode: 4_161_108)
        },
        .init("$unsetField") { operand, parser in
            try setField(operand, parser, "$unsetField", ["field", "input"], pathCode: 168)
        },
    ]

    @Sendable private static func getField(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        var (field, input): (BSON, BSON) = (operand, "$$CURRENT")
        if case .document(let document) = operand, document.members.first?.key.hasPrefix("$") != true {
            let codes = OperandCodes(
                shape: 3_041_701, unknown: 3_041_701, absent: 3_041_702, absentByName: ["input": 3_041_703])
            let operands = try NamedOperands(operand, of: "$getField", ["field", "input"], code: codes)
            (field, input) = (operands["field"] ?? .null, operands["input"] ?? .null)
        }
        let (name, node) = (try parser.parse(field), try parser.parse(input))
        return .form { evaluation in
            let name = try requireString(
                try name.value(evaluation), 3_041_704, "$getField takes a string as 'field'")
            let value = try node.value(evaluation)
            if case .document(let document) = value { return document[name] }
            return value.isNullish && value != nil ? .some(.null) : .none
        }
    }

    private static let setFieldCodes = OperandCodes(
        shape: 4_161_100, unknown: 4_161_101, absent: 4_161_102, absentByName: ["value": 4_161_103, "input": 4_161_109])

    /// Returns the value of the argument `field` of `$setField` or `$unsetField`, which must be written as a constant.
    /// `pathCode` is the `MongoError` code of a path.
    private static func name(
        _ field: BSON?, _ operatorName: String, pathCode: Int
    ) throws -> String {
        var constant = field ?? .null
        switch constant {
        case .string(let text):
            try require(
                !text.hasPrefix("$"), pathCode,
                "'field' of \(operatorName) must not be a path; use $literal for a string that begins with '$'.")
        case .document(let document) where document.count == 1 && ["$literal", "$const"].contains(document.keys[0]):
            constant = document.members[0].value
        case .document(let document) where document.isEmpty: break
        case .document, .array:
            throw MongoError(code: 4_161_106, "\(operatorName) takes a constant as 'field'.")
        default: break
        }
        let name = try requireString(constant, 4_161_107, "\(operatorName) takes a string as 'field'")
        try require(!name.utf8.contains(0), 9_534_700, "\(operatorName) takes no 'field' with a NUL character.")
        return name
    }

    private static func setField(
        _ operand: BSON, _ parser: ExpressionParser, _ operatorName: String, _ names: [String], pathCode: Int
    ) throws -> ExpressionNode {
        let operands = try NamedOperands(operand, of: operatorName, names, code: setFieldCodes)
        let name = try name(operands["field"], operatorName, pathCode: pathCode)
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
