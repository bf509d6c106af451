internal import SealiteValues

extension ExpressionOperator {
    /// The comparison operators, which use the total order of values of all types. A missing value precedes null.
    static let comparisons: [ExpressionOperator] = [
        .init("$cmp", 2...2) { .int32(Int32(try order($0).signum())) },
        .init("$eq", 2...2) { .bool(try order($0) == 0) },
        .init("$ne", 2...2) { .bool(try order($0) != 0) },
        .init("$gt", 2...2) { .bool(try order($0) > 0) },
        .init("$gte", 2...2) { .bool(try order($0) >= 0) },
        .init("$lt", 2...2) { .bool(try order($0) < 0) },
        .init("$lte", 2...2) { .bool(try order($0) <= 0) },
    ]

    private static func order(_ arguments: Arguments) throws -> Int {
        // Scalars, the usual operands, were charged by the call.
        switch (arguments[0], arguments[1]) {
        case (.array, .array), (.document, .document): try arguments.work.compare(arguments[0], arguments[1])
        default: compare(arguments[0], arguments[1])
        }
    }
}

/// Returns a negative number, 0 or a positive number if the left value comes before, is equal to or comes after the
/// right one; a missing value comes before null.
func compare(_ left: BSON?, _ right: BSON?) -> Int {
    switch (left, right) {
    case (let left?, let right?): left.compared(to: right)
    case (nil, nil): 0
    // A missing value has the same order as undefined.
    case (nil, let right?): right == .undefined ? 0 : BSON.undefined.compared(to: right)
    case (let left?, nil): left == .undefined ? 0 : left.compared(to: .undefined)
    }
}
