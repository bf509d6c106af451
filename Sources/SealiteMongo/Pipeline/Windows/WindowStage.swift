internal import SealiteValues

extension StageKind {
    /// The stages `$setWindowFields` and `$fill`, which compute values over the rows around a row.
    static let windows: [StageKind] = [
        .init("$setWindowFields") { specification, parser in
            let names = ["partitionBy?", "sortBy?", "output"]
            let members = try StageMembers(specification, of: "$setWindowFields", names)
            let order = try order(members["sortBy"])
            let key = try members["partitionBy"].map(parser.expressions.parse)
            if case .some(.some(.array)) = key?.constant { throw WindowStage.arrayError }
            let output = try (members.document("output") ?? [:]).map { member in
                WindowStage.Output(
                    path: try FieldPath(member.key).names,
                    function: try WindowFunctionKind.function(member.value, of: member.key, order, parser.expressions))
            }
            return WindowStage(key: key, order: order, output: output)
        },
        .init("$fill", fill),
    ]

    /// Returns the order of the member `sortBy` of `$setWindowFields`; nil if it is missing, null or empty.
    private static func order(_ value: BSON?) throws -> SortOrder? {
        guard let value, value != .null else { return nil }
        if value.isEmptyDocument { return SortOrder.none }
        guard case .document = value else {
            throw MongoError.typeMismatch("$setWindowFields takes an object as 'sortBy', not \(value.type.alias).")
        }
        return try SortOrder(value)
    }

    @Sendable private static func fill(_ specification: BSON, _ parser: PipelineParser) throws -> any Stage {
        let names = ["partitionBy?", "partitionByFields?", "sortBy?", "output"]
        let members = try StageMembers(specification, of: "$fill", names)
        try require(
            members["partitionBy"] == nil || members["partitionByFields"] == nil, 6050204,
            "$fill takes 'partitionBy' or 'partitionByFields', not both.")
        var key = try members["partitionBy"].map(parser.expressions.parse)
        if let fields = try members.array("partitionByFields") { key = try self.key(fields) }
        let order = try members.document("sortBy").map { try SortOrder(.document($0)) }
        var (output, values) = ([WindowStage.Output](), MongoDocument())
        for member in try members.document("output") ?? [:] {
            guard case .document(let method) = member.value, method.count == 1, let only = method.members.first else {
                throw MongoError(code: 6050202, "$fill takes a 'value' or a 'method' for '\(member.key)'.")
            }
            let path = try FieldPath(member.key).names
            switch (only.key, only.value) {
            case ("value", let value): values[member.key] = ["$ifNull": .array([.string("$\(member.key)"), value])]
            case ("method", .string("locf")), ("method", .string("linear")):
                let name = only.value == .string("locf") ? "$locf" : "$linearFill"
                let function = try WindowFunctionKind.function(
                    .document([name: .string("$\(member.key)")]), of: member.key, order, parser.expressions)
                output.append(.init(path: path, function: function))
            default:
                throw MongoError(
                    code: 6050202, "$fill takes a 'value', or a 'method' 'locf' or 'linear', for '\(member.key)'.")
            }
        }
        let window = WindowStage(key: key, order: order, output: output)
        guard !values.isEmpty else { return window }
        let projection = try FieldProjection(adding: values, parser.expressions)
        return FunctionStage { [output] input, run in
            let evaluation = run.evaluation()
            return try (output.isEmpty ? input : window.open(input, run)).map {
                $0.replaced(by: try projection.document(of: $0, evaluation))
            }
        }
    }

    /// Returns an expression that combines the values at the paths `fields` into one key.
    private static func key(_ fields: [BSON]) throws -> ExpressionNode {
        .document(
            try fields.map { field in
                let text = try require(field.text, 14, "$fill takes strings in 'partitionByFields'.")
                return (text, .field(try FieldPath(text).names))
            })
    }
}

/// The stage `$setWindowFields`.
struct WindowStage: Stage {
    /// The path of a member that is computed, and the function that computes it.
    struct Output: Sendable {
        let path: [String]
        let function: any WindowFunction
    }

    static let arrayError = MongoError(
        code: 5397900, "'partitionBy' gives an array; rows can't be partitioned by arrays.")

