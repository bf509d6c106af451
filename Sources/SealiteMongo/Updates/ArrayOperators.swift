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
                    "$addToSet takes an array, and '\(path)' is of the type \(other.type.alias)."
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
            throw MongoError.badValue("$addToSet of '\(path.text)' takes $each alone, without other members.")
        }
        guard case .array(let items)? = modifiers["$each"] else {
            throw MongoError.typeMismatch("$addToSet takes an array as $each.")
        }
        return items
    }

    static let pop: UpdateParser.Reader = { path, operand, _ in
        guard let end = operand.exactInt64, end == 1 || end == -1 else {
            throw MongoError.failedToParse("$pop of '\(path.text)' takes 1 or -1.")
        }
        return FieldOperation("$pop", missing: .nothingAnywhere) { value, _, path in
            guard case .array(let items)? = value else {
                throw MongoError.typeMismatch("$pop takes an array, which '\(path)' isn't.")
            }
            return .value(.array(Array(end == 1 ? items.dropLast() : items.dropFirst())))
        }
    }
}
