internal import SealiteJSON
internal import SealiteValues

/// A traversal of one stored body that records violations.
struct DocumentWalk {
    /// The compiled object types; the first one is the type of the documents.
    let objects: [ObjectCheck]
    /// The maximum number of recorded violations, after which the traversal ends.
    let limit: Int
    private(set) var violations: [SchemaViolation] = []
    /// The names of members and indices of items from the document to the present position.
    private var path: [String] = []

    init(_ objects: [ObjectCheck], limit: Int) { (self.objects, self.limit) = (objects, limit) }

    private var isFull: Bool { violations.count >= limit }

    /// Records a violation at the present position, or at a member of it.
    mutating func note(_ keyword: String, expected: String? = nil, isText: Bool = false, at name: String? = nil) {
        guard !isFull else { return }
        let names = name.map { path + [$0] } ?? path
        violations.append(
            SchemaViolation(
                path: names.joined(separator: "."), keyword: keyword, expected: expected, isText: isText))
    }

    /// Records that a member isn't of the type of a scalar.
    private mutating func note(
        _ type: ValueCheck, unfulfilledBy element: JSONBElement, in bytes: borrowing Span<UInt8>, at name: String
    ) {
        note("bsonType", expected: type.typeName, isText: type.isText(element, in: bytes), at: name)
    }

    // MARK: - Objects

    /// Validates an object. `type` is the index of its type in ``objects``.
    mutating func visit(object element: JSONBElement, _ type: Int, in bytes: borrowing Span<UInt8>) {
        let check = objects[type]
        var seen = SmallNumberSet(count: check.properties.count)
        var (offset, next) = (element.start, 0)
        while offset < element.end {
            guard let member = ObjectMember(bytes, at: offset, limit: element.end) else {
                return note("bsonType", expected: "object")
            }
            if let place = check.place(of: member.name, in: bytes, guess: next) {
                seen.insert(place)
                visit(member.value, check.properties[place], in: bytes)
                if isFull { return }
                next = place + 1
            }
            offset = member.value.end
        }
        for (place, property) in check.properties.enumerated() where property.isRequired && !seen.contains(place) {
            note("required", at: property.name)
        }
    }

    /// Validates the value of a property.
    @inline(__always)
    private mutating func visit(_ element: JSONBElement, _ property: PropertyCheck, in bytes: borrowing Span<UInt8>) {
        if element.type == JSONBType.null, property.takesNull { return }
        if let isFulfilled = property.type.isScalarFulfilled(by: element, in: bytes) {
            if !isFulfilled { note(property.type, unfulfilledBy: element, in: bytes, at: property.name) }
        } else {
            path.append(property.name)
            visit(container: element, property.type, in: bytes)
            path.removeLast()
        }
        if let constraints = property.constraints {
            apply(constraints, to: BSON(stored: element, in: bytes), at: property.name)
        }
    }

    // MARK: - Containers

    /// Validates an array, a dictionary or an embedded object, whose name is already in `path`.
    private mutating func visit(container element: JSONBElement, _ type: ValueCheck, in bytes: borrowing Span<UInt8>) {
        guard path.count < JSONB.maximumDepth, element.type == type.containerType else {
            return note("bsonType", expected: type.typeName)
        }
        switch type {
        case .object(let index): visit(object: element, index, in: bytes)
        case .items(let item, let isSet):
            visit(items: element, item, in: bytes)
            if isSet, !isFull, element.hasRepetitions(in: bytes) { note("uniqueItems") }
        case .members(let value): visit(members: element, value, in: bytes)
        default: break
        }
    }

    private mutating func visit(items array: JSONBElement, _ type: ValueCheck, in bytes: borrowing Span<UInt8>) {
        var (offset, index) = (array.start, 0)
        while offset < array.end, !isFull {
            guard let item = JSONBElement(bytes, at: offset, limit: array.end) else {
                return note("bsonType", expected: "array")
            }
            visit(part: item, type, in: bytes) { _ in String(index) }
            (offset, index) = (item.end, index + 1)
        }
    }

