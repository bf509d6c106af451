internal import Glibc
internal import SealiteValues

extension StageKind {
    /// The stages `$bucket` and `$bucketAuto`, which group rows by ranges of a value.
    static let buckets: [StageKind] = [.init("$bucket", bucket), .init("$bucketAuto", bucketAuto)]

    /// Returns the members that are computed for each bucket, as the member `output` specifies; by default a count of
    /// the rows. `code` is the `MongoError` code of an `output` that isn't an object.
    static func output(_ value: BSON?, _ name: String, code: Int, _ parser: PipelineParser) throws -> AccumulatedMembers
    {
        let given = try value.map { try requireDocument($0, code, "\(name) takes an object as 'output'") }
        try require(given?["_id"] == nil, 15948, "\(name) takes no member '_id' in 'output'.")
        return try AccumulatedMembers(given ?? countMember, parser.expressions)
    }

    /// The member that counts the rows of a bucket.
    static let countMember: MongoDocument = ["count": ["$sum": 1]]

    /// Returns the expression in the member `groupBy`, by whose value rows are assigned to buckets; throws `MongoError`
    /// with `code` if it is neither a path nor an object.
    static func groupBy(_ value: BSON, _ name: String, code: Int, _ parser: PipelineParser) throws -> ExpressionNode {
        switch value {
        case .string(let path) where path.hasPrefix("$"): break
        case .document: break
        default: throw MongoError(code: code, "\(name) takes a path with '$' or an expression as 'groupBy'.")
        }
        return try parser.expressions.parse(value)
    }

    private static func boundaries(_ value: BSON, _ parser: PipelineParser) throws -> [BSON] {
        let items = try requireArray(value, 40200, "$bucket takes an array as 'boundaries'")
        let boundaries = try items.map { item in
            let constant = try parser.expressions.parse(item).constant ?? nil
            return try require(constant, 40191, "$bucket takes constants as 'boundaries'.")
        }
        try require(boundaries.count > 1, 40192, "$bucket takes two 'boundaries' or more.")
        for (left, right) in zip(boundaries, boundaries.dropFirst()) {
            try require(left.type.rank == right.type.rank, 40193, "$bucket takes 'boundaries' of one type.")
            try require(left.compared(to: right) < 0, 40194, "$bucket takes strictly ascending 'boundaries'.")
        }
        return boundaries
    }

    @Sendable private static func bucket(_ specification: BSON, _ parser: PipelineParser) throws -> any Stage {
        let given = try requireDocument(specification, 40201, "$bucket takes an object")
        var (groupKey, bounds, fallback) = (ExpressionNode?.none, [BSON]?.none, BSON?.none)
        var output = try AccumulatedMembers(countMember, parser.expressions)
        // As in MongoDB, the members are checked in their order.
        for member in given {
            switch member.key {
            case "groupBy": groupKey = try groupBy(member.value, "$bucket", code: 40202, parser)
            case "boundaries": bounds = try boundaries(member.value, parser)
            case "default":
                let constant = try parser.expressions.parse(member.value).constant ?? nil
                fallback = try require(constant, 40195, "$bucket takes a constant as 'default'.")
            case "output": output = try self.output(member.value, "$bucket", code: 40196, parser)
            default: throw MongoError(code: 40197, "$bucket doesn't know the member '\(member.key)'.")
            }
        }
        guard let key = groupKey, let boundaries = bounds else {
            throw MongoError(code: 40198, "$bucket needs 'groupBy' and 'boundaries'.")
        }
        if let fallback,
            fallback.compared(to: boundaries[0]) >= 0, fallback.compared(to: boundaries[boundaries.count - 1]) < 0
        {
            throw MongoError(
                code: 40199, "$bucket takes a 'default' below the 'boundaries', or at or above the last one.")
        }
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
        let group = GroupStage(key: GroupKey(node: bounded), members: output)
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
        let names = ["groupBy", "buckets", "output?", "granularity?"]
        let members = try StageMembers(
            specification, of: "$bucketAuto", names, code: 40240, unknown: 40245, absent: 40246)
        let key = try groupBy(members["groupBy"] ?? .null, "$bucketAuto", code: 40239, parser)
        let number = try requireNumber(members["buckets"], 40241, "$bucketAuto takes a number as 'buckets'")
        let count = try require(
            number.exactInteger.flatMap { Int32(exactly: $0) }, 40242,
            "$bucketAuto takes an integer of 32 bits as 'buckets'.")
        try require(count > 0, 40243, "$bucketAuto takes a positive number of 'buckets'.")
        let output = try output(members["output"], "$bucketAuto", code: 40244, parser)
        let series = try members["granularity"].map {
            try PreferredNumbers(requireString($0, 40261, "$bucketAuto takes a string as 'granularity'"))
        }
        return BucketAutoStage(
            key: key, count: Int(count),
            members: output.members.isEmpty ? try AccumulatedMembers(countMember, parser.expressions) : output,
            series: series)
    }
}

