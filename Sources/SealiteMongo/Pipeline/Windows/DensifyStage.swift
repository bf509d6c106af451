internal import SealiteValues

/// The stage `$densify`, which adds rows for the values that are missing between those of other rows.
struct DensifyStage: Stage {
    /// The maximum number of documents that the stage may add to its input.
    private static let maximumCount = 500_000

    private enum Bounds: Sendable {
        case full
        case partition
        case between(BSON, BSON)
    }

    private let path: [String]
    private let partitionPaths: [[String]]
    private let steps: DensifySteps
    private let bounds: Bounds

    init(_ specification: BSON) throws {
        let members = try StageMembers(
            specification, of: "$densify", ["field", "partitionByFields?", "range"], code: 5733201)
        path = try FieldPath(try members.string("field") ?? "").names
        partitionPaths = try (members.array("partitionByFields") ?? []).map { item in
            let text = try require(item.text, 14, "$densify takes strings in 'partitionByFields'.")
            return try FieldPath(text).names
        }
        try require(!partitionPaths.contains(path), 8993000, "'field' of $densify must not be in 'partitionByFields'.")
        let range = try StageMembers(
            members["range"] ?? .null, of: "$densify's range", ["step", "bounds", "unit?"], code: 5733201)
        steps = try DensifySteps(range)
        bounds = try Self.bounds(range, steps)
        if case .partition = bounds, partitionPaths.isEmpty {
            throw MongoError(code: 5733408, "$densify with the 'bounds' 'partition' needs 'partitionByFields'.")
        }
    }

    private static func bounds(_ range: StageMembers, _ steps: DensifySteps) throws -> Bounds {
        switch range["bounds"] {
        case .string("full"): return .full
        case .string("partition"): return .partition
        case .array(let items):
            try require(
                items.count == 2, 5733403, "$densify takes an array of two values as 'bounds', not of \(items.count).")
            try steps.check(items[0], items[1])
            return .between(items[0], items[1])
        default: throw MongoError(code: 5946802, "$densify takes 'full', 'partition' or two values as 'bounds'.")
        }
    }

    // MARK: Rows

    private struct Group {
        var key: [BSON?]
        var entries: [(value: BSON, row: Row)] = []
    }

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        .deferred {
            var (others, groups) = try groups(input, run)
            for index in groups.indices { groups[index].entries.sort { $0.value.compared(to: $1.value) < 0 } }
            let limits = limits(groups)
            var made = 0
            for group in groups { others += try dense(group, limits, &made, run) }
            return RowCursor(others)
        }
    }

    /// Returns the rows without a value at the path, and the other rows by partition, in the order in which they are
    /// read.
    private func groups(_ input: RowCursor, _ run: PipelineRun) throws -> ([Row], [Group]) {
        var (input, others, groups, places) = (input, [Row](), [Group](), [BSONKey: Int]())
        while let row = try input.next() {
            try run.memory.take(row.memoryByteCount, for: "$densify")
            guard let value = row.member(at: path), !Optional(value).isNullish else {
                others.append(row)
                continue
            }
            try require(
                steps.fits(value), 5733201,
                "The values of 'field' of $densify must be numbers or, with a 'unit', dates, not \(value.type.alias).")
            let key = partitionPaths.map { row.member(at: $0) }
            let identity = BSONKey(.array(key.map { $0 ?? .undefined }))
            let place = places[identity] ?? groups.count
            if place == groups.count {
                places[identity] = place
                groups.append(Group(key: key))
            }
            groups[place].entries.append((value, row))
        }
        return (others, groups)
    }

    /// Returns the lowest and the highest value among all partitions, whose rows are sorted; nil if there are no rows.
    private func limits(_ groups: [Group]) -> (BSON, BSON)? {
        let lowest = groups.compactMap(\.entries.first?.value).min { $0.compared(to: $1) < 0 }
        let highest = groups.compactMap(\.entries.last?.value).max { $0.compared(to: $1) < 0 }
        guard let lowest, let highest else { return nil }
        return (lowest, highest)
    }

    /// Returns the rows of a partition, whose rows are sorted, together with the added ones. `made` counts the added
    /// rows of all partitions.
    private func dense(_ group: Group, _ limits: (BSON, BSON)?, _ made: inout Int, _ run: PipelineRun) throws -> [Row] {
        guard let first = group.entries.first?.value, let last = group.entries.last?.value, let limits else {
            return []
        }
        let (start, end, isOpen): (BSON, BSON, Bool) =
            switch bounds {
            case .full: (limits.0, limits.1, false)
            case .partition: (first, last, false)
            case .between(let lower, let upper): (lower, upper, true)
            }
        var (rows, index, count) = ([Row](), 0, 0)
        while true {
            let value = try steps.value(count, from: start)
            let order = value.compared(to: end)
            guard isOpen ? order < 0 : order <= 0 else { break }
            var isThere = false
            while index < group.entries.count, case let entry = group.entries[index],
                case let order = entry.value.compared(to: value),
                order <= 0
            {
                rows.append(entry.row)
                isThere = isThere || order == 0
                index += 1
            }
            if !isThere {
                made += 1
                try require(
                    made <= Self.maximumCount, 5897900, "$densify would add more than \(Self.maximumCount) documents.")
                let row = row(group.key, value)
                try run.memory.take(row.memoryByteCount, for: "$densify")
                rows.append(row)
            }
            count += 1
        }
        return rows + group.entries[index...].map(\.row)
    }

    private func row(_ key: [BSON?], _ value: BSON) -> Row {
        var document = MongoDocument()
        for (path, part) in zip(partitionPaths, key) {
            if let part { document.set(part, at: path[...]) }
        }
        document.set(value, at: path[...])
        return Row(document)
    }
}

