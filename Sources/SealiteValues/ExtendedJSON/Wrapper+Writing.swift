internal import SealiteBase

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
            [
                "$binary": [
                    "base64": .string(Base64.encode(binary.bytes)), "subType": .string(binary.subtypeDigits),
                ]
            ]
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
