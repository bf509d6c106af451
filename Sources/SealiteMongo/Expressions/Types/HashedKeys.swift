internal import Glibc
internal import SealiteValues

extension ExpressionOperator {
    /// The operator `$toHashedIndexKey`, which gives the key of a value in a hashed index of a server.
    static let hashes: [ExpressionOperator] = [
        .init("$toHashedIndexKey", 1...1) { arguments in
            var bytes: [UInt8] = [0, 0, 0, 0]
            HashedKey.append(arguments[0] ?? .null, name: nil, to: &bytes)
            try arguments.work.charge(bytes.count / 64)
            return .int64(MD5.firstHalf(of: bytes))
        }
    ]
}

/// The bytes of a value that MongoDB hashes: the number of its place in the order of types, and its bytes in BSON. All numbers have
/// those of a 64-bit integer, without the fraction.
private enum HashedKey {
    static func append(_ value: BSON, name: String?, to bytes: inout [UInt8]) {
        append(Int32(order(of: value)), to: &bytes)
        if let name { appendText(name, to: &bytes) }
        switch value {
        case .double, .int32, .int64, .decimal128:
            let number = BSONNumber(value)
            let isNaN = number?.isNaN ?? true
            append(isNaN ? 0 : value.truncatedInt64 ?? (number?.isNegative ?? false ? .min : .max), to: &bytes)
        case .string(let text), .symbol(let text), .code(let text):
            append(Int32(truncatingIfNeeded: text.utf8.count + 1), to: &bytes)
            appendText(text, to: &bytes)
        case .document(let document):
            for member in document { append(member.value, name: member.key, to: &bytes) }
        case .array(let items):
            for (place, item) in items.enumerated() { append(item, name: String(place), to: &bytes) }
        case .binary(let binary):
            let count = Int32(truncatingIfNeeded: binary.bytes.count)
            append(binary.subtype == 2 ? count + 4 : count, to: &bytes)
            bytes.append(binary.subtype)
            if binary.subtype == 2 { append(count, to: &bytes) }
            bytes += binary.bytes
        case .objectID(let id): bytes += id.bytes
        case .bool(let flag): bytes.append(flag ? 1 : 0)
        case .datetime(let date): append(date.milliseconds, to: &bytes)
        case .timestamp(let time):
            append(time.increment, to: &bytes)
            append(time.seconds, to: &bytes)
        case .regex(let regex):
            appendText(regex.pattern, to: &bytes)
            appendText(regex.options, to: &bytes)
        case .dbPointer(let pointer):
            append(Int32(truncatingIfNeeded: pointer.collection.utf8.count + 1), to: &bytes)
            appendText(pointer.collection, to: &bytes)
            bytes += pointer.id.bytes
        case .codeWithScope(let text, let scope):
            bytes += text.utf8
            for member in scope { append(member.value, name: member.key, to: &bytes) }
        case .null, .undefined, .minKey, .maxKey: break
        }
    }

    private static func order(of value: BSON) -> Int {
        switch value {
        case .minKey: -1
        case .undefined: 0
        case .null: 5
        case .double, .int32, .int64, .decimal128: 10
        case .string, .symbol: 15
        case .document: 20
        case .array: 25
        case .binary: 30
        case .objectID: 35
        case .bool: 40
        case .datetime: 45
        case .timestamp: 47
        case .regex: 50
        case .dbPointer: 55
        case .code: 60
        case .codeWithScope: 65
        case .maxKey: 127
        }
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        for place in 0..<(number.bitWidth / 8) { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
    }

    private static func appendText(_ text: String, to bytes: inout [UInt8]) {
        bytes += text.utf8
        bytes.append(0)
    }
}

/// MD5 (RFC 1321), which serves no security here.
private enum MD5 {
    private static let shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
    private static let constants: [UInt32] = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }

    /// Returns the first eight bytes of a digest, the first one as the least significant.
    static func firstHalf(of message: [UInt8]) -> Int64 {
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        let length = UInt64(message.count) * 8
        for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: length >> UInt64(8 * place))) }
        var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]
        for start in stride(from: 0, to: bytes.count, by: 64) { add(bytes[start..<(start + 64)], to: &state) }
        return Int64(bitPattern: UInt64(state[1]) << 32 | UInt64(state[0]))
    }

    private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
        let words = (0..<16).map { word in
            (0..<4).reduce(UInt32(0)) { $0 | UInt32(block[block.startIndex + 4 * word + $1]) << UInt32(8 * $1) }
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for step in 0..<64 {
            let mixed: UInt32
            let word: Int
            switch step / 16 {
            case 0: (mixed, word) = (b & c | ~b & d, step)
            case 1: (mixed, word) = (d & b | ~d & c, (5 * step + 1) % 16)
            case 2: (mixed, word) = (b ^ c ^ d, (3 * step + 5) % 16)
            default: (mixed, word) = (c ^ (b | ~d), 7 * step % 16)
            }
            let sum = a &+ mixed &+ constants[step] &+ words[word]
            let shift = shifts[step / 16][step % 4]
            (a, d, c, b) = (d, c, b, b &+ (sum << shift | sum >> (32 - shift)))
        }
        for (place, part) in [a, b, c, d].enumerated() { state[place] &+= part }
    }
}
