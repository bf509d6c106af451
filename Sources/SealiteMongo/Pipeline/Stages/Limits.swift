internal import SealiteValues

extension StageKind {
    /// The stages `$skip`, `$limit` and `$sample`, which select rows, and `$count`.
    static let limits: [StageKind] = [
        .init("$skip") { specification, _ in
            let count = try integer(specification, "$skip", 15972)
            try require(count >= 0, 15956, "$skip takes no negative number.")
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
            let count = try integer(specification, "$limit", 15957)
            try require(count > 0, 15958, "$limit takes a positive number.")
            return LimitStage(count: count)
        },
        .init("$sample", sample),
        .init("$count") { specification, _ in
            guard case .string(let name) = specification, !name.isEmpty else {
                throw MongoError(code: 40156, "$count takes a nonempty string, the name of a member.")
            }
            try require(!name.hasPrefix("$"), 40158, "$count takes no name that begins with '$'.")
            try require(!name.utf8.contains(0), 40159, "$count takes no name with a NUL character.")
            try require(!name.utf8.contains(0x2E), 40160, "$count takes no name with a dot in it.")
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

    private static func integer(_ specification: BSON, _ name: String, _ code: Int) throws -> Int {
        let number = try require(
            BSONNumber(specification)?.exactInteger, code, "\(name) takes an integer, not \(specification.type.alias).")
        return Int(number)
    }

    @Sendable private static func sample(_ specification: BSON, _ parser: PipelineParser) throws -> any Stage {
        let members = try StageMembers(specification, of: "$sample", ["size?"], code: 28745)
        let size = try require(BSONNumber(members["size"]), 28746, "$sample takes a number as 'size'.")
        guard let count = size.exactInteger, count > 0 else {
            throw MongoError(code: 28747, "$sample takes a positive integer as 'size'.")
        }
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
