internal import SealiteBase

/// The wrappers of Extended JSON v2: objects that represent values of types that JSON lacks, such as `{"$oid": "…"}`.
///
/// A wrapper is recognized by its first name, and is valid only with exactly the required members and kinds of values.
enum Wrapper {
    /// A function that returns the value that a wrapper represents; nil if the wrapper's members aren't valid.
    typealias Reading = @Sendable (MongoDocument) -> BSON?

    /// Returns the reader of the wrapper that starts with a name; nil for any other name.
    static func reading(of name: String) -> Reading? { name.utf8.first == UInt8(ascii: "$") ? readings[name] : nil }

    /// Returns the value that a document represents as a wrapper; nil if it isn't a valid wrapper.
    static func value(of document: MongoDocument) -> BSON? {
        guard let name = document.members.first?.key else { return nil }
        return reading(of: name)?(document)
    }

    /// The length of the longest name with which a wrapper starts, `$regularExpression`, in bytes.
    static let longestName = 18

    private static let readings: [String: Reading] = [
        "$oid": { string($0).flatMap(ObjectID.init).map { .objectID($0) } },
        "$numberInt": { string($0).flatMap { Int32($0) }.map { .int32($0) } },
        "$numberLong": { string($0).flatMap { Int64($0) }.map { .int64($0) } },
        "$numberDouble": { string($0).flatMap(DoubleText.value(of:)).map { .double($0) } },
        "$numberDecimal": { string($0).flatMap { Decimal128($0) }.map { .decimal128($0) } },
        "$uuid": { string($0).flatMap(Binary.init(uuid:)).map { .binary($0) } },
        "$symbol": { string($0).map { .symbol($0) } },
        "$undefined": { only($0) == .bool(true) ? .undefined : nil },
        "$minKey": { only($0) == .int32(1) ? .minKey : nil },
        "$maxKey": { only($0) == .int32(1) ? .maxKey : nil },
        "$date": date, "$binary": binary, "$regularExpression": regex, "$timestamp": timestamp,
        "$dbPointer": dbPointer, "$code": code, "$scope": code,
    ]

    // MARK: - Readings

    private static func date(_ document: MongoDocument) -> BSON? {
        switch only(document) {
        case .string(let text): DateTime(iso: text).map { .datetime($0) }
        case .int64(let milliseconds): .datetime(DateTime(milliseconds: milliseconds))
        default: nil
        }
    }

    private static func binary(_ document: MongoDocument) -> BSON? {
        guard case .document(let content) = only(document), content.count == 2,
            case .string(let base64) = content["base64"], let bytes = Base64.decode(base64, allowsMissingPadding: true),
            case .string(let digits) = content["subType"], (1...2).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ Hexadecimal.value($0) != nil }), let subtype = UInt8(digits, radix: 16)
        else { return nil }
        return .binary(Binary(bytes, subtype: subtype))
    }

    private static func regex(_ document: MongoDocument) -> BSON? {
        guard case .document(let content) = only(document), content.count == 2,
            case .string(let pattern) = content["pattern"], case .string(let options) = content["options"],
            !pattern.utf8.contains(0), !options.utf8.contains(0)
        else { return nil }
        return .regex(Regex(pattern, options: options))
    }

    private static func timestamp(_ document: MongoDocument) -> BSON? {
        guard case .document(let content) = only(document), content.count == 2,
            let seconds = content["t"].flatMap(unsigned), let increment = content["i"].flatMap(unsigned)
        else { return nil }
        return .timestamp(Timestamp(seconds: seconds, increment: increment))
    }

    private static func dbPointer(_ document: MongoDocument) -> BSON? {
        guard case .document(let content) = only(document), content.count == 2,
            case .string(let collection) = content["$ref"], case .objectID(let id) = content["$id"]
        else { return nil }
        return .dbPointer(DBPointer(collection, id))
    }

    private static func code(_ document: MongoDocument) -> BSON? {
        guard case .string(let text) = document["$code"] else { return nil }
        if document.count == 1 { return .code(text) }
        guard document.count == 2, case .document(let scope) = document["$scope"] else { return nil }
        return .codeWithScope(text, scope)
    }

    // MARK: - Members

    /// Returns the value of a document's only member; nil if there are more or none.
    private static func only(_ document: MongoDocument) -> BSON? {
        document.count == 1 ? document.members[0].value : nil
    }

    private static func string(_ document: MongoDocument) -> String? {
        guard case .string(let text) = only(document) else { return nil }
        return text
    }

    private static func unsigned(_ value: BSON) -> UInt32? {
        switch value {
        case .int32(let number): UInt32(exactly: number)
        case .int64(let number): UInt32(exactly: number)
        default: nil
        }
    }
}

