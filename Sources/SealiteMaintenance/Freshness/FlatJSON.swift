import SealiteFile
import SealiteJSON

/// A JSON object whose values are strings and whole numbers, the only kind in this module's own files.
enum FlatJSON {
    enum Value: Equatable {
        case text(String)
        case number(UInt64)
    }

    /// Returns the members of an object; nil for any other bytes, a repeated name, or an escape sequence, which this
    /// module never writes.
    static func members(of bytes: [UInt8]) -> [String: Value]? {
        guard !bytes.contains(UInt8(ascii: "\\")) else { return nil }
        var members: [String: Value] = [:]
        var reader = JSONMemberReader<JSONError>(bytes, rules: .records)
        do throws(JSONError) {
            try reader.object { (name, reader) throws(JSONError) in members[name] = try value(&reader) }
            try reader.end()
            return members
        } catch {
            return nil
        }
    }

    /// Reads a string, or a whole number of up to 64 bits without a sign, a fraction or an exponent.
    private static func value(_ reader: inout JSONMemberReader<JSONError>) throws(JSONError) -> Value {
        if try reader.peek() == .string { return .text(try reader.string()) }
        guard let number = UInt64(String(decoding: try reader.rawValue(), as: UTF8.self)) else {
            throw JSONError(.wrongKind, at: 0, "expected a whole number")
        }
        return .number(number)
    }
}
