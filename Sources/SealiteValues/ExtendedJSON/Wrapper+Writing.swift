/// The places where wrappers are written, which differ in what needs one.
enum WrapperForm {
    case relaxed
    case canonical
    /// Bodies, where wrappers have one fixed form each.
    case stored
}

extension Wrapper {
    /// Returns the wrapper of a value, made of objects, texts, integers and true; nil where JSON holds the value as it is.
    ///
    /// Code with a scope isn't among them: its scope has values of its own.
    static func document(of value: BSON, _ form: WrapperForm) -> MongoDocument? {
        switch value {
        case .int32, .int64, .double, .decimal128: number(value, form)
        case .objectID(let id): one("$oid", id.hex)
        case .datetime(let date): wrapped(date, form)
        case .binary(let binary): wrapped(binary, form)
        case .code(let text): one("$code", text)
        case .symbol(let text): one("$symbol", text)
        case .undefined: ["$undefined": true]
        case .minKey: ["$minKey": 1]
        case .maxKey: ["$maxKey": 1]
        case .regex(let regex):
            ["$regularExpression": ["pattern": .string(regex.pattern), "options": .string(regex.options)]]
        case .timestamp(let timestamp):
            ["$timestamp": ["t": .int64(Int64(timestamp.seconds)), "i": .int64(Int64(timestamp.increment))]]
        case .dbPointer(let pointer):
            ["$dbPointer": ["$ref": .string(pointer.collection), "$id": .document(one("$oid", pointer.id.hex))]]
        case .null, .bool, .string, .document, .array, .codeWithScope: nil
        }
    }

    private static func one(_ name: String, _ text: String) -> MongoDocument {
        MongoDocument([MongoDocument.Member(name, .string(text))])
    }

    private static func number(_ value: BSON, _ form: WrapperForm) -> MongoDocument? {
        switch value {
        case .int32(let number): form == .canonical ? one("$numberInt", String(number)) : nil
        case .int64(let number):
            // A body doesn't carry the width of an integer, so that a small one needs its wrapper.
            form == .canonical || form == .stored && Int32(exactly: number) != nil
                ? one("$numberLong", String(number)) : nil
        case .double(let number):
            form == .canonical || !number.isFinite ? one("$numberDouble", DoubleText.text(of: number)) : nil
        case .decimal128(let number): one("$numberDecimal", number.description)
        default: nil
        }
    }

    private static func wrapped(_ date: DateTime, _ form: WrapperForm) -> MongoDocument {
        switch form {
        case .relaxed where DateTime.relaxedYears.contains(date.milliseconds):
            one("$date", date.text(hasFraction: false))
        case .stored where DateTime.plainYears.contains(date.milliseconds): one("$date", date.description)
        default: ["$date": .document(one("$numberLong", String(date.milliseconds)))]
        }
    }

    private static func wrapped(_ binary: Binary, _ form: WrapperForm) -> MongoDocument {
        if form == .stored, let text = binary.uuidText { return one("$uuid", text) }
        return [
            "$binary": [
                "base64": .string(Base64Text.text(of: binary.bytes)), "subType": .string(binary.subtypeDigits),
            ]
        ]
    }
}
