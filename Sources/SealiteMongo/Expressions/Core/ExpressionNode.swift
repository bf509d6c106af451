internal import SealiteValues

/// A part of a parsed expression.
indirect enum ExpressionNode: Sendable {
    /// A function of the values of an operator's arguments; nil is a missing value, also as the result.
    typealias Function = @Sendable (OperatorArguments) throws -> BSON?
    /// A function that evaluates an operator's arguments as needed in a context, in which it may set variables; nil is
    /// a missing value.
    typealias Form = @Sendable (Evaluation) throws -> BSON?

    /// A value; nil if it is missing, as `$$REMOVE` is.
    case constant(BSON?)
    /// The value at a path of the row; an empty path is the row itself.
    case field([String])
    /// The value at a path within the variable at an index of `Evaluation.slots`; with an empty path, the variable's
    /// whole value.
    case variable(Int, [String])
    /// The time of `$$NOW`.
    case now
    /// A document whose members are computed; members whose values are missing are left out.
    case document([(name: String, value: ExpressionNode)])
    /// An array whose items are computed; missing values become null.
    case array([ExpressionNode])
    /// A function with its arguments, which are evaluated before the call.
    case call(Function, [ExpressionNode])
    /// A function that evaluates its own arguments as needed.
    case form(Form)

    /// Returns the value of the expression in a context; nil if it is missing.
    func value(_ evaluation: Evaluation) throws -> BSON? {
        switch self {
        case .constant(let value): return value
        case .field(let names):
            try evaluation.work.charge(bytes: evaluation.row.bodyByteCount)
            return evaluation.row.value(at: names[...])
        case .variable(let slot, let names): return evaluation.slots[slot]?.value(at: names[...])
        case .now: return .datetime(evaluation.now)
        case .document(let members): return .document(try Self.document(members, evaluation))
        case .array(let nodes):
            var room = ValueSizeLimit(evaluation.work)
            return .array(
                try nodes.map { node in
                    let item = Self.item(try node.value(evaluation))
                    try room.add(item)
                    return item
                })
        case .call(let function, let nodes):
            let arguments = OperatorArguments(try nodes.map { try $0.value(evaluation) }, evaluation.work)
            try arguments.chargePass()
            return try function(arguments)
        case .form(let form): return try form(evaluation)
        }
    }

    /// Returns the item that an array gets for a value: null if the value is missing or undefined, otherwise the value.
    private static func item(_ value: BSON?) -> BSON { value.isNullish ? .null : value ?? .null }

    private static func document(
        _ members: [(name: String, value: ExpressionNode)], _ evaluation: Evaluation
    ) throws -> MongoDocument {
        var room = ValueSizeLimit(evaluation.work)
        var document = MongoDocument()
        for (name, node) in members {
            guard let value = try node.value(evaluation) else { continue }
            try room.add(value)
            document.append(name, value)
        }
        return document
    }

    /// The node's value if it is a constant, `.some(nil)` for a missing value; nil if the node isn't a constant.
    var constant: BSON?? {
        if case .constant(let value) = self { .some(value) } else { nil }
    }

    /// Returns the node or, if it is an array, a document or a call of a function whose parts are all constant, its
    /// value as a constant.
    ///
    /// - Throws: the error of the function, even if no row would evaluate it.
    func folded() throws -> ExpressionNode {
        switch self {
        case .array(let nodes):
            let values = nodes.compactMap(\.constant)
            return values.count == nodes.count ? .constant(.array(values.map(Self.item))) : self
        case .document(let members):
            var document = MongoDocument()
            for (name, node) in members {
                guard let constant = node.constant else { return self }
                if let value = constant { document.append(name, value) }
            }
            return .constant(.document(document))
        case .call(let function, let nodes):
            let values = nodes.compactMap(\.constant)
            return values.count == nodes.count ? .constant(try function(OperatorArguments(values, WorkMeter()))) : self
        default: return self
        }
    }
}