/// The steps in which `$densify` adds values: of a number, or of a number of calendar units for dates.
struct DensifySteps: Sendable {
    private let step: BSONNumber
    private let unit: CalendarUnit?

    init(_ range: StageMembers) throws {
        let step = try requireNumber(range["step"], 14, "$densify takes a number as 'step'")
        try require(!step.isNegative && !step.isZero && !step.isNaN, 5733401, "$densify takes a positive 'step'.")
        unit = try range["unit"].map { try CalendarUnit.argument($0, "$densify") } ?? nil
        try require(
            unit == nil || step.exactInteger != nil, 6586400, "$densify takes an integer as 'step' with a 'unit'.")
        self.step = step
    }

    /// Returns a Boolean value that says whether a value is a number or, if the steps have a unit, a date.
    func fits(_ value: BSON) -> Bool { unit == nil ? BSONNumber(value) != nil : value.type == .datetime }

    /// Throws `MongoError` if the bounds aren't of the steps' type, or aren't in ascending order.
    func check(_ lower: BSON, _ upper: BSON) throws {
        try require(fits(lower) && fits(upper), 5733402, "$densify takes numbers in 'bounds' or, with a 'unit', dates.")
        try require(
            lower.compared(to: upper) <= 0, 5733402,
            "$densify takes 'bounds' whose first value isn't above the second.")
        guard unit == nil else { return }
        func family(_ value: BSON) -> Int { value.type == .decimal128 ? 2 : value.type == .double ? 1 : 0 }
        try require(
            family(lower) == family(upper) && family(lower) == family(step.bson), 5733406,
            "$densify takes 'bounds' and a 'step' that are all integers, all doubles or all decimals.")
    }

    /// Returns the value that is `count` steps after `start`.
    func value(_ count: Int, from start: BSON) throws -> BSON {
        guard count > 0 else { return start }
        if case .datetime(let date) = start {
            guard let unit, let whole = step.exactInteger,
                case let (amount, isTooLarge) = Int(whole).multipliedReportingOverflow(by: count), !isTooLarge,
                let value = date.adding(amount, unit, .utc)
            else { throw DateTime.overflow("$densify") }
            return .datetime(value)
        }
        let distance = step.multiplied(by: .int64(Int64(count)))
        // The sum of 32-bit integers stays a 32-bit integer if it fits.
        let narrow = distance.integer.map { BSONNumber($0, isWide: step.isInt64) } ?? distance
        return (BSONNumber(start) ?? .int32(0)).adding(narrow).bson
    }
}

extension StageKind {
    /// The stage `$densify`, which adds rows for values that are missing between others.
    static let densities: [StageKind] = [.init("$densify") { specification, _ in try DensifyStage(specification) }]
}
