package import SealiteJSON
internal import SealiteValues

extension JSONBWriter {
    /// Writes a value as a JSONB element. `depth` is the number of arrays and objects that contain it.
    ///
    /// - Throws: `invalidParameter` for a number that isn't finite or nesting that is too deep.
    package mutating func value(_ value: Value, depth: Int = 0) throws(DatabaseError) {
        switch value {
        case .null: null()
        case .boolean(let flag): boolean(flag)
        case .string(let text): string(text)
        case .number(let number): try self.number(number)
        case .array(let array):
            let begun = try enter(depth)
            for item in array { try self.value(item, depth: depth + 1) }
            end(JSONBType.array, begun)
        case .dictionary(let dictionary): try object(dictionary, depth: depth)
        case .blob(let blob): try object(blob.properties, depth: depth)
        }
    }

    /// Writes a dictionary as a JSONB object. `depth` is the number of arrays and objects that contain it.
    mutating func object(_ dictionary: DictionaryObject, depth: Int = 0) throws(DatabaseError) {
        let begun = try enter(depth)
        for (key, value) in dictionary.entries {
            string(key)
            try self.value(value, depth: depth + 1)
        }
        end(JSONBType.object, begun)
    }

    private mutating func enter(_ depth: Int) throws(DatabaseError) -> Begun {
        guard depth < JSONParser.maximumDepth else {
            throw DatabaseError(
                .invalidParameter,
                "a document to be saved, or a parameter of a query, has arrays and objects nested deeper than \(JSONParser.maximumDepth) levels, the limit"
            )
        }
        return begin(guess: depth == 0 ? 300 : 30)
    }

    /// Writes a number in its exact form, and throws `invalidParameter` for NaN and the infinities.
    mutating func number(_ number: Number) throws(DatabaseError) {
        switch number.storage {
        case .integer(let value):
            integer(value)
        case .double(let value):
            guard value.isFinite else {
                throw DatabaseError(.invalidParameter, "JSON, and so a document, can't contain NaN or infinity")
            }
            ascii(JSONBType.float, DoubleText.text(of: value))
        case .text(let text):
            let isFloat = text.utf8.contains { $0 == 0x2E || $0 == 0x65 || $0 == 0x45 }
            ascii(isFloat ? JSONBType.float : JSONBType.integer, text)
        }
    }
}

extension Value {
    /// Creates the value of a JSONB element in `bytes`; objects that describe blobs become blobs of `database`. Nil if
    /// the bytes are damaged or nested deeper than a document may be. `depth` is the number of arrays and objects that
    /// contain the element.
    package init?(_ element: JSONBElement, in bytes: [UInt8], database: Database?, depth: Int = 0) {
        let isContainer = element.type == JSONBType.array || element.type == JSONBType.object
        guard depth < JSONParser.maximumDepth || !isContainer else { return nil }
        switch element.type {
        case JSONBType.null: self = .null
        case JSONBType.true: self = .boolean(true)
        case JSONBType.false: self = .boolean(false)
        case JSONBType.integer, JSONBType.float:
            self = .number(Number(type: element.type, payload: bytes[element.start..<element.end]))
        case JSONBType.text, JSONBType.rawText:
            self = .string(String(decoding: bytes[element.start..<element.end], as: UTF8.self))
        case JSONBType.array:
            var items: [Value] = []
            var offset = element.start
            while offset < element.end {
                guard let item = JSONBElement(bytes.span, at: offset, limit: element.end),
                    let value = Value(item, in: bytes, database: database, depth: depth + 1)
                else { return nil }
                items.append(value)
                offset = item.end
            }
            self = .array(ArrayObject(items))
        case JSONBType.object:
            guard let dictionary = DictionaryObject(element, in: bytes, database: database, depth: depth) else {
                return nil
            }
            self =
                Blob.isBlob(dictionary) ? .blob(Blob(stored: dictionary, database: database)) : .dictionary(dictionary)
        default:
            return nil
        }
    }
}

extension DictionaryObject {
    /// Creates a dictionary from a JSONB object in `bytes`; objects in it that describe blobs become blobs of
    /// `database`. Nil if the element isn't an object, or if the bytes are damaged or nested deeper than a document may
    /// be.
    init?(_ element: JSONBElement, in bytes: [UInt8], database: Database?, depth: Int = 0) {
        self.init()
        guard element.type == JSONBType.object else { return nil }
        var offset = element.start
        while offset < element.end {
            guard let label = JSONBElement(bytes.span, at: offset, limit: element.end), label.isString,
                let item = JSONBElement(bytes.span, at: label.end, limit: element.end),
                let value = Value(item, in: bytes, database: database, depth: depth + 1)
            else { return nil }
            append(String(decoding: bytes[label.start..<label.end], as: UTF8.self), value)
            offset = item.end
        }
    }

    /// Creates a dictionary from an object in JSONB, under the same conditions.
    init?(jsonb bytes: [UInt8], database: Database? = nil) {
        guard let root = JSONBElement(root: bytes.span) else { return nil }
        self.init(root, in: bytes, database: database)
    }

    /// Creates a dictionary from a JSON object's text.
    ///
    /// - Throws: `invalidJSON`.
    public init(json: String) throws {
        guard let object = DictionaryObject(jsonb: try JSONParser.parse(Array(json.utf8))) else {
            throw DatabaseError(.invalidJSON, "the text is not a JSON object")
        }
        self = object
    }

    /// Returns the dictionary as an object in JSONB, for which `capacity` bytes are reserved.
    ///
    /// - Throws: `invalidParameter` if it contains a number that isn't finite or is nested too deep.
    func jsonb(capacity: Int) throws(DatabaseError) -> [UInt8] {
        var writer = JSONBWriter(capacity: capacity)
        try writer.object(self)
        return writer.bytes
    }

    /// Returns the dictionary as compact JSON text.
    ///
    /// - Throws: `invalidParameter` if it contains a number that isn't finite or is nested too deep.
    public func toJSON() throws -> String {
        String(decoding: try JSONSerializer.text(of: jsonb(capacity: 256)), as: UTF8.self)
    }
}
