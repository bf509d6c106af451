internal import SealiteValues

/// A function over a window of rows around each row of a partition.
protocol WindowFunction: Sendable {
    /// Returns a value for each row of a partition; nil for a row without one.
    func values(_ partition: Partition, _ evaluation: Evaluation) throws -> [BSON?]
}

/// The name of a window function, and the parser of its specification.
struct WindowFunctionKind: Sendable {
    /// Parses an operand and the specification of a window.
    typealias Make =
        @Sendable (_ operand: BSON, _ window: BSON?, _ order: SortOrder?, _ parser: ExpressionParser) throws ->
        any WindowFunction

    let name: String
    let make: Make

    init(_ name: String, _ make: @escaping Make) { (self.name, self.make) = (name, make) }

    /// The functions that aren't accumulators, by their names.
    static let all: [String: WindowFunctionKind] = {
        let groups = [ranks, rates, fills, covariances]
        return Dictionary(groups.joined().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }()

    /// Returns the function of a member of `output`.
    static func function(
        _ specification: BSON, of field: String, _ order: SortOrder?, _ parser: ExpressionParser
    ) throws -> any WindowFunction {
        guard case .document(let document) = specification else {
            throw MongoError(code: 9, "The member '\(field)' of 'output' is an object.")
        }
        let functions = document.filter { $0.key != "window" }
        guard functions.count == 1, let member = functions.first, member.key.hasPrefix("$") else {
            throw MongoError(
                code: 9, "The member '\(field)' of 'output' has one window function, and optionally a 'window'.")
        }
        let window = document["window"]
        if let kind = all[member.key] { return try kind.make(member.value, window, order, parser) }
        guard AccumulatorKind.all[member.key] != nil else {
            throw MongoError(code: 9, "Unrecognized window function, \(member.key)")
        }
        let specification = try AccumulatorSpecification(
            .document([member.key: member.value]), of: field, takesArrays: true, parser)
        return AccumulatedWindow(accumulator: specification, bounds: try WindowBounds(window, order))
    }
}

/// An accumulator over the window of each row.
struct AccumulatedWindow: WindowFunction {
    let accumulator: AccumulatorSpecification
    let bounds: WindowBounds

    /// The maximum total number of values of windows that have to be computed from scratch.
    private static let maximumWork = 50_000_000

    func values(_ partition: Partition, _ evaluation: Evaluation) throws -> [BSON?] {
        let inputs = try partition.rows.map { row in
            evaluation.row = row
            return try accumulator.input.value(evaluation)
        }
        let window = try partition.windows(bounds)
        var (results, work) = ([BSON?](), 0)
        var (current, range) = (try accumulator.make(evaluation), 0..<0)
        for index in partition.rows.indices {
            let next = try window(index)
            if next == range, let last = results.last {
                results.append(last)
                continue
            }
            // A window that only grows at its end keeps its accumulator.
            if next.lowerBound != range.lowerBound || next.upperBound < range.upperBound {
                (current, range) = (try accumulator.make(evaluation), next.lowerBound..<next.lowerBound)
            }
            for place in range.upperBound..<next.upperBound { _ = try current.add(inputs[place]) }
            work += next.upperBound - range.upperBound
            guard work <= Self.maximumWork else { throw MongoError.tooLarge("A 'window' takes too long.") }
            range = next
            results.append(try current.result())
        }
        return results
    }
}