/// The stage `$bucketAuto`, which distributes rows into groups of about the same number of rows.
struct BucketAutoStage: Stage {
    let key: ExpressionNode
    let count: Int
    let members: AccumulatedMembers
    let series: PreferredNumbers?

    private struct Entry {
        let value: BSON
        let row: Row
    }

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        .deferred {
            let evaluation = run.evaluation()
            var (input, entries) = (input, [Entry]())
            while let row = try input.next() {
                evaluation.row = row
                let value = try key.value(evaluation) ?? .null
                if series != nil { try PreferredNumbers.check(value) }
                try run.memory.take(row.memoryByteCount + value.memoryByteCount, for: "$bucketAuto")
                entries.append(Entry(value: value, row: row))
            }
            try entries.sort { try run.work.compare($0.value, $1.value) < 0 }
            return run.cursor(try buckets(entries, evaluation, run))
        }
    }

    private func buckets(_ entries: [Entry], _ evaluation: Evaluation, _ run: PipelineRun) throws -> [Row] {
        let size = max(1, Int((Double(entries.count) / Double(count)).rounded()))
        var rows: [Row] = []
        var start = 0
        var lower: BSON?
        while start < entries.count, rows.count < count {
            let isLast = rows.count == count - 1
            var end = isLast ? entries.count : min(start + size, entries.count)
            var upper = entries[end - 1].value
            if let series, let rounded = series.next(above: upper) { upper = rounded }
            // Rows with equal values, and those below a rounded boundary, stay in one bucket.
            while end < entries.count,
                series == nil
                    ? entries[end].value.isSame(as: entries[end - 1].value) : entries[end].value.compared(to: upper) < 0
            { end += 1 }
            if series == nil, end < entries.count { upper = entries[end].value }
            let minimum = lower ?? series?.last(below: entries[start].value) ?? entries[start].value
            rows.append(Row(try bucket(entries[start..<end], minimum, upper, evaluation, run)))
            lower = upper
            start = end
        }
        return rows
    }

    private func bucket(
        _ entries: ArraySlice<Entry>, _ minimum: BSON, _ maximum: BSON, _ evaluation: Evaluation, _ run: PipelineRun
    ) throws -> MongoDocument {
        let accumulators = try members.make(evaluation)
        for entry in entries {
            evaluation.row = entry.row
            try run.memory.take(try members.add(evaluation, to: accumulators), for: "$bucketAuto")
        }
        var document: MongoDocument = ["_id": ["min": minimum, "max": maximum]]
        try members.append(accumulators, to: &document)
        return document
    }
}

/// A series of numbers to which `$bucketAuto` rounds bucket boundaries: of Renard (`R5` to `R80`), of IEC 60063 (`E6`
/// to `E192`), `1-2-5` or the powers of two.
struct PreferredNumbers: Sendable {
    /// The numbers of one decade in ascending order, all multiplied by the same power of ten; nil for the powers of
    /// two.
    private let decade: [Double]?

