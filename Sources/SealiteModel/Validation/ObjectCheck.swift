internal import SealiteJSON
internal import SealiteValues

/// The compiled check of an object type.
struct ObjectCheck: Sendable {
    /// The checks of the properties that are in bodies, in the order of the schema.
    let properties: [PropertyCheck]
    /// The compiled constraints on the whole object; nil if there are none.
    let constraints: JSONSchema?
    /// The indices in ``properties`` by the hashes of their names; empty if there are few properties.
    private let places: [UInt64: [Int]]

    /// The number of properties up to which they are compared one by one instead of by hash.
    private static let fewCount = 16

    init(_ properties: [PropertyCheck], _ constraints: JSONSchema?) {
        (self.properties, self.constraints) = (properties, constraints)
        places =
            properties.count > Self.fewCount
            ? Dictionary(grouping: properties.indices) { Self.hash(properties[$0].utf8) } : [:]
    }

    /// Returns the index of the property with a stored name; nil if there is none. Members are mostly in the order of
    /// the schema, so `guess` is tried first.
    @inline(__always)
    func place(of label: JSONBElement, in bytes: borrowing Span<UInt8>, guess: Int) -> Int? {
        if guess < properties.count, isName(label, of: guess, in: bytes) { return guess }
        return search(label, in: bytes)
    }

    private func search(_ label: JSONBElement, in bytes: borrowing Span<UInt8>) -> Int? {
        if places.isEmpty {
            for index in properties.indices where isName(label, of: index, in: bytes) { return index }
            return nil
        }
        guard let found = places[Self.hash(bytes, label.start, label.end)] else { return nil }
        for index in found where isName(label, of: index, in: bytes) { return index }
        return nil
    }

    @inline(__always)
    private func isName(_ label: JSONBElement, of index: Int, in bytes: borrowing Span<UInt8>) -> Bool {
        let utf8 = properties[index].utf8
        return label.end - label.start == utf8.count && label.hasPayload(utf8.span, in: bytes)
    }

    private static func hash(_ name: [UInt8]) -> UInt64 { hash(name.span, 0, name.count) }

    /// Returns the hash of a name: FNV-1a.
    private static func hash(_ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in start..<end { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01b3 }
        return hash
    }
}

/// The compiled check of a property.
final class PropertyCheck: Sendable {
    let name: String
    /// The property's name in UTF-8.
    let utf8: [UInt8]
    let type: ValueCheck
    let isRequired: Bool
    let takesNull: Bool
    /// The compiled constraints; nil if there are none.
    let constraints: JSONSchema?

    init(_ property: Property, _ type: ValueCheck, takesNull: Bool, _ constraints: JSONSchema?) {
        (name, utf8, self.type) = (property.name, Array(property.name.utf8), type)
        (isRequired, self.takesNull, self.constraints) = (property.isRequired, takesNull, constraints)
    }
}
