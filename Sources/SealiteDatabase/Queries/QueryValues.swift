internal import SealiteJSON

// Conversions between values and the form in which queries read and bind them.
extension Value {
    /// Creates a value from a JSONB element; an object that describes a blob becomes a blob of `database`. Nil if the
    /// bytes are damaged or nested deeper than a document may be.
    package init?(jsonb bytes: [UInt8], database: Database?) {
        guard let root = JSONBElement(root: bytes.span), let value = Value(root, in: bytes, database: database) else {
            return nil
        }
        self = value
    }

    /// Returns the value as a JSONB element.
    ///
    /// - Throws: `invalidParameter` for a number that isn't finite or nesting that is too deep.
    package func jsonb() throws(DatabaseError) -> [UInt8] {
        var writer = JSONBWriter()
        try writer.value(self)
        return writer.bytes
    }
}
