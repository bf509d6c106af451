/// The element types of SQLite's JSONB that the database stores (Documentation/DocumentFormat.md §2.2).
public enum JSONBType {
    /// The type of null.
    @inlinable public static var null: UInt8 { 0 }
    /// The type of true.
    @inlinable public static var `true`: UInt8 { 1 }
    /// The type of false.
    @inlinable public static var `false`: UInt8 { 2 }
    /// The type of a number without fraction and exponent; the payload is its JSON text, such as `-12`.
    @inlinable public static var integer: UInt8 { 3 }
    /// The type of any other number; the payload is its JSON text.
    @inlinable public static var float: UInt8 { 5 }
    /// The type of a string without characters that must be escaped in JSON text, and without DEL; the payload is its
    /// UTF-8.
    @inlinable public static var text: UInt8 { 7 }
    /// The type of any other string; the payload is its UTF-8, not escaped.
    @inlinable public static var rawText: UInt8 { 10 }
    /// The type of an array; the payload is its elements.
    @inlinable public static var array: UInt8 { 11 }
    /// The type of an object; the payload is alternating names and values.
    @inlinable public static var object: UInt8 { 12 }
}
