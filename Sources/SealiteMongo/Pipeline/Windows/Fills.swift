internal import SealiteValues

extension WindowFunctionKind {
    /// The window functions `$locf` and `$linearFill`, which replace values that are missing or null.
    static let fills: [WindowFunctionKind] = [
        .init("$locf") { operand, window, _, parser in
            guard window == nil else { throw MongoError(code: 9, "$locf takes no 'window'.") }
            return LastObservation(input: try parser.parse(operand))
        },
        .init("$linearFill") { operand, window, order, parser in
            guard window == nil else { throw MongoError(code: 9, "$linearFill takes no 'window'.") }
            guard order?.keys.count == 1 else {
                throw MongoError(code: 605001, "$linearFill needs 'sortBy' with one key.")
            }
            return LinearFill(input: try parser.parse(operand))
        },
    ]
}