/// The formats in which wrappers, the objects of Extended JSON for values of types that JSON lacks, are written; they
/// differ in the values that need a wrapper.
enum WrapperForm {
    /// Relaxed Extended JSON.
    case relaxed
    /// Canonical Extended JSON, which preserves every type.
    case canonical
    /// The bodies of documents in a database, in which each value has one fixed form.
    case stored
}

extension Wrapper {
    /// A wrapper of Extended JSON that consists of one member with a text, such as `{"$oid": "…"}`: its name and the
    /// text.
    typealias Single = (name: String, text: String)

    /// Returns the wrapper of a value if it consists of one member with a text; nil for values with another wrapper or
    /// none.
    static func single(of value: BSON, _ form: WrapperForm) -> Single? {
        switch value {
        case .objectID(let id): ("$oid", id.hex)
        case .datetime(let date): text(of: date, form).map { ("$date", $0) }
        case .int32, .int64, .double, .decimal128: number(value, form)
        case .binary(let binary): form == .stored ? binary.uuidText.map { ("$uuid", $0) } : nil
        case .code(let text): ("$code", text)
        case .symbol(let text): ("$symbol", text)
        default: nil
        }
    }

    private static func number(_ value: BSON, _ form: WrapperForm) -> Single? {
        switch value {
        case .int32(let number): form == .canonical ? ("$numberInt", String(number)) : nil
        case .int64(let number):
            // A body doesn't record the width of an integer, so that a small int64 needs a wrapper.
            form == .canonical || form == .stored && Int32(exactly: number) != nil
                ? ("$numberLong", String(number)) : nil
        case .double(let number):
            form == .canonical || !number.isFinite ? ("$numberDouble", DoubleText.text(of: number)) : nil
        case .decimal128(let number): ("$numberDecimal", number.description)
        default: nil
        }
    }

    private static func text(of date: DateTime, _ form: WrapperForm) -> String? {
        switch form {
        case .relaxed: DateTime.relaxedYears.contains(date.milliseconds) ? date.text(hasFraction: false) : nil
        case .stored: DateTime.plainYears.contains(date.milliseconds) ? date.description : nil
        case .canonical: nil
        }
    }

    /// Returns the wrapper of a value, which consists of objects, texts, integers and true; nil if the value needs none
    /// in this form.
    ///
    /// Also returns nil for code with a scope, which isn't supported, since its scope contains arbitrary values.
    static func document(of value: BSON, _ form: WrapperForm) -> MongoDocument? {
        if let single = single(of: value, form) { return one(single) }
        return switch value {
        case .undefined: ["$undefined": true]
        case .minKey: ["$minKey": 1]
        case .maxKey: ["$maxKey": 1]
        case .datetime(let date): ["$date": .document(one(("$numberLong", String(date.milliseconds))))]
        case .binary(let binary):
            ["$binary": ["base64": .string(Base64.encode(binary.bytes)), "subType": .string(binary.subtypeDigits)]]
        case .regex(let regex):
            ["$regularExpression": ["pattern": .string(regex.pattern), "options": .string(regex.options)]]
        case .timestamp(let timestamp):
            ["$timestamp": ["t": .int64(Int64(timestamp.seconds)), "i": .int64(Int64(timestamp.increment))]]
        case .dbPointer(let pointer):
            ["$dbPointer": ["$ref": .string(pointer.collection), "$id": .document(one(("$oid", pointer.id.hex)))]]
        default: nil
        }
    }

    private static func one(_ single: Single) -> MongoDocument {
        MongoDocument([MongoDocument.Member(single.name, .string(single.text))])
    }
}

/// The treatment of an object that starts with the name of a wrapper (an object that represents a value of a type that
/// JSON lacks), such as `$oid`, but isn't a valid wrapper.
public enum ExtendedJSONWrappers: Sendable, Hashable {
    /// The text is refused.
    case strict
    /// The object is an ordinary document.
    case lenient
}
