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
        return DateTime(fixed: bytes, from: member.value.start).map { .datetime($0) }
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

extension DateTime {
    /// Creates the time of the 24 bytes from `start` on, in the form `YYYY-MM-DDTHH:MM:SS.mmmZ`; nil for any other
    /// text.
    init?(fixed bytes: borrowing Span<UInt8>, from start: Int) {
        func number(_ offset: Int, _ count: Int) -> Int64 {
            var value: Int64 = 0
            for index in (start + offset)..<(start + offset + count) {
                let byte = bytes[index]
                guard byte >= 0x30, byte <= 0x39 else { return -1_000_000 }
                value = value * 10 + Int64(byte - 0x30)
            }
            return value
        }
        let marks =
            [(4, 0x2D), (7, 0x2D), (10, 0x54), (13, 0x3A), (16, 0x3A), (19, 0x2E), (23, 0x5A)] as [(Int, UInt8)]
        for (offset, mark) in marks where bytes[start + offset] != mark { return nil }
        let (year, month, day) = (number(0, 4), number(5, 2), number(8, 2))
        let (hour, minute, second, fraction) = (number(11, 2), number(14, 2), number(17, 2), number(20, 3))
        guard year >= 0, (1...12).contains(month), (1...31).contains(day), (0..<24).contains(hour),
            (0..<60).contains(minute), (0..<60).contains(second), fraction >= 0
        else { return nil }
        let days = CivilTime.days(year: year, month: month, day: day)
        let time = hour * 3_600_000 + minute * 60_000 + second * 1000 + fraction
        let milliseconds = days * CivilTime.millisecondsPerDay + time
        // A day such as the 31st of February is converted to another day.
        guard day <= 28 || CivilTime(milliseconds: milliseconds).day == day else { return nil }
        self.init(milliseconds: milliseconds)
    }
}
