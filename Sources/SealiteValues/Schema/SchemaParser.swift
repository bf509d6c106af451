/// Parses a JSON Schema into the form that validates values.
struct SchemaParser {
    let dialect: JSONSchema.Dialect
    let patterns: JSONSchema.PatternCompiler
    /// The path from the root to the schema that is being compiled.
    private var path: [String] = []
    private var depth = 0

    init(dialect: JSONSchema.Dialect, patterns: @escaping JSONSchema.PatternCompiler) {
        (self.dialect, self.patterns) = (dialect, patterns)
    }

    /// Compiles a schema with its nested schemas.
    func node(_ document: MongoDocument) throws(JSONSchemaError) -> SchemaNode {
        guard depth < JSONSchema.maximumDepth else {
            throw error(.failedToParse, "schemas are nested deeper than \(JSONSchema.maximumDepth) levels")
        }
        if dialect == .mongo, document["type"] != nil, document["bsonType"] != nil {
            throw error(.failedToParse, "'type' and 'bsonType' can't be given together")
        }
        var node = SchemaNode()
        for member in document {
            var parser = below(member.key)
            parser.depth += 1
            guard let reading = SchemaKeywords.reading(of: member.key) else {
                try parser.refuseUnknown(member.key)
                continue
            }
            let keyword = SchemaKeyword(name: member.key, value: member.value, siblings: document)
            if let check = try reading(parser, keyword) { node.checks.append(check) }
        }
        return node
    }

    private func refuseUnknown(_ name: String) throws(JSONSchemaError) {
        let isUnsupported = SchemaKeywords.unsupported.contains(name)
        guard dialect == .mongo || name == "$ref" else { return }
        throw error(
            .failedToParse, isUnsupported ? "the keyword isn't supported" : "there is no such keyword of $jsonSchema")
    }

    // MARK: - Positions

    /// Returns a copy of this parser for the value of the member `name`: with `name` appended to the path.
    func below(_ name: String) -> SchemaParser {
        var parser = self
        parser.path.append(name)
        return parser
    }

    /// Returns a copy of this parser for another keyword of the same schema: with `name` as the path's last name.
    func beside(_ name: String) -> SchemaParser {
        var parser = self
        parser.path[parser.path.count - 1] = name
        return parser
    }

    /// Returns an error at the parser's path.
    func error(_ code: JSONSchemaError.Code, _ reason: String) -> JSONSchemaError {
        JSONSchemaError(code, at: path.joined(separator: "."), reason)
    }

    // MARK: - Operands

    /// Returns a value as a document; throws for other types.
    func document(_ value: BSON) throws(JSONSchemaError) -> MongoDocument {
        guard case .document(let document) = value else { throw error(.typeMismatch, "expected an object") }
        return document
    }

    /// Compiles a value as a schema with its nested schemas; throws if it isn't a document.
    func schema(_ value: BSON) throws(JSONSchemaError) -> SchemaNode { try node(document(value)) }

    /// Returns a value as a Boolean; throws for other types.
    func boolean(_ value: BSON) throws(JSONSchemaError) -> Bool {
        guard case .bool(let value) = value else { throw error(.typeMismatch, "expected a boolean") }
        return value
    }

    /// Returns a value as a text; throws for other types.
    func string(_ value: BSON) throws(JSONSchemaError) -> String {
        guard case .string(let text) = value else { throw error(.typeMismatch, "expected a string") }
        return text
    }

    /// Returns a value as an array; throws for other types.
    func array(_ value: BSON) throws(JSONSchemaError) -> [BSON] {
        guard case .array(let items) = value else { throw error(.typeMismatch, "expected an array") }
        return items
    }

    /// Returns a value as a number; throws for other types.
    func number(_ value: BSON) throws(JSONSchemaError) -> NumericValue {
        guard let number = NumericValue(value) else { throw error(.typeMismatch, "expected a number") }
        return number
    }

    /// Returns a value of any numeric type as an integer; throws if it isn't an integer of at least 0.
    func count(_ value: BSON) throws(JSONSchemaError) -> Int {
        guard case .integer(let count) = try number(value).canonical else {
            throw error(.failedToParse, "expected an integer that fits in 64 bits")
        }
        guard count >= 0 else { throw error(.failedToParse, "expected a number of at least 0") }
        return Int(count)
    }

    /// Returns a value as an array of strings; throws unless it has at least one item, and all are different strings.
    func names(_ value: BSON) throws(JSONSchemaError) -> [String] {
        var names: [String] = []
        for item in try array(value) { names.append(try string(item)) }
        guard !names.isEmpty else { throw error(.failedToParse, "expected at least one item") }
        guard Set(names.map { BSON.string($0) }).count == names.count else {
            throw error(.failedToParse, "an item is repeated")
        }
        return names
    }

    /// Returns a compiled regular expression; throws `invalidPattern` if the text isn't one.
    func pattern(_ text: String) throws(JSONSchemaError) -> JSONSchema.Pattern {
        guard !text.utf8.contains(0), let pattern = patterns(text) else {
            throw error(.invalidPattern, "the pattern isn't a valid regular expression")
        }
        return pattern
    }
}
