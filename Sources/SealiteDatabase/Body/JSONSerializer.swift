/// Writes JSONB as JSON text, compact, in UTF-8.
struct JSONSerializer: ~Copyable {
    /// How members of objects are ordered in the text.
    enum Order {
        /// As stored.
        case stored
        /// By the UTF-8 bytes of their names: the canonical form that revision digests are made of.
        case canonical
    }

    private let order: Order
    /// The text so far. A caller may put something in front, and empty it to write anew.
    var text: ByteBuffer
    /// Whether some object has a name that starts with `@` or `_`, as those of blobs and of reserved properties do.
    var sawMarkedName = false
    /// The members of the objects that are being written in canonical order, one object's after the other's.
    private var members: [(label: JSONBElement, value: JSONBElement)] = []

    init(_ order: Order, capacity: Int = 256) {
        self.order = order
        text = ByteBuffer(capacity: capacity)
    }

    /// The JSON text of a JSONB element.
    ///
    /// - Throws: `corruptData` when the bytes are not JSONB.
    static func text(of bytes: [UInt8], order: Order = .stored) throws(DatabaseError) -> [UInt8] {
        var serializer = JSONSerializer(order, capacity: bytes.count + bytes.count / 4)
        try serializer.write(bytes)
        return serializer.text.array
    }

    mutating func write(_ bytes: [UInt8]) throws(DatabaseError) {
        guard let root = JSONBElement(root: bytes.span), root.end == bytes.count else { throw Self.damaged }
        try write(root, bytes, depth: 0)
    }

    /// Writes one element of `bytes`.
    mutating func write(_ element: JSONBElement, in bytes: [UInt8]) throws(DatabaseError) {
        try write(element, bytes, depth: 0)
    }

    private static var damaged: DatabaseError {
        DatabaseError(.corruptData, "a stored document body is not JSONB")
    }

    private mutating func write(_ element: JSONBElement, _ bytes: [UInt8], depth: Int) throws(DatabaseError) {
        switch element.type {
        case JSONBType.text: string(element, bytes, escapes: false)
        case JSONBType.integer, JSONBType.float: text.append(bytes, element.start, element.end)
        case JSONBType.object:
            guard depth < JSONParser.maximumDepth else { throw Self.damaged }
            if order == .canonical {
                try sortedObject(element, bytes, depth: depth + 1)
            } else {
                try object(element, bytes, depth: depth + 1)
            }
        case JSONBType.array:
            guard depth < JSONParser.maximumDepth else { throw Self.damaged }
            try array(element, bytes, depth: depth + 1)
        case JSONBType.true: text.append("true")
        case JSONBType.false: text.append("false")
        case JSONBType.null: text.append("null")
        case JSONBType.rawText: string(element, bytes, escapes: true)
        default: throw Self.damaged
        }
    }

    @inline(__always)
    private mutating func string(_ element: JSONBElement, _ bytes: [UInt8], escapes: Bool) {
        text.append(0x22)
        if escapes {
            escapedString(element, bytes)
        } else {
            text.append(bytes, element.start, element.end)
        }
        text.append(0x22)
    }

    private mutating func escapedString(_ element: JSONBElement, _ bytes: [UInt8]) {
        var copied = element.start
        for index in element.start..<element.end {
            let byte = bytes[index]
            guard byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F else { continue }
            text.append(bytes, copied, index)
            copied = index + 1
            text.append(0x5C)
            switch byte {
            case 0x22, 0x5C: text.append(byte)
            case 0x0A: text.append(0x6E)
            case 0x0D: text.append(0x72)
            case 0x09: text.append(0x74)
            default:
                text.append("u00")
                text.append(Hexadecimal.digit(byte >> 4))
                text.append(Hexadecimal.digit(byte & 15))
            }
        }
        text.append(bytes, copied, element.end)
    }

    private mutating func array(_ element: JSONBElement, _ bytes: [UInt8], depth: Int) throws(DatabaseError) {
        text.append(0x5B)
        var offset = element.start
        while offset < element.end {
            guard let item = JSONBElement(bytes.span, at: offset, limit: element.end) else { throw Self.damaged }
            if offset > element.start { text.append(0x2C) }
            try write(item, bytes, depth: depth)
            offset = item.end
        }
        text.append(0x5D)
    }

    private mutating func object(_ element: JSONBElement, _ bytes: [UInt8], depth: Int) throws(DatabaseError) {
        text.append(0x7B)
        var offset = element.start
        while offset < element.end {
            let (label, value) = try Self.member(bytes, at: offset, limit: element.end)
            if offset > element.start { text.append(0x2C) }
            string(label, bytes, escapes: label.type == JSONBType.rawText)
            text.append(0x3A)
            try write(value, bytes, depth: depth)
            offset = value.end
        }
        text.append(0x7D)
    }

    private mutating func sortedObject(_ element: JSONBElement, _ bytes: [UInt8], depth: Int) throws(DatabaseError) {
        let first = members.count
        var offset = element.start
        while offset < element.end {
            let member = try Self.member(bytes, at: offset, limit: element.end)
            if member.label.start < member.label.end {
                let letter = bytes[member.label.start]
                if letter == 0x40 || letter == 0x5F { sawMarkedName = true }
            }
            members.append(member)
            offset = member.value.end
        }
        sortMembers(from: first, bytes)
        text.append(0x7B)
        for index in first..<members.count {
            if index > first { text.append(0x2C) }
            let (label, value) = members[index]
            string(label, bytes, escapes: label.type == JSONBType.rawText)
            text.append(0x3A)
            try write(value, bytes, depth: depth)
        }
        members.removeSubrange(first...)
        text.append(0x7D)
    }

    /// Sorts the members from `first` on: by insertion where there are few, as in most documents.
    private mutating func sortMembers(from first: Int, _ bytes: [UInt8]) {
        guard members.count - first <= 24 else {
            members[first...].sort { Self.precedes($0.label, $1.label, bytes) }
            return
        }
        for index in (first + 1)..<max(members.count, first + 1) {
            let member = members[index]
            var place = index
            while place > first, Self.precedes(member.label, members[place - 1].label, bytes) {
                members[place] = members[place - 1]
                place -= 1
            }
            if place != index { members[place] = member }
        }
    }

    @inline(__always)
    private static func member(
        _ bytes: [UInt8], at offset: Int, limit: Int
    ) throws(DatabaseError) -> (label: JSONBElement, value: JSONBElement) {
        guard let label = JSONBElement(bytes.span, at: offset, limit: limit), label.isString,
            let value = JSONBElement(bytes.span, at: label.end, limit: limit)
        else { throw damaged }
        return (label, value)
    }

    @inline(__always)
    private static func precedes(_ left: JSONBElement, _ right: JSONBElement, _ bytes: [UInt8]) -> Bool {
        let common = min(left.end - left.start, right.end - right.start)
        for index in 0..<common {
            let (a, b) = (bytes[left.start + index], bytes[right.start + index])
            if a != b { return a < b }
        }
        return left.end - left.start < right.end - right.start
    }
}