    private mutating func visit(members object: JSONBElement, _ type: ValueCheck, in bytes: borrowing Span<UInt8>) {
        var offset = object.start
        while offset < object.end, !isFull {
            guard let member = ObjectMember(bytes, at: offset, limit: object.end) else {
                return note("bsonType", expected: "object")
            }
            visit(part: member.value, type, in: bytes) { member.name.string(in: $0) }
            offset = member.value.end
        }
    }

    /// Validates an item of an array, or a value of a dictionary. `name` returns its index or key; it isn't called for
    /// a valid value without items or members.
    @inline(__always)
    private mutating func visit(
        part element: JSONBElement, _ type: ValueCheck, in bytes: borrowing Span<UInt8>,
        name: (borrowing Span<UInt8>) -> String
    ) {
        switch type.isScalarFulfilled(by: element, in: bytes) {
        case true?: return
        case false?: note(type, unfulfilledBy: element, in: bytes, at: name(bytes))
        case nil:
            path.append(name(bytes))
            visit(container: element, type, in: bytes)
            path.removeLast()
        }
    }

    // MARK: - Constraints

    /// Records the violations of a JSON Schema by a value, at the present position or at a member of it.
    mutating func apply(_ schema: JSONSchema, to value: BSON?, at name: String? = nil) {
        guard !isFull else { return }
        guard let value else { return note("bsonType", expected: "a value", at: name) }
        for violation in schema.violations(in: value) {
            let below = violation.path.isEmpty ? [] : [violation.path]
            let names = (name.map { [$0] } ?? []) + below
            note(violation.keyword, at: names.isEmpty ? nil : names.joined(separator: "."))
        }
    }
}

extension ValueCheck {
    /// The JSONB type of stored values of an array, dictionary or object type: array or object.
    fileprivate var containerType: UInt8 {
        if case .items = self { JSONBType.array } else { JSONBType.object }
    }
}

extension JSONBElement {
    /// Returns the element's payload as text; invalid UTF-8 is replaced.
    fileprivate func string(in bytes: borrowing Span<UInt8>) -> String {
        let payload = bytes.extracting(start..<end)
        return unsafe payload.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Returns whether any two items of the array are equal (Documentation/Values.md §4), for `uniqueItems`. The order
    /// of the members of objects doesn't matter.
    fileprivate func hasRepetitions(in bytes: borrowing Span<UInt8>) -> Bool {
        var items: [JSONBElement] = []
        var offset = start
        while let item = JSONBElement(bytes, at: offset, limit: end) {
            items.append(item)
            offset = item.end
        }
        guard items.count > 1 else { return false }
        let isSimple = items.count <= 8 && items.allSatisfy { $0.isNumber || $0.isString }
        guard isSimple else {
            var seen: Set<BSONKey> = []
            for item in items {
                guard let value = BSON(stored: item, in: bytes), seen.insert(value.keyWithoutOrder).inserted else {
                    return true
                }
            }
            return false
        }
        for index in 1..<items.count {
            for other in 0..<index
            where StoredValue.compare(items[index], in: bytes, to: items[other], in: bytes) == 0 { return true }
        }
        return false
    }
}

/// A set of numbers from 0 on, one bit for each.
struct SmallNumberSet {
    private var low: UInt64 = 0
    /// The bits for the numbers from 64 on, 64 numbers in each word.
    private var high: [UInt64]

    init(count: Int) { high = count > 64 ? [UInt64](repeating: 0, count: (count - 1) / 64) : [] }

    @inline(__always)
    mutating func insert(_ place: Int) {
        if place < 64 { low |= 1 << place } else { high[place / 64 - 1] |= 1 << (place % 64) }
    }

    @inline(__always)
    func contains(_ place: Int) -> Bool {
        (place < 64 ? low >> place : high[place / 64 - 1] >> (place % 64)) & 1 == 1
    }
}
