/// A string that `JSONScanner` has checked, valid UTF-8 with valid escapes: its offsets in the text and its properties.
package struct JSONString: Sendable {
    /// The offset of the string's first byte between the quotes.
    package let start: Int
    package let end: Int
    /// The number of bytes of the string after its escapes are decoded.
    package var byteCount: Int
    /// A Boolean value that says whether the text has escapes.
    package var hasEscapes = false
    /// A Boolean value that says whether the string contains a character that JSON text must escape, or DEL.
    package var needsEscape = false
}
