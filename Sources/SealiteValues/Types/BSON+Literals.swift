extension BSON: ExpressibleByStringLiteral {
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension BSON: ExpressibleByIntegerLiteral {
    /// Creates an integer of 32 bits if it fits, otherwise of 64 bits.
    public init(integerLiteral value: Int64) { self = BSON(value) }
}

extension BSON: ExpressibleByFloatLiteral {
    /// Creates a double.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension BSON: ExpressibleByBooleanLiteral {
    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension BSON: ExpressibleByNilLiteral {
    /// Creates null.
    public init(nilLiteral: ()) { self = .null }
}

extension BSON: ExpressibleByArrayLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: BSON...) { self = .array(elements) }
}

extension BSON: ExpressibleByDictionaryLiteral {
    /// Creates a document from names and values in their order; if a name occurs again, its last value is at the first
    /// position.
    public init(dictionaryLiteral elements: (String, BSON)...) {
        var document = MongoDocument()
        for (key, value) in elements { document[key] = value }
        self = .document(document)
    }
}

extension BSON {
    /// Creates an integer of 32 bits if it fits, otherwise of 64 bits; a value that 64 bits can't represent becomes the
    /// nearest one that they can.
    public init(_ value: some BinaryInteger) {
        self = Int32(exactly: value).map { .int32($0) } ?? .int64(Int64(clamping: value))
    }
}
