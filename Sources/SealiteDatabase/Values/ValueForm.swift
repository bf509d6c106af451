public import FoundationEssentials
internal import SealiteBase
internal import SealiteJSON
package import SealiteValues

/// The form in which documents store dates, bytes and UUIDs, for which JSON has no types.
///
/// Every API that writes uses ``typed`` unless it is told otherwise, and every API that reads a date, bytes or a UUID
/// understands both forms.
public enum ValueForm: Sendable, Hashable {
    /// MongoDB's types as Extended JSON: `{"$date": …}`, `{"$binary": …}`, `{"$uuid": …}`. The values keep their types,
    /// so that filters, schemas and `$type` distinguish them from text.
    case typed
    /// Text: dates in ISO 8601, bytes in Base64, UUIDs in hexadecimal digits. Couchbase Lite stores dates so; its
    /// `date(forKey:)` reads no other form.
    case text
}

// MARK: - Values of documents

extension Value {
    /// Returns the value for a date, rounded to milliseconds. Text holds the years 0 to 9999 only; another date becomes
    /// the nearest one. Typed, dates that 64 bits can't hold become the nearest that they can.
    public static func date(_ date: Date, form: ValueForm = .typed) -> Value {
        guard form == .typed else { return .string(ISO8601.text(date)) }
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        let nearest = Int64(exactly: milliseconds) ?? (milliseconds > 0 ? .max : milliseconds < 0 ? .min : 0)
        return Value(time: DateTime(milliseconds: nearest))
    }

    /// Returns the value for bytes, which the document itself contains; a ``Blob`` is stored beside it.
    public static func data(_ data: Data, form: ValueForm = .typed) -> Value {
        guard form == .typed else { return .string(data.base64EncodedString()) }
        return ["$binary": ["base64": .string(data.base64EncodedString()), "subType": "00"]]
    }

    /// Returns the value for a UUID.
    public static func uuid(_ uuid: UUID, form: ValueForm = .typed) -> Value {
        guard form == .typed else { return .string(uuid.uuidString) }
        return ["$uuid": .string(uuid.uuidString.lowercased())]
    }

    private init(time: DateTime) {
        let isPlain = (-62_167_219_200_000...253_402_300_799_999).contains(time.milliseconds)
        self =
            isPlain
            ? ["$date": .string(time.description)]
            : ["$date": ["$numberLong": .string(String(time.milliseconds))]]
    }

    /// The date in either stored form: ISO 8601 text, or `{"$date": …}`; nil for any other value.
    public var date: Date? {
        if case .string(let text) = self { return ISO8601.date(text) }
        guard case .datetime(let time)? = wrapped else { return nil }
        return Date(time)
    }

    /// The bytes in either stored form: Base64, or `{"$binary": …}`; nil for any other value, also for a blob.
    public var data: Data? {
        if case .string(let text) = self { return Data(base64Encoded: text) }
        guard case .binary(let binary)? = wrapped else { return nil }
        return Data(binary.bytes)
    }

    /// The UUID in either stored form: text, or `{"$uuid": …}`; nil for any other value.
    public var uuid: UUID? {
        if case .string(let text) = self { return UUID(uuidString: text) }
        guard case .binary(let binary)? = wrapped else { return nil }
        return binary.uuidText.flatMap { UUID(uuidString: $0) }
    }

    /// The value of MongoDB's types that an object of Extended JSON represents, such as `{"$date": …}`; nil for any
    /// other value.
    package var wrapped: BSON? {
        guard case .dictionary(let members) = self, (1...2).contains(members.count),
            members.entries[0].key.utf8.first == UInt8(ascii: "$"), let bytes = try? jsonb(),
            let root = JSONBElement(root: bytes.span), let value = BSON(stored: root, in: bytes.span)
        else { return nil }
        if case .document = value { return nil }
        return value
    }

    /// The number in its exact form, also of an object of Extended JSON that represents one, such as
    /// `{"$numberDecimal": …}`; nil for any other value, and for NaN and the infinities.
    var exactNumber: Number? {
        if case .number(let number) = self { return number }
        return switch wrapped {
        case .int32(let value)?: Number(value)
        case .int64(let value)?: Number(value)
        case .double(let value)? where value.isFinite: Number(value)
        case .decimal128(let value)?: Number(json: value.description)
        default: nil
        }
    }

    /// The double that an object of Extended JSON represents or is nearest to; nil for any other value.
    var wrappedDouble: Double? {
        switch wrapped {
        case .double(let value)?: value
        case .decimal128(let value)?: value.doubleValue
        default: exactNumber?.doubleValue
        }
    }
}

extension DateTime {
    /// Creates the nearest millisecond of a time; nil if 64 bits can't hold it.
    package init?(_ date: Date) {
        guard let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}

extension Date {
    /// Creates the time of a stored date.
    package init(_ time: DateTime) { self.init(timeIntervalSince1970: Double(time.milliseconds) / 1000) }
}
