internal import FoundationEssentials
internal import SealiteJSON
internal import SealiteValues

extension EncodingOutput {
    /// Writes a double, always with a fraction or an exponent, so that it is read as a double; an infinity or NaN as an
    /// Extended JSON wrapper.
    func write(_ value: Double) {
        guard value.isFinite else { return wrap("$numberDouble", DoubleText.text(of: value)) }
        writer.ascii(JSONBType.float, DoubleText.text(of: value))
    }

    /// Writes a number with the digits of single precision.
    func write(_ value: Float) {
        guard value.isFinite else { return write(Double(value)) }
        writer.ascii(JSONBType.float, DoubleText.text(of: value))
    }

    /// Writes an object with one member, whose value is a string.
    func wrap(_ name: String, _ text: String) {
        let begun = writer.begin(guess: name.utf8.count + text.utf8.count + 4)
        writer.string(name)
        writer.string(text)
        writer.end(JSONBType.object, begun)
    }
}

extension StoredEncoder {
    /// The maximum nesting of arrays and objects in a mixed value.
    static let mixedDepth = 100

    /// Returns an integer as a signed 64-bit integer.
    ///
    /// - Throws: `EncodingError` if it doesn't fit.
    func integer(_ value: some FixedWidthInteger, _ key: any CodingKey) throws -> Int {
        guard let integer = Int(exactly: value) else {
            throw failure("the number doesn't fit a signed 64-bit integer", key)
        }
        return integer
    }

    /// Writes a value of any type: a type with a stored form of its own in this form, any other type through its
    /// `Encodable` conformance.
    func write<T: Encodable>(any value: T, _ plan: ValuePlan, _ key: any CodingKey) throws {
        guard plan.hasOwnForm else { return try write(value, plan.inside, key) }
        if let value = same(value, String.self) { return output.writer.string(value) }
        if let value = same(value, Int.self) { return output.writer.integer(Int64(value)) }
        if let value = same(value, Double.self) { return output.write(value) }
        if let value = same(value, Bool.self) { return output.writer.boolean(value) }
        if let value = same(value, ObjectID.self) { return output.wrap("$oid", value.hex) }
        if let value = same(value, Date.self) { return try write(value, key) }
        if let value = same(value, UUID.self) { return output.wrap("$uuid", value.uuidString.lowercased()) }
        if let value = same(value, Value.self) { return try write(mixed: value, key) }
        if let value = same(value, Decimal128.self) { return output.wrap("$numberDecimal", value.description) }
        if let value = same(value, Data.self) { return try write(bson: .binary(Binary(Array(value))), key) }
        if let value = same(value, [UInt8].self) { return try write(bson: .binary(Binary(value)), key) }
        if try !writeRare(value, key) { try write(value, plan, key) }
    }

    /// Returns the value cast to `type`; nil if this isn't exactly its type. A conditional cast (`as?`) would be
    /// slower.
    @inline(__always)
    private func same<T, Other>(_ value: T, _ type: Other.Type) -> Other? {
        T.self == type ? value as? Other : nil
    }

    private func writeRare(_ value: some Encodable, _ key: any CodingKey) throws -> Bool {
        switch value {
        case let value as Float: output.write(value)
        case let value as any FixedWidthInteger & Encodable: output.writer.integer(Int64(try integer(value, key)))
        case let value as URL: output.writer.string(value.absoluteString)
        case let value as Decimal:
            guard let number = Number(json: value.description) else { throw failure("JSON can't represent NaN", key) }
            try write(mixed: .number(number), key)
        case let value as DictionaryObject: try write(mixed: .dictionary(value), key)
        case let value as ArrayObject: try write(mixed: .array(value), key)
        case let value as Blob: try write(mixed: .blob(value), key)
        case let value as any BSONConvertible: try write(bson: value.bson, key)
        default:
            guard let stored = try output.writing?(value) else { return false }
            try write(bson: stored, key)
        }
        return true
    }

    private func write(_ date: Date, _ key: any CodingKey) throws {
        if output.isExact { return output.write(date.timeIntervalSinceReferenceDate) }
        guard let time = DateTime(date) else { throw failure("the milliseconds of the date don't fit 64 bits", key) }
        try write(bson: .datetime(time), key)
    }

    private func write(bson value: BSON, _ key: any CodingKey) throws {
        do throws(StoredValueError) {
            let bytes = try value.stored()
            output.writer.raw(bytes.span, 0, bytes.count)
        } catch {
            throw failure(error.description, key)
        }
    }

    private func write(mixed value: Value, _ key: any CodingKey) throws {
        guard !value.isNested(deeperThan: Self.mixedDepth) else {
            throw failure("a value is nested deeper than \(Self.mixedDepth) levels", key)
        }
        Blob.collect(value, into: &output.blobs)
        do throws(DatabaseError) {
            try output.writer.value(value)
        } catch {
            throw failure(error.reason, key)
        }
    }
}

extension Value {
    /// Returns whether arrays and dictionaries are nested deeper than a number of levels.
    fileprivate func isNested(deeperThan levels: Int) -> Bool {
        switch self {
        case .array(let items): levels == 0 || items.contains { $0.isNested(deeperThan: levels - 1) }
        case .dictionary(let dictionary):
            levels == 0 || dictionary.entries.contains { $0.value.isNested(deeperThan: levels - 1) }
        default: false
        }
    }
}
