internal import SealiteValues

// Operands that are numbers, types or bits.
extension FilterParser {
    // MARK: - Types, numbers and sizes

    static func types(_ operand: BSON) throws -> TypeSet {
        var types = TypeSet()
        guard case .array(let items) = operand else {
            try add(operand, to: &types)
            return types
        }
        guard !items.isEmpty else { throw MongoError.failedToParse("$type takes at least one type.") }
        for item in items { try add(item, to: &types) }
        return types
    }

    private static func add(_ name: BSON, to types: inout TypeSet) throws {
        if case .string(let alias) = name {
            if alias == "number" {
                for type in BSONType.allCases where type.isNumber { types.insert(type) }
            } else if let type = BSONType(alias: alias) {
                types.insert(type)
            } else {
                throw MongoError.badValue("There is no type '\(alias)'.")
            }
            return
        }
        guard name.type.isNumber else {
            throw MongoError.typeMismatch("$type takes the number or the name of a type.")
        }
        guard let code = name.exactInt64, let type = code == 255 ? .minKey : BSONType(rawValue: Int(code)) else {
            throw MongoError.badValue("There is no type with this number.")
        }
        types.insert(type)
    }

    static func modulus(_ operand: BSON) throws -> LeafTest {
        guard case .array(let items) = operand else {
            throw MongoError.badValue("$mod takes an array of a divisor and a remainder.")
        }
        guard items.count >= 2 else { throw MongoError.badValue("$mod takes a remainder too.") }
        guard items.count == 2 else {
            throw MongoError.badValue("$mod takes a divisor and a remainder, and nothing else.")
        }
        guard items[0].type.isNumber else { throw MongoError.badValue("$mod takes a number as the divisor.") }
        guard items[1].type.isNumber else { throw MongoError.badValue("$mod takes a number as the remainder.") }
        guard let divisor = items[0].truncatedInt64, let remainder = items[1].truncatedInt64 else {
            throw MongoError.badValue("$mod takes a divisor and a remainder of 64 bits.")
        }
        guard divisor != 0 else { throw MongoError.badValue("$mod takes no divisor of 0.") }
        return .modulus(divisor: divisor, remainder: remainder)
    }

    static func size(_ operand: BSON) throws -> Int {
        guard let size = operand.exactInt64 else {
            throw MongoError.badValue("$size takes an integer.")
        }
        guard size >= 0 else { throw MongoError.badValue("$size takes no negative number.") }
        return Int(min(size, Int64(Int32.max)))
    }

    // MARK: - Bits

    static func bits(_ name: String, _ quantifier: BitTest.Quantifier, wantsSet: Bool) -> ValueReader {
        { _, path, operand, _ in
            let positions = try positions(operand, name)
            return .path(path, .bits(BitTest(quantifier: quantifier, wantsSet: wantsSet, positions: positions)))
        }
    }

    private static func positions(_ operand: BSON, _ name: String) throws -> [Int] {
        switch operand {
        case .array(let items): return try items.map { try position($0, name) }
        case .binary(let binary):
            return (0..<binary.bytes.count * 8).filter { binary.bytes[$0 / 8] >> UInt8($0 % 8) & 1 == 1 }
        case .int32, .int64, .double, .decimal128:
            guard let mask = operand.exactInt64 else { throw MongoError.failedToParse("\(name) takes an integer.") }
            guard mask >= 0, mask <= Int64(Int32.max) else {
                throw MongoError.failedToParse("\(name) takes a number from 0 on, of 32 bits.")
            }
            return (0..<31).filter { mask >> Int64($0) & 1 == 1 }
        default:
            throw MongoError.failedToParse(
                "\(name) takes an array, a number or binary data, not \(operand.type.alias).")
        }
    }

    private static func position(_ item: BSON, _ name: String) throws -> Int {
        let number: Int64? = if case .decimal128 = item { item.truncatedInt64 } else { item.exactInt64 }
        guard let number, number >= 0, number <= Int64(BitTest.maximumPosition) else {
            throw MongoError.badValue(
                "\(name) takes positions of bits from 0 on, of 32 bits.")
        }
        return Int(number)
    }
}