    /// Creates the series with a name, such as `R5`; throws `MongoError` for an unknown name.
    init(_ name: String) throws {
        switch name {
        case "POWERSOF2": decade = nil
        case "1-2-5": decade = [1, 2, 5]
        default:
            guard let count = Int(name.dropFirst()), let numbers = Self.decade(name.first, count) else {
                throw MongoError(
                    code: 40257,
                    "$bucketAuto takes R5, R10, R20, R40, R80, E6, E12, E24, E48, E96, E192, 1-2-5 or POWERSOF2 as 'granularity'."
                )
            }
            decade = numbers
        }
    }

    /// Throws `MongoError` if a value isn't a number of at least 0.
    static func check(_ value: BSON) throws {
        let number = try requireNumber(value, 40258, "$bucketAuto with a 'granularity' takes numbers as 'groupBy'")
        try require(!number.isNaN, 40259, "$bucketAuto with a 'granularity' takes no NaN as 'groupBy'.")
        try require(
            !number.isNegative, 40260, "$bucketAuto with a 'granularity' takes no negative number as 'groupBy'.")
    }

    /// Returns the lowest number of the series above a value, 0 if the value is 0; nil for infinity and values that
    /// aren't numbers.
    func next(above value: BSON) -> BSON? {
        guard let number = BSONNumber(value)?.double, number.isFinite else { return nil }
        guard number > 0 else { return .double(0) }
        guard let decade else { return Self.power(floor(log2(number)) + 1) }
        var scale = pow(10, floor(Glibc.log10(number)))
        while scale * decade[0] > number { scale /= 10 }
        for _ in 0..<3 {
            if let found = decade.first(where: { $0 * scale > number }) { return .double(found * scale) }
            scale *= 10
        }
        return nil
    }

    /// Returns the highest number of the series below a value, 0 if the value is 0; nil for infinity and values that
    /// aren't numbers.
    func last(below value: BSON) -> BSON? {
        guard let number = BSONNumber(value)?.double, number.isFinite else { return nil }
        guard number > 0 else { return .double(0) }
        guard let decade else { return Self.power(ceil(log2(number)) - 1) }
        var scale = pow(10, ceil(Glibc.log10(number)))
        for _ in 0..<4 {
            if let found = decade.last(where: { $0 * scale < number }) { return .double(found * scale) }
            scale /= 10
        }
        return nil
    }

    /// Returns a power of two, as an integer if it is one of 64 bits.
    private static func power(_ exponent: Double) -> BSON {
        (0..<63).contains(exponent) ? BSON(1 << Int(exponent)) : .double(exp2(exponent))
    }

    private static func decade(_ letter: Character?, _ count: Int) -> [Double]? {
        switch (letter, count) {
        case ("R", 5): [10, 16, 25, 40, 63]
        case ("R", 10): [100, 125, 160, 200, 250, 315, 400, 500, 630, 800]
        case ("R", 20):
            [100, 112, 125, 140, 160, 180, 200, 224, 250, 280, 315, 355, 400, 450, 500, 560, 630, 710, 800, 900]
        case ("R", 40):
            [
                100, 106, 112, 118, 125, 132, 140, 150, 160, 170, 180, 190, 200, 212, 224, 236, 250, 265, 280, 300, 315,
                355, 375, 400, 425, 450, 475, 500, 530, 560, 600, 630, 670, 710, 750, 800, 850, 900, 950,
            ]
        case ("R", 80):
            [
                103, 109, 115, 122, 128, 136, 145, 155, 165, 175, 185, 195, 206, 218, 230, 243, 258, 272, 290, 307, 325,
                345, 365, 387, 412, 437, 462, 487, 515, 545, 575, 615, 650, 690, 730, 775, 825, 875, 925, 975,
            ]
        case ("E", 6): [10, 15, 22, 33, 47, 68]
        case ("E", 12): [10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82]
        case ("E", 24):
            [10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91]
        case ("E", 48), ("E", 96), ("E", 192):
            (0..<count).map { index in
                // IEC 60063 lists 9.20 where the formula gives 9.19.
                let number = (pow(10, Double(index) / Double(count)) * 100).rounded()
                return number == 919 && count == 192 ? 920 : number
            }
        default: nil
        }
    }
}
