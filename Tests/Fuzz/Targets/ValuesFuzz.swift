@testable import SealiteJSON
@testable import SealiteValues

/// MongoDB's values: Extended JSON, BSON, stored bodies, schemas, ids and decimals. The first byte decides which of them the rest is.
final class ValuesFuzz: FuzzTarget {
    init() throws {}

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard let mode = input.first else { return }
        let rest = Array(input.dropFirst())
        switch mode % 6 {
        case 0: try checkText(rest)
        case 1: try checkBytes(rest)
        case 2: try checkStored(rest)
        case 3: try checkSchema(rest)
        case 4: try checkTexts(String(decoding: rest, as: UTF8.self))
        default: try checkDecimals(rest)
        }
    }

    // MARK: - Extended JSON and BSON

    private func checkText(_ text: [UInt8]) throws(BrokenProperty) {
        guard let value = try? BSON(extendedJSON: text) else { return }
        guard let again = try? BSON(extendedJSON: value.extendedJSON(.canonical)) else {
            throw BrokenProperty("the canonical text of a value can't be read")
        }
        try BrokenProperty.unless(again == value, "the canonical text of a value reads as another")
        let relaxed = value.extendedJSON(.relaxed)
        let twice = (try? BSON(extendedJSON: relaxed))?.extendedJSON(.relaxed)
        try BrokenProperty.unless(twice == relaxed, "the relaxed text of a value is another the second time")
        try BrokenProperty.unless(BSONKey(value) == BSONKey(value), "a value isn't in its own place")
        try checkStoring(value)
        if case .document(let document) = value { try checkWriting(document) }
    }

    private func checkBytes(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let document = try? MongoDocument(bsonBytes: bytes) else { return }
        try checkWriting(document)
        let text = document.extendedJSON(.canonical)
        // A document may look like a wrapper, or have a name twice; then its text isn't read.
        guard let again = try? MongoDocument(extendedJSON: text) else { return }
        try BrokenProperty.unless(again.extendedJSON(.canonical) == text, "a text of BSON is another the second time")
    }

    private func checkWriting(_ document: MongoDocument) throws(BrokenProperty) {
        guard let bytes = try? document.bsonBytes() else { return }
        guard let again = try? MongoDocument(bsonBytes: bytes) else {
            throw BrokenProperty("BSON that was written can't be read")
        }
        try BrokenProperty.unless(again == document, "BSON that was written reads as another document")
    }

    // MARK: - Stored values

    /// The first byte is the length of another value in front of the body.
    private func checkStored(_ input: [UInt8]) throws(BrokenProperty) {
        guard let length = input.first.map(Int.init), input.count > length else { return }
        let (left, right) = (Array(input[1..<(length + 1)]), Array(input[(length + 1)...]))
        guard let a = JSONBElement(root: left.span), let b = JSONBElement(root: right.span) else { return }
        let forth = StoredValue.compare(a, in: left.span, to: b, in: right.span).signum()
        let back = StoredValue.compare(b, in: right.span, to: a, in: left.span).signum()
        try BrokenProperty.unless(forth == -back, "the order depends on which side a value stands")
        try checkBody(left)
        try checkBody(right)
        guard JSONBValidator.isValid(left, requiresObject: false), JSONBValidator.isValid(right, requiresObject: false),
            let value = BSON(stored: a, in: left.span), let other = BSON(stored: b, in: right.span)
        else { return }
        let order = value.compared(to: other).signum()
        try BrokenProperty.unless(order == forth, "two values compare otherwise in place")
        let mixed = StoredValue.compare(a, in: left.span, to: other).signum()
        try BrokenProperty.unless(order == mixed, "a stored and another value compare otherwise")
        let (key, otherKey) = (OrderKey.bytes(of: value), OrderKey.bytes(of: other))
        let keys = key == otherKey ? 0 : key.lexicographicallyPrecedes(otherKey) ? -1 : 1
        let isCut = min(key.count, otherKey.count) == OrderKey.maximumByteCount
        try BrokenProperty.unless(keys == order || isCut && keys == 0, "keys compare otherwise than their values")
    }

    private func checkBody(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let root = JSONBElement(root: bytes.span) else { return }
        let type = StoredValue(root, in: bytes.span).type
        guard let value = BSON(stored: root, in: bytes.span), JSONBValidator.isValid(bytes, requiresObject: false)
        else {
            return
        }
        try BrokenProperty.unless(type == value.type, "a stored value has another type in place")
        try checkStoring(value)
    }

    private func checkStoring(_ value: BSON) throws(BrokenProperty) {
        guard let stored = try? value.stored() else { return }
        try BrokenProperty.unless(JSONBValidator.isValid(stored, requiresObject: false), "invalid JSONB was made")
        let again = JSONBElement(root: stored.span).flatMap { BSON(stored: $0, in: stored.span) }
        try BrokenProperty.unless(again == value, "a stored value comes back as another")
        if let id = try? DocumentKey.text(of: value) {
            try BrokenProperty.unless(DocumentKey.value(of: id).isSame(as: value), "an id reads as another value")
        }
    }

    // MARK: - Schemas and texts

    /// An array of a schema and a value.
    private func checkSchema(_ text: [UInt8]) throws(BrokenProperty) {
        guard case .array(let items)? = try? BSON(extendedJSON: text), items.count == 2,
            case .document(let document) = items[0]
        else { return }
        for dialect in [JSONSchema.Dialect.mongo, .draft4] {
            guard let schema = try? JSONSchema(document, dialect: dialect, patterns: { part in { $0.contains(part) } })
            else { continue }
            let isFulfilled = schema.isFulfilled(by: items[1])
            try BrokenProperty.unless(
                schema.violations(in: items[1]).isEmpty == isFulfilled, "violations don't fit the answer")
        }
    }

    private func checkTexts(_ text: String) throws(BrokenProperty) {
        let id = DocumentKey.value(of: text)
        if let again = try? DocumentKey.text(of: id), !again.utf8.elementsEqual(text.utf8) {
            try BrokenProperty.unless(id == .string(text), "a document ID reads as a value of another one")
        }
        if let number = Decimal128(text) {
            try BrokenProperty.unless(
                number.isNaN || Decimal128(number.description) == number, "a decimal's text reads as another")
        }
        if let time = DateTime(iso: text) {
            try BrokenProperty.unless(DateTime(iso: time.description) == time, "a time's text reads as another")
        }
    }

    // MARK: - Decimals

    /// Two encodings.
    private func checkDecimals(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard bytes.count >= 32 else { return }
        let words = (0..<4).map { word in bytes[(word * 8)..<(word * 8 + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        let (left, right) = (Decimal128(high: words[0], low: words[1]), Decimal128(high: words[2], low: words[3]))
        for number in [left, right] {
            let again = Decimal128(number.description)
            try BrokenProperty.unless(again?.description == number.description, "a decimal's text reads as another")
            _ = (number.doubleValue, Int64(truncating: number), number.rounded(places: Int(bytes[0]) - 128))
        }
        try BrokenProperty.unless(left.compared(to: right) == -right.compared(to: left), "an order isn't one")
        let sum = left.adding(right)
        try BrokenProperty.unless(sum == right.adding(left), "a sum depends on the side")
        try BrokenProperty.unless(
            left.multiplied(by: right) == right.multiplied(by: left), "a product depends on the side")
        let difference = left.subtracting(right)
        if difference.isFinite, !difference.isZero {
            try BrokenProperty.unless(
                difference.isNegative == (left.compared(to: right) < 0), "a difference has the wrong sign")
        }
        let rest = left.remainder(dividingBy: right)
        if rest.isFinite, right.isFinite {
            try BrokenProperty.unless(
                rest.magnitude.compared(to: right.magnitude) < 0, "a remainder isn't below the divisor")
        }
        _ = left.divided(by: right)
    }

    /// First inputs of each kind.
    static func seeds() throws -> [[UInt8]] {
        let texts = [
            #"{"a":{"$oid":"65f1c0ffee0123456789abcd"},"b":{"$date":"2026-01-01T00:00:00.5Z"},"c":[1,2.5,{"$numberLong":"7"}]}"#,
            #"{"d":{"$numberDecimal":"1.50E-7"},"e":{"$binary":{"base64":"AQI=","subType":"80"}},"f":{"$numberDouble":"-Infinity"}}"#,
            #"{"g":{"$regularExpression":{"pattern":"^a","options":"im"}},"h":{"$timestamp":{"t":1,"i":2}},"i":{"$minKey":1}}"#,
            #"{"j":{"$code":"f","$scope":{"x":{"$undefined":true}}},"k":{"$dbPointer":{"$ref":"c","$id":{"$oid":"65f1c0ffee0123456789abcd"}}}}"#,
            #"{"l":{"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"},"m":{"$symbol":"s"},"n":{"$maxKey":1},"o":null,"p":true}"#,
            #"[{"$date":{"$numberLong":"-1"}},-0,1e400,12345678901234567890,"\u0000é"]"#,
        ]
        var seeds = texts.map { [0] + Array($0.utf8) }
        for text in texts.dropLast() {
            seeds.append([1] + (try MongoDocument(extendedJSON: text).bsonBytes()))
            let stored = try JSONB.parse(Array(text.utf8))
            let other = try JSONB.parse(Array(#"{"a":{"$oid":"65f1c0ffee0123456789abcd"},"b":1}"#.utf8))
            seeds.append([2, UInt8(other.count)] + other + stored)
        }
        let schemas = [
            #"[{"bsonType":"object","required":["a"],"properties":{"a":{"enum":[1,"x"],"not":{"type":"null"}}},"additionalProperties":false},{"a":1}]"#,
            #"[{"items":[{"minimum":1,"exclusiveMinimum":true}],"additionalItems":{"multipleOf":0.5},"uniqueItems":true,"maxItems":3},[1,2,2.5]]"#,
            #"[{"patternProperties":{"b":{"maxLength":2}},"dependencies":{"b":["a"],"c":{"minProperties":2}},"oneOf":[{},{"type":"array"}]},{"b":"xy"}]"#,
        ]
        seeds += schemas.map { [3] + Array($0.utf8) }
        let words = [
            "$n:1", "$j:{\"a\":{\"$numberInt\":\"1\"}}", "$d:-5", "$s:$a", "-1.50E-6100",
            "2026-01-01T00:00:00.123+01:00",
        ]
        seeds += words.map { [4] + Array($0.utf8) }
        seeds.append(
            [5, 0x30, 0x40] + [UInt8](repeating: 0, count: 13) + [9, 0xB0, 0x3A] + (1...14).map { UInt8($0 * 11) })
        seeds.append([5] + [UInt8](repeating: 0x5F, count: 16) + [UInt8](repeating: 0x01, count: 16))
        return seeds
    }
}
