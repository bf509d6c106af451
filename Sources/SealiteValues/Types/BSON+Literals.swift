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
    /// Creates an integer of 32 bits if it fits, otherwise of 64 bits.
    ///
    /// - Precondition: A signed 64-bit integer can represent the value. For values that may be larger, use
    ///   ``init(exactly:)``.
    public init(_ value: some BinaryInteger) {
        guard let integer = BSON(exactly: value) else {
            preconditionFailure("a BSON integer has at most 64 bits; use BSON(exactly:), or a Decimal128")
        }
        self = integer
    }

    /// Creates an integer of 32 bits if it fits, otherwise of 64 bits; nil if a signed 64-bit integer can't represent
    /// the value.
    public init?(exactly value: some BinaryInteger) {
        if let short = Int32(exactly: value) {
            self = .int32(short)
        } else if let long = Int64(exactly: value) {
            self = .int64(long)
        } else {
            return nil
        }
    }
}
