import SealiteFile
import SealiteJSON

/// A JSON object of texts and whole numbers, which is all that this target's own files hold.
enum FlatJSON {
    enum Value: Equatable {
        case text(String)
        case number(UInt64)
    }

    /// The members of an object; nil where the bytes are anything else, name a member twice or have an escape: what this target
    /// writes has none.
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

    /// A text, or a whole number without a sign, a fraction or an exponent, up to 64 bits.
    private static func value(_ reader: inout JSONMemberReader<JSONError>) throws(JSONError) -> Value {
        if try reader.peek() == .string { return .text(try reader.string()) }
        guard let number = UInt64(String(decoding: try reader.rawValue(), as: UTF8.self)) else {
            throw JSONError(.wrongKind, at: 0, "a whole number is due")
        }
        return .number(number)
    }
}
