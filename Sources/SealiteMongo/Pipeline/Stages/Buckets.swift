internal import SealiteValues

extension StageKind {
    /// The stages `$bucket` and `$bucketAuto`, which group rows by ranges of a value.
    static let buckets: [StageKind] = [.init("$bucket", bucket), .init("$bucketAuto", bucketAuto)]

    /// Returns the members that are computed for each bucket, as the member `output` specifies; by default a count of
    /// the rows.
    static func output(_ members: StageMembers, _ name: String, _ parser: PipelineParser) throws -> AccumulatedMembers {
        let given = try members.document("output")
        return try AccumulatedMembers(given ?? ["count": ["$sum": 1]], parser.expressions)
    }

    /// Returns the expression in the member `groupBy`, by whose value rows are assigned to buckets; throws `MongoError`
    /// if it is neither a path nor an object.
    static func groupBy(_ members: StageMembers, _ name: String, _ parser: PipelineParser) throws -> ExpressionNode {
        let value = members["groupBy"] ?? .null
        switch value {
        case .string(let path) where path.hasPrefix("$"): break
        case .document: break
        default:
            throw MongoError(
                code: name == "$bucket" ? 40202 : 40239, "\(name) takes a path with '$' or an expression as 'groupBy'.")
        }
        return try parser.expressions.parse(value)
    }

    @Sendable private static func bucket(_ specification: BSON, _ parser: PipelineParser) throws -> any Stage {
        let members = try StageMembers(
            specification, of: "$bucket", ["groupBy", "boundaries", "default", "output"],
            required: ["groupBy", "boundaries"], code: 40201)
        guard case .array(let items)? = members["boundaries"] else {
            throw MongoError(
                code: 40200, "$bucket takes an array as 'boundaries', not \(members["boundaries"].typeName).")
        }
        let boundaries = try items.map { item in
            guard case .some(let constant) = try parser.expressions.parse(item).constant, let constant else {
                throw MongoError(code: 40191, "$bucket takes constants as 'boundaries'.")
            }
            return constant
        }
        guard boundaries.count > 1 else { throw MongoError(code: 40192, "$bucket takes two 'boundaries' or more.") }
        for (left, right) in zip(boundaries, boundaries.dropFirst()) {
            guard left.type.rank == right.type.rank else {
                throw MongoError(code: 40193, "$bucket takes 'boundaries' of one type.")
            }
            guard left.compared(to: right) < 0 else {
                throw MongoError(code: 40194, "$bucket takes strictly ascending 'boundaries'.")
            }
        }
        var fallback: BSON?
        if let given = members["default"] {
            guard case .some(let constant) = try parser.expressions.parse(given).constant, let constant else {
                throw MongoError(code: 40195, "$bucket takes a constant as 'default'.")
            }
            guard
                constant.compared(to: boundaries[0]) < 0 || constant.compared(to: boundaries[boundaries.count - 1]) >= 0
            else {
                throw MongoError(
                    code: 40199, "$bucket takes a 'default' below the 'boundaries', or at or above the last one.")
            }
            fallback = constant
        }
        let key = try groupBy(members, "$bucket", parser)
        let bounded = ExpressionNode.form { [fallback] evaluation in
            let value = try key.value(evaluation) ?? .null
            if let bucket = bucket(of: value, boundaries) { return bucket }
            guard let fallback else {
                throw MongoError(
                    code: 40066,
                    "A value of 'groupBy' is outside of the 'boundaries' of $bucket, which has no 'default'.")
            }
            return fallback
        }
        let group = GroupStage(key: bounded, members: try output(members, "$bucket", parser))
        let sort = SortStage(order: try SortOrder(["_id": 1]), limit: nil)
        return FunctionStage { input, run in try sort.open(group.open(input, run), run) }
    }

    /// Returns the lower boundary of the bucket that a value is in; nil if it is outside of all buckets. `boundaries`
    /// are in ascending order.
    private static func bucket(of value: BSON, _ boundaries: [BSON]) -> BSON? {
        guard value.compared(to: boundaries[0]) >= 0 else { return nil }
        var (low, high) = (0, boundaries.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if boundaries[middle].compared(to: value) <= 0 { low = middle } else { high = middle }
        }
        return low < boundaries.count - 1 ? boundaries[low] : Optional.none
    }

    @Sendable private static func bucketAuto(_ specification: BSON, _ parser: PipelineParser) throws -> any Stage {
        let members = try StageMembers(
            specification, of: "$bucketAuto", ["groupBy", "buckets", "output", "granularity"],
            required: ["groupBy", "buckets"], code: 40240)
        guard let count = Number(members["buckets"])?.exactInteger.flatMap({ Int32(exactly: $0) }) else {
            throw MongoError(code: 40241, "$bucketAuto takes an integer of 32 bits as 'buckets'.")
        }
        guard count > 0 else { throw MongoError(code: 40243, "$bucketAuto takes a positive number of 'buckets'.") }
        let series = try members.string("granularity").map { try PreferredNumbers($0) }
        return BucketAutoStage(
            key: try groupBy(members, "$bucketAuto", parser), count: Int(count),
            members: try output(members, "$bucketAuto", parser), series: series)
    }
}
