internal import SealiteValues

/// The update operators `$addToSet` and `$pop`, which add items to arrays, or remove one from an end.
enum ArrayOperators {
    static let addToSet: UpdateParser.Reader = { path, operand, _ in
        let items = try added(operand, path)
        return FieldOperation("$addToSet", missing: .makesValue) { value, _, path in
            var result: [BSON] = []
            switch value {
            case nil: break
            case .array(let items)?: result = items
            case let other?:
                throw MongoError.badValue(
                    "Cannot apply $addToSet to non-array field. Field named '\(path)' has non-array type \(other.type.alias)"
                )
            }
            var known = Set(result.map(BSONKey.init))
            for item in items where known.insert(BSONKey(item)).inserted { result.append(item) }
            return .value(.array(result))
        }
    }

    private static func added(_ operand: BSON, _ path: UpdatePath) throws -> [BSON] {
        guard case .document(let modifiers) = operand, modifiers.keys.first == "$each" else { return [operand] }
        guard modifiers.count == 1 else {
            throw MongoError.badValue("Found unexpected fields after $each in $addToSet of '\(path.text)'")
        }
        guard case .array(let items)? = modifiers["$each"] else {
            throw MongoError.typeMismatch("The argument to $each in $addToSet must be an array")
        }
        return items
    }

    static let pop: UpdateParser.Reader = { path, operand, _ in
        guard let end = operand.exactInt64, end == 1 || end == -1 else {
            throw MongoError.failedToParse("$pop of '\(path.text)' expects 1 or -1")
        }
        return FieldOperation("$pop", missing: .nothingAnywhere) { value, _, path in
            guard case .array(let items)? = value else {
                throw MongoError.typeMismatch("The path '\(path)' contains an element of non-array type for $pop")
            }
            return .value(.array(Array(end == 1 ? items.dropLast() : items.dropFirst())))
        }
    }
}
