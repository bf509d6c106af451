/// The element types of SQLite's JSONB that the database stores (Documentation/DocumentFormat.md §2.2).
public enum JSONBType {
    /// JSON's null.
    @inlinable public static var null: UInt8 { 0 }
    /// True.
    @inlinable public static var `true`: UInt8 { 1 }
    /// False.
    @inlinable public static var `false`: UInt8 { 2 }
    /// A number without fraction and exponent, as digits.
    @inlinable public static var integer: UInt8 { 3 }
    /// Any other number, as JSON text.
    @inlinable public static var float: UInt8 { 5 }
    /// A string without characters that JSON requires to be escaped.
    @inlinable public static var text: UInt8 { 7 }
    /// Any other string.
    @inlinable public static var rawText: UInt8 { 10 }
    /// An array: its elements.
    @inlinable public static var array: UInt8 { 11 }
    /// An object: alternating names and values.
    @inlinable public static var object: UInt8 { 12 }
}
