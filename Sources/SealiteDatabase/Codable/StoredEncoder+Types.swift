internal import FoundationEssentials
internal import SealiteBase
internal import SealiteJSON
internal import SealiteValues

extension EncodingOutput {
    /// Writes a double, always with a fraction or an exponent, so that it is read as a double.
    func write(finite value: Double) { writer.ascii(JSONBType.float, DoubleText.text(of: value)) }

    /// Writes a number with the digits of single precision.
    func write(finite value: Float) { writer.ascii(JSONBType.float, DoubleText.text(of: value)) }

    /// Writes an object with one member, whose value is a string.
    func wrap(_ name: String, _ text: String) {
        let begun = writer.begin(guess: name.utf8.count + text.utf8.count + 4)
        writer.string(name)
        writer.string(text)
        writer.end(JSONBType.object, begun)
    }
}

extension StoredEncoder {
    /// The maximum nesting of arrays and objects in a mixed value of a model.
    static let mixedDepth = 100

    /// Writes a value of any type: a type with a stored form of its own in this form, any other type through its
    /// `Encodable` conformance.
    func write<T: Encodable>(any value: T, _ plan: ValuePlan, _ key: (any CodingKey)?) throws {
        guard plan.hasOwnForm else { return try write(value, plan.inside, key) }
        if try !writeOwnForm(of: value, key) { try write(value, plan, key) }
    }

    /// Writes a value of a type with a stored form of its own.
    ///
    /// - Returns: false, with nothing written, for a value of any other type.
    func writeOwnForm<T: Encodable>(of value: T, _ key: (any CodingKey)?) throws -> Bool {
        if let value = same(value, String.self) {
            output.writer.string(value)
        } else if let value = same(value, Int.self) {
            output.writer.integer(Int64(value))
        } else if let value = same(value, Double.self) {
            try write(value)
        } else if let value = same(value, Bool.self) {
            output.writer.boolean(value)
        } else if let value = same(value, ObjectID.self) {
            output.wrap("$oid", value.hex)
        } else if let value = same(value, Date.self) {
            try write(value, key)
        } else if let value = same(value, UUID.self) {
            write(value)
        } else if let value = same(value, Value.self) {
            try write(mixed: value, key)
        } else if let value = same(value, Decimal128.self) {
            output.wrap("$numberDecimal", value.description)
        } else if let value = same(value, Data.self) {
            try write(value, key)
        } else {
            return try writeRare(value, key)
        }
        return true
    }

    /// Returns the value cast to `type`; nil if this isn't exactly its type. A conditional cast (`as?`) would be
    /// slower.
    @inline(__always)
    private func same<T, Other>(_ value: T, _ type: Other.Type) -> Other? {
        T.self == type ? value as? Other : nil
    }

    private func writeRare(_ value: some Encodable, _ key: (any CodingKey)?) throws -> Bool {
        // By its exact type: an empty array of any other type can be cast to an array of bytes.
        if output.rules.form == .typed, let bytes = same(value, [UInt8].self) {
            try write(bson: .binary(Binary(bytes)), key)
            return true
        }
        switch value {
        case let value as Float where value.isFinite: output.write(finite: value)
        case let value as Float: try write(Double(value))
        case let value as any FixedWidthInteger: try write(integer: value, key)
        case let value as URL: output.writer.string(value.absoluteString)
        case let value as Decimal: try write(value, key)
        case let value as DictionaryObject: try write(mixed: .dictionary(value), key)
        case let value as ArrayObject: try write(mixed: .array(value), key)
        case let value as Blob: try write(mixed: .blob(value), key)
        case let value as any BSONConvertible: try write(bson: value.bson, key)
        default:
            guard let stored = try output.rules.writing?(value) else { return false }
            try write(bson: stored, key)
        }
        return true
    }

    /// Writes a double: an infinity or NaN as an Extended JSON wrapper.
    ///
    /// - Throws: `DatabaseError` for an infinity or NaN in a document whose form is that of text.
    private func write(_ value: Double) throws {
        if value.isFinite { return output.write(finite: value) }
        guard api != .documents || output.rules.form == .typed else {
            return try output.writer.number(Number(value))
        }
        output.wrap("$numberDouble", DoubleText.text(of: value))
    }

