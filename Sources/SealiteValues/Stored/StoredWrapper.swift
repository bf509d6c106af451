internal import SealiteBase
package import SealiteJSON

extension JSONBElement {
    /// Returns the value that this object represents if it is the wrapper of an ObjectID or a time in the form that
    /// Sealite writes, without decoding its members one by one; otherwise nil.
    package func frequentWrapper(in bytes: borrowing Span<UInt8>) -> BSON? {
        // Names of three or four letters after `$`, 24 bytes of text, two headers.
        guard (31...32).contains(end - start), let member = ObjectMember(bytes, at: start, limit: end),
            member.value.end == end, member.value.isString, member.value.end - member.value.start == 24
        else { return nil }
        if member.name.isName("$oid", in: bytes) { return member.value.objectID(in: bytes).map { .objectID($0) } }
        guard member.name.isName("$date", in: bytes) else { return nil }
        return DateTime(iso: bytes.extracting(member.value.start..<member.value.end)).map { .datetime($0) }
    }

    /// Returns the ObjectID of this string, which must have 24 bytes; nil if they aren't all hexadecimal digits.
    private func objectID(in bytes: borrowing Span<UInt8>) -> ObjectID? {
        var (high, low): (UInt64, UInt32) = (0, 0)
        for index in 0..<24 {
            guard let digit = Hexadecimal.value(bytes[start + index]) else { return nil }
            if index < 16 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt32(digit) }
        }
        return ObjectID(high: high, low: low)
    }
}
