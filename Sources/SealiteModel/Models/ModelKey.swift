public import Foundation
public import SealiteValues

/// A type of IDs: `ObjectID`, `UUID`, `String`, `Int`, `Int32` and `Int64`.
public protocol ModelKey: Codable, Hashable, Sendable {
    /// The type of the ID in schemas.
    static var propertyType: PropertyType { get }
    /// The ID as a BSON value, from which `DocumentKey` makes the document's ID.
    var keyValue: BSON { get }
    /// Creates an ID from a value; nil if the value isn't of this type.
    init?(keyValue: BSON)
}

extension ObjectID: ModelKey {
    /// The type of the ID in schemas.
    public static var propertyType: PropertyType { .objectID }
    /// The ID as a BSON value.
    public var keyValue: BSON { .objectID(self) }
    /// Creates an ID from a value; nil if the value is of another type.
    public init?(keyValue: BSON) { self.init(bson: keyValue) }
}

extension String: ModelKey {
    /// The type of the ID in schemas.
    public static var propertyType: PropertyType { .string }
    /// The ID as a BSON value.
    public var keyValue: BSON { .string(self) }
    /// Creates an ID from a value; nil if the value is of another type.
    public init?(keyValue: BSON) {
        guard case .string(let text) = keyValue else { return nil }
        self = text
    }
}

extension UUID: ModelKey {
    /// The type of the ID in schemas.
    public static var propertyType: PropertyType { .uuid }
    /// The ID as a BSON value.
    public var keyValue: BSON { Binary(uuid: uuidString).map { .binary($0) } ?? .null }
    /// Creates an ID from a value; nil if the value is of another type.
    public init?(keyValue: BSON) {
        guard case .binary(let binary) = keyValue, let text = binary.uuidText else { return nil }
        self.init(uuidString: text)
    }
}

extension Int: ModelKey {
    /// The type of the ID in schemas.
    public static var propertyType: PropertyType { .long }
    /// The ID as a BSON value.
    public var keyValue: BSON { BSON(Int64(self)) }
    /// Creates an ID from a value; nil if the value is of another type.
    public init?(keyValue: BSON) { self.init(anyInteger: keyValue) }
}

extension Int64: ModelKey {
    /// The type of the ID in schemas.
    public static var propertyType: PropertyType { .long }
    /// The ID as a BSON value.
    public var keyValue: BSON { BSON(self) }
    /// Creates an ID from a value; nil if the value is of another type.
    public init?(keyValue: BSON) { self.init(anyInteger: keyValue) }
}

extension Int32: ModelKey {
    /// The type of the ID in schemas.
    public static var propertyType: PropertyType { .int }
    /// The ID as a BSON value.
    public var keyValue: BSON { .int32(self) }
    /// Creates an ID from a value; nil if the value isn't an integer of 32 bits.
    public init?(keyValue: BSON) { self.init(anyInteger: keyValue) }
}

extension FixedWidthInteger {
    /// Creates an integer from a BSON integer of either width; nil if it doesn't fit, and for every other value.
    init?(anyInteger value: BSON) {
        switch value {
        case .int32(let number): self.init(exactly: number)
        case .int64(let number): self.init(exactly: number)
        default: return nil
        }
    }
}
