extension BSON: ExpressibleByStringLiteral {
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension BSON: ExpressibleByIntegerLiteral {
    /// An integer: of 32 bits where it fits, else of 64.
    public init(integerLiteral value: Int64) { self = BSON(value) }
}

extension BSON: ExpressibleByFloatLiteral {
    /// A double.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension BSON: ExpressibleByBooleanLiteral {
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension BSON: ExpressibleByNilLiteral {
    /// Null.
    public init(nilLiteral: ()) { self = .null }
}

extension BSON: ExpressibleByArrayLiteral {
    /// An array.
    public init(arrayLiteral elements: BSON...) { self = .array(elements) }
}

extension BSON: ExpressibleByDictionaryLiteral {
    /// A document, by the rules of `MongoDocument`'s literals.
    public init(dictionaryLiteral elements: (String, BSON)...) {
        var document = MongoDocument()
        for (key, value) in elements { document[key] = value }
        self = .document(document)
    }
}

extension BSON {
    /// An integer: of 32 bits where it fits, else of 64.
    public init(_ value: some BinaryInteger) {
        self = Int32(exactly: value).map { .int32($0) } ?? .int64(Int64(clamping: value))
    }
}