    let key: ExpressionNode?
    let order: SortOrder?
    let output: [Output]

    private struct Entry {
        let key: BSON
        let values: [BSON]
        let row: Row
    }

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        .deferred {
            let entries = try entries(input, run)
            let evaluation = run.evaluation()
            // The computed values of each row, in the order of `output`; rows are decoded one by one at the end.
            var values: [[BSON?]] = Array(repeating: [], count: entries.count)
            var start = 0
            while start < entries.count {
                let first = entries[start].key
                let end = try entries[start...].firstIndex { try run.work.compare($0.key, first) != 0 } ?? entries.count
                let part = entries[start..<end]
                try compute(
                    Partition(rows: part.map(\.row), values: part.map(\.values)), evaluation, run, &values[start..<end])
                start = end
            }
            var index = 0
            return RowCursor {
                guard index < entries.count else { return nil }
                defer { index += 1 }
                try run.work.charge(1)
                var document = entries[index].row.document
                for (member, value) in zip(output, values[index]) { document.set(value, at: member.path[...]) }
                return entries[index].row.replaced(by: document)
            }
        }
    }

    /// Returns the rows sorted by the key of their partition and, within a partition, by the sort order.
    private func entries(_ input: RowCursor, _ run: PipelineRun) throws -> [Entry] {
        let evaluation = run.evaluation()
        var (input, entries) = (input, [Entry]())
        while let row = try input.next() {
            evaluation.row = row
            let key = try key?.value(evaluation) ?? .null
            guard key.type != .array else { throw Self.arrayError }
            let values = order?.values(of: row) ?? []
            try run.memory.take(row.memoryByteCount + key.memoryByteCount + 64 * values.count, for: "$setWindowFields")
            entries.append(Entry(key: key, values: values, row: row))
        }
        try entries.sort { left, right in
            let keys = try run.work.compare(left.key, right.key)
            return try keys == 0 ? (order?.compare(left.values, right.values, run.work) ?? 0) < 0 : keys < 0
        }
        return entries
    }

    /// Appends the computed values of each row of a partition to `values`, which has an element for each row.
    private func compute(
        _ partition: Partition, _ evaluation: Evaluation, _ run: PipelineRun, _ values: inout ArraySlice<[BSON?]>
    ) throws {
        for member in output {
            var index = values.startIndex
            try member.function.visitValues(of: partition, evaluation, run.memory) { value in
                try value?.checkSize(run.work)
                try run.memory.take(value?.memoryByteCount ?? 0, for: "$setWindowFields")
                values[index].append(value)
                index += 1
            }
        }
    }
}

/// A function of `$setWindowFields`, which is computed for each row of a partition, mostly over a window of rows around
/// it.
protocol WindowFunction: Sendable {
    /// A function that is called with the value for a row; nil for a row without one.
    typealias Visit = (BSON?) throws -> Void

    /// Calls `body` with the function's value for each row of a partition, in their order; nil for a row without one.
    ///
    /// `body` adds the memory of the value to the budget. Other memory that grows with the values of the rows is added
    /// to `memory` by the function, and subtracted at its end.
    func visitValues(of partition: Partition, _ evaluation: Evaluation, _ memory: MemoryBudget, _ body: Visit) throws
}

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
        let document = try require(specification.members, 9, "The member '\(field)' of 'output' must be an object.")
        let functions = document.filter { $0.key != "window" }
        let hasRank = functions.contains { ["$rank", "$denseRank", "$documentNumber"].contains($0.key) }
        try require(
            !hasRank || functions.count == 1, 5_371_601, "The member '\(field)' of 'output' has more than a rank.")
        guard functions.count == 1, let member = functions.first, member.key.hasPrefix("$") else {
            throw MongoError(
                code: 9, "The member '\(field)' of 'output' must have one window function, and may have a 'window'.")
        }
        let window = document["window"]
        if let kind = all[member.key] { return try kind.make(member.value, window, order, parser) }
        try require(AccumulatorKind.all[member.key] != nil, 9, "There is no window function \(member.key).")
        let specification = try AccumulatorSpecification(
            .document([member.key: member.value]), of: field, takesArrays: true, parser)
        return AccumulatedWindow(accumulator: specification, bounds: try WindowBounds(window, order))
    }
}