    /// Writes an integer. Only documents hold integers that don't fit 64 bits with a sign.
    private func write(integer value: some FixedWidthInteger, _ key: (any CodingKey)?) throws {
        if let integer = Int64(exactly: value) { return output.writer.integer(integer) }
        guard api == .documents else {
            throw failure("the number doesn't fit a signed 64-bit integer", key)
        }
        output.writer.ascii(JSONBType.integer, String(value))
    }

    private func write(_ value: UUID) {
        guard output.rules.form == .typed else { return output.writer.string(value.uuidString) }
        output.wrap("$uuid", value.uuidString.lowercased())
    }

    private func write(_ value: Data, _ key: (any CodingKey)?) throws {
        guard output.rules.form == .typed else { return output.writer.string(value.base64EncodedString()) }
        try write(bson: .binary(Binary(Array(value))), key)
    }

    private func write(_ date: Date, _ key: (any CodingKey)?) throws {
        if output.rules.isExact { return try write(date.timeIntervalSinceReferenceDate) }
        guard output.rules.form == .typed else { return output.writer.string(ISO8601.text(date)) }
        guard let time = DateTime(date) else { throw failure("the milliseconds of the date don't fit 64 bits", key) }
        try write(bson: .datetime(time), key)
    }

    /// Writes a decimal with all its digits. MongoDB's types have integers and doubles for those that are equal to one,
    /// and no other exact number than a `Decimal128`.
    private func write(_ value: Decimal, _ key: (any CodingKey)?) throws {
        guard let number = Number(json: value.description) else { throw failure("JSON can't represent NaN", key) }
        guard api == .mongo else { return try write(mixed: .number(number), key) }
        let nearest = number.doubleValue
        if let integer = number.exactInt64 {
            output.writer.integer(integer)
        } else if nearest.isFinite, number.hasValue(of: Number(nearest)) {
            output.write(finite: nearest)
        } else if let decimal = Decimal128(number.description) {
            output.wrap("$numberDecimal", decimal.description)
        } else {
            throw failure("MongoDB's types have no number of more than 34 digits", key)
        }
    }

    private func write(bson value: BSON, _ key: (any CodingKey)?) throws {
        do throws(StoredValueError) {
            let bytes = try value.stored(api == .models ? .all : .ambiguous)
            output.writer.raw(bytes.span, 0, bytes.count)
        } catch {
            throw failure(error.description, key)
        }
    }

    private func write(mixed value: Value, _ key: (any CodingKey)?) throws {
        let isModel = api == .models
        guard !isModel || !value.isNested(deeperThan: Self.mixedDepth) else {
            throw failure("a value is nested deeper than \(Self.mixedDepth) levels", key)
        }
        do throws(DatabaseError) {
            try output.writer.value(output.whole.taking(value), depth: isModel ? 0 : nesting)
        } catch {
            throw failure(error.reason, key)
        }
    }
}

extension EncodingOutput {
    /// Adds the blobs of a value to ``blobs``, and returns the value; in documents with the places of the blobs in
    /// their stead.
    fileprivate func taking(_ value: Value) -> Value {
        var place = blobs.count
        Blob.collect(value, into: &blobs)
        guard rules.api == .documents, blobs.count > place else { return value }
        return value.replacingBlobs { _ in
            defer { place += 1 }
            return .dictionary(["@type": "blob", EncodedValue.blobPlace: Value(place)])
        }
    }
}

extension EncodedValue {
    /// The member of an object in place of a blob that is the index of the blob. No document has such a name.
    fileprivate static let blobPlace = "\u{0}blob"

    /// Returns the members of a document with the blobs themselves, whose content may not be stored yet.
    func properties() -> DictionaryObject {
        let stored = JSONBElement(root: body.span).flatMap { DictionaryObject($0, in: body, database: nil) }
        let whole = Value.dictionary(stored ?? DictionaryObject()).replacingBlobs { blob in
            guard let place = blob.properties.value(forKey: Self.blobPlace)?.int, blobs.indices.contains(place) else {
                return .blob(blob)
            }
            return .blob(blobs[place])
        }
        return whole.dictionary ?? DictionaryObject()
    }
}

extension Value {
    /// Returns the value with others in place of its blobs.
    fileprivate func replacingBlobs(_ other: (Blob) -> Value) -> Value {
        switch self {
        case .blob(let blob): other(blob)
        case .array(let items): .array(ArrayObject(items.map { $0.replacingBlobs(other) }))
        case .dictionary(let members):
            .dictionary(DictionaryObject(members.entries.map { ($0.key, $0.value.replacingBlobs(other)) }))
        default: self
        }
    }

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
