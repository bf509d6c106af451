internal import SealiteValues

/// The update operators on values of any type.
enum FieldOperators {
    static let set: UpdateParser.Reader = { _, operand, _ in
        FieldOperation("$set", missing: .makesValue) { _, _, _ in .value(operand) }
    }

    static let setOnInsert: UpdateParser.Reader = { _, operand, _ in
        var operation = FieldOperation("$setOnInsert", missing: .makesValue) { _, _, _ in .value(operand) }
        operation.isForInsertion = true
        return operation
    }

    static let unset: UpdateParser.Reader = { _, _, _ in
        FieldOperation("$unset", missing: .nothingAnywhere) { _, _, _ in .removed }
    }

    static let min: UpdateParser.Reader = { _, operand, _ in
        FieldOperation("$min", missing: .makesValue) { value, _, _ in
            guard let value, value.compared(to: operand) <= 0 else { return .value(operand) }
            return .unchanged
        }
    }

    static let max: UpdateParser.Reader = { _, operand, _ in
        FieldOperation("$max", missing: .makesValue) { value, _, _ in
            guard let value, value.compared(to: operand) >= 0 else { return .value(operand) }
            return .unchanged
        }
    }

    static let currentDate: UpdateParser.Reader = { path, operand, _ in
        let isTimestamp: Bool
        switch operand {
        case .bool: isTimestamp = false
        case .document(let document) where document.keys == ["$type"] && document["$type"] == .string("date"):
            isTimestamp = false
        case .document(let document) where document.keys == ["$type"] && document["$type"] == .string("timestamp"):
            isTimestamp = true
        default:
            throw MongoError.badValue("$currentDate of '\(path.text)' takes a boolean, or $type 'date' or 'timestamp'.")
        }
        return FieldOperation("$currentDate", missing: .makesValue) { _, situation, _ in
            guard isTimestamp else { return .value(.datetime(situation.now)) }
            let seconds = UInt32(clamping: situation.now.milliseconds / 1000)
            return .value(.timestamp(Timestamp(seconds: seconds, increment: 1)))
        }
    }

    // MARK: - Renaming

    /// Returns the operation that `$rename` applies to the path to which it moves a value from `source`.
    static func renamed(from source: [String]) -> FieldOperation {
        var operation = FieldOperation("$rename", missing: .makesValue) { _, situation, _ in
            situation.moved[source].map { .value($0) } ?? .unchanged
        }
        operation.source = source
        return operation
    }

    /// The operation that `$rename` applies to the path from which it moves a value: the value is removed.
    static let movedAway = FieldOperation("$rename", missing: .nothingAnywhere) { _, _, _ in .removed }
}
