internal import SealiteValues

extension StageKind {
    /// The stages `$skip`, `$limit` and `$sample`, which select rows, and `$count`.
    static let limits: [StageKind] = [
        .init("$skip") { specification, _ in
            let count = try count(specification, "$skip", 5_107_200)
            return FunctionStage { input, _ in
                var (input, left) = (input, count)
                return RowCursor {
                    while left > 0 {
                        guard try input.next() != nil else { return nil }
                        left -= 1
                    }
                    return try input.next()
                }
            }
        },
        .init("$limit") { specification, _ in
            let count = try count(specification, "$limit", 5_107_201)
            try require(count > 0, 15958, "$limit takes a positive number.")
            return LimitStage(count: count)
        },
        .init("$sample", sample),
        .init("$count") { specification, _ in
            guard case .string(let name) = specification else {
                throw MongoError(code: 40156, "$count takes a string, the name of a member.")
            }
            try require(!name.isEmpty, 40157, "$count takes no empty name.")
            try require(!name.hasPrefix("$"), 40158, "$count takes no name that begins with '$'.")
            try require(!name.utf8.contains(0), 40159, "$count takes no name with a NUL character.")
            try require(name != "_id", 9_039_800, "$count takes no '_id' as the name.")
            try require(!name.utf8.contains(0x2E), 40160, "$count takes no name with a dot in it.")
            try require(name != "_id", 9_039_800, "$count takes another name than '_id'.")
            return FunctionStage { input, _ in
                .deferred {
                    var (input, count) = (input, 0)
                    if let visitBodies = input.visitBodies {
                        try visitBodies { _ in count += 1 }
                    } else {
                        while try input.next() != nil { count += 1 }
                    }
                    return RowCursor(count > 0 ? [Row([name: BSON(count)])] : [])
                }
            }
        },
    ]

    private static func count(_ specification: BSON, _ name: String, _ code: Int) throws -> Int {
        let number = BSONNumber(specification)?.exactInteger.flatMap { $0 >= 0 ? Int($0) : nil }
        return try require(
            number, code, "\(name) takes an integer from 0 on, not one of the type \(specification.type.alias).")
    }

    /// Returns a number without its fraction, of a Decimal128 the nearest integer, within the range of Int; 0 for NaN.
    private static func sampleSize(_ number: BSON) -> Int {
        var number = number
        if case .decimal128(let decimal) = number { number = .decimal128(decimal.rounded(places: 0)) }
        if let integer = number.truncatedInt64 { return Int(integer) }
        return number.compared(to: .int32(0)) > 0 ? .max : 0
    }

    @Sendable private static func sample(_ specification: BSON, _ parser: PipelineParser) throws -> any Stage {
        let members = try requireDocument(specification, 28745, "$sample takes an object")
        for member in members {
            try require(member.key == "size", 28748, "$sample doesn't know the member '\(member.key)'.")
            try require(member.value.type.isNumber, 28746, "$sample takes a number as 'size'.")
        }
        let size = try require(members["size"], 28749, "$sample needs the member 'size'.")
        let count = sampleSize(size)
        try require(count > 0, 28747, "$sample takes a positive number as 'size'.")
        return FunctionStage { input, run in
            .deferred {
                var (input, seen, kept) = (input, 0, [Row]())
                while let row = try input.next() {
                    seen += 1
                    if kept.count < count {
                        try run.memory.take(row.memoryByteCount, for: "$sample")
                        kept.append(row)
                    } else if case let place = Int.random(in: 0..<seen), place < kept.count {
                        kept[place] = row
                    }
                }
                return run.cursor(kept.shuffled())
            }
        }
    }
}

/// The stage `$limit`, which passes on the first `count` rows.
struct LimitStage: Stage {
    let count: Int

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        var (input, left) = (input, count)
        return RowCursor {
            guard left > 0 else { return nil }
            left -= 1
            return try input.next()
        }
    }
}
