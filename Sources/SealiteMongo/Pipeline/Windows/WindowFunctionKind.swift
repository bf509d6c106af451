internal import SealiteValues

/// The name of a window function, and the parser of its specification.
struct WindowFunctionKind: Sendable {
    /// A function that parses the operand of a window function and the specification of its window (nil if there is
    /// none).
    typealias Make =
        @Sendable (_ operand: BSON, _ window: BSON?, _ order: SortOrder?, _ parser: ExpressionParser) throws ->
        any WindowFunction

    let name: String
    let make: Make

    init(_ name: String, _ make: @escaping Make) { (self.name, self.make) = (name, make) }

    /// The window functions that aren't accumulators, by their names, such as `$rank`.
    static let all: [String: WindowFunctionKind] = {
        let groups = [ranks, rates, fills, covariances]
        return Dictionary(groups.joined().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }()

    /// Returns the window function that a member of `output` specifies; `field` is the member's name, for error
    /// messages.
    static func function(
        _ specification: BSON, of field: String, _ order: SortOrder?, _ parser: ExpressionParser
    ) throws -> any WindowFunction {
        guard case .document(let document) = specification else {
            throw MongoError(code: 9, "The member '\(field)' of 'output' must be an object.")
        }
        let functions = document.filter { $0.key != "window" }
        guard functions.count == 1, let member = functions.first, member.key.hasPrefix("$") else {
            throw MongoError(
                code: 9, "The member '\(field)' of 'output' must have one window function, and may have a 'window'.")
        }
        let window = document["window"]
        if let kind = all[member.key] { return try kind.make(member.value, window, order, parser) }
        guard AccumulatorKind.all[member.key] != nil else {
            throw MongoError(code: 9, "There is no window function \(member.key).")
        }
        let specification = try AccumulatorSpecification(
            .document([member.key: member.value]), of: field, takesArrays: true, parser)
        return AccumulatedWindow(accumulator: specification, bounds: try WindowBounds(window, order))
    }
}
