package import SealiteJSON

// The stored form of values in a body (Documentation/Values.md §3): JSON's own types unchanged, all others as wrappers
// of Extended JSON.
extension BSON {
    /// Creates the value of a stored element; wrappers of Extended JSON are read as the values that they represent.
    ///
    /// - Returns: nil if the bytes are damaged or nested deeper than a body may be.
    package init?(stored element: JSONBElement, in bytes: borrowing Span<UInt8>) {
        self.init(stored: element, in: bytes, depth: 0)
    }

    /// Creates the value of a stored element that is nested in `depth` arrays and objects; nil if the bytes are damaged
    /// or nested too deep.
    init?(stored element: JSONBElement, in bytes: borrowing Span<UInt8>, depth: Int) {
        switch element.type {
        case JSONBType.null: self = .null
        case JSONBType.true: self = .bool(true)
        case JSONBType.false: self = .bool(false)
        case JSONBType.integer, JSONBType.float:
            guard let number = NumericValue(element, in: bytes) else { return nil }
            self = BSON(number)
        case JSONBType.text, JSONBType.rawText: self = .string(element.text(in: bytes))
        case JSONBType.array:
            guard let items = Self.items(of: element, in: bytes, depth: depth) else { return nil }
            self = .array(items)
        case JSONBType.object:
            if let value = element.frequentWrapper(in: bytes) {
                self = value
                return
            }
            guard let document = MongoDocument(stored: element, in: bytes, depth: depth) else { return nil }
            let value = element.mayBeWrapper(in: bytes) ? Wrapper.value(of: document) : nil
            self = value ?? .document(document)
        default: return nil
        }
    }

    /// Creates a value of a number; an integer becomes int32 if 32 bits can represent it, otherwise int64.
    init(_ number: NumericValue) {
        switch number {
        case .integer(let value): self = BSON(value)
        case .double(let value): self = .double(value)
        case .decimal(let value): self = .decimal128(value)
        }
    }

    private static func items(of array: JSONBElement, in bytes: borrowing Span<UInt8>, depth: Int) -> [BSON]? {
        guard depth < JSONB.maximumDepth else { return nil }
        var items: [BSON] = []
        items.reserveCapacity(array.itemCount(in: bytes))
        var offset = array.start
        while offset < array.end {
            guard let item = JSONBElement(bytes, at: offset, limit: array.end),
                let value = BSON(stored: item, in: bytes, depth: depth + 1)
            else { return nil }
            items.append(value)
            offset = item.end
        }
        return items
    }
}

extension MongoDocument {
    /// Creates the document of a stored object, such as a body's root; the object itself isn't read as a wrapper.
    ///
    /// - Returns: nil if the element isn't an object, or the bytes are damaged or nested deeper than a body may be.
    package init?(stored element: JSONBElement, in bytes: borrowing Span<UInt8>) {
        self.init(stored: element, in: bytes, depth: 0)
    }

    /// Creates the document of a stored body; nil if the bytes are damaged or nested deeper than a body may be.
    package init?(stored body: [UInt8]) {
        guard let root = JSONBElement(root: body.span) else { return nil }
        self.init(stored: root, in: body.span)
    }

    /// Creates a document whose first member is `_id`, followed by those of a stored body. Of a damaged body, only the
    /// `_id` can be read.
    package init(id: BSON, stored body: borrowing Span<UInt8>) {
        let first = Member("_id", id)
        guard let root = JSONBElement(root: body),
            let members = Self.members(of: root, in: body, depth: 0, after: first)
        else {
            self.init([first])
            return
        }
        self.init(members)
    }

    /// Creates the document of a stored object that is nested in `depth` arrays and objects; nil if the bytes are
    /// damaged or nested too deep, or the element isn't an object.
    init?(stored element: JSONBElement, in bytes: borrowing Span<UInt8>, depth: Int) {
        guard let members = Self.members(of: element, in: bytes, depth: depth, after: nil) else { return nil }
        self.init(members)
    }

    private static func members(
        of object: JSONBElement, in bytes: borrowing Span<UInt8>, depth: Int, after first: Member?
    ) -> [Member]? {
        guard object.type == JSONBType.object, depth < JSONB.maximumDepth else { return nil }
        var members: [Member] = []
        members.reserveCapacity(object.itemCount(in: bytes) + (first == nil ? 0 : 1))
        if let first { members.append(first) }
        var offset = object.start
        while offset < object.end {
            guard let member = ObjectMember(bytes, at: offset, limit: object.end), member.name.isString,
                let value = BSON(stored: member.value, in: bytes, depth: depth + 1)
            else { return nil }
            members.append(Member(member.name.text(in: bytes), value))
            offset = member.value.end
        }
        return members
    }
}

extension JSONBElement {
    /// Returns whether an object has the shape of a wrapper of Extended JSON, such as `{"$oid": "…"}`: its first name
    /// is a wrapper's, and it contains no more than wrappers do. The test takes constant time for objects of any size,
    /// so that testing each level of a malicious object is cheap.
    func mayBeWrapper(in bytes: borrowing Span<UInt8>) -> Bool {
        guard type == JSONBType.object, let first = ObjectMember(bytes, at: start, limit: end),
            first.name.isString, first.name.start < first.name.end, bytes[first.name.start] == UInt8(ascii: "$"),
            first.name.end - first.name.start <= Wrapper.longestName
        else { return false }
        if first.value.end < end { return isCodeWithScope(first, in: bytes) }
        // A date with a plain number isn't a wrapper.
        guard first.value.hasFewParts(in: bytes, levels: 2),
            !first.value.isNumber || !first.name.isName("$date", in: bytes)
        else { return false }
        return Wrapper.reading(of: first.name.text(in: bytes)) != nil
    }

    /// Returns whether an object, whose first member is given, consists of a text `$code` and an object `$scope`, in
    /// either order.
    private func isCodeWithScope(_ first: ObjectMember, in bytes: borrowing Span<UInt8>) -> Bool {
        guard let second = ObjectMember(bytes, at: first.value.end, limit: end), second.value.end == end else {
            return false
        }
        let (code, scope) = first.name.isName("$code", in: bytes) ? (first, second) : (second, first)
        return code.name.isName("$code", in: bytes) && scope.name.isName("$scope", in: bytes)
            && code.value.isString && scope.value.type == JSONBType.object
    }

    /// Returns whether a wrapper's value is a scalar, or an object of at most two members whose values fulfil this with
    /// one level less.
    private func hasFewParts(in bytes: borrowing Span<UInt8>, levels: Int) -> Bool {
        guard type == JSONBType.object else { return type != JSONBType.array }
        guard levels > 0 else { return false }
        var (offset, count) = (start, 0)
        while count < 2, let member = ObjectMember(bytes, at: offset, limit: end) {
            guard member.value.hasFewParts(in: bytes, levels: levels - 1) else { return false }
            (offset, count) = (member.value.end, count + 1)
        }
        return offset == end
    }

    /// Returns whether the element is a string that is equal to an ASCII text.
    func isName(_ name: StaticString, in bytes: borrowing Span<UInt8>) -> Bool {
        guard isString, end - start == name.utf8CodeUnitCount else { return false }
        for index in 0..<name.utf8CodeUnitCount where unsafe bytes[start + index] != name.utf8Start[index] {
            return false
        }
        return true
    }
}
