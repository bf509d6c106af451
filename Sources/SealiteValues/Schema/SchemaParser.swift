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
    func document(_ value: BSON) throws(JSONSchemaError) -> MongoDocument { try expect(value.members, "an object") }

    /// Compiles a value as a schema with its nested schemas; throws if it isn't a document.
    func schema(_ value: BSON) throws(JSONSchemaError) -> SchemaNode { try node(document(value)) }

    /// Returns a value as a Boolean; throws for other types.
    func boolean(_ value: BSON) throws(JSONSchemaError) -> Bool {
        guard case .bool(let value) = value else { throw error(.typeMismatch, "expected a boolean") }
        return value
    }

    /// Returns a value as a text; throws for other types.
    func string(_ value: BSON) throws(JSONSchemaError) -> String { try expect(value.text, "a string") }

    /// Returns a value as an array; throws for other types.
    func array(_ value: BSON) throws(JSONSchemaError) -> [BSON] { try expect(value.items, "an array") }

    /// Returns a value as a number; throws for other types.
    func number(_ value: BSON) throws(JSONSchemaError) -> NumericValue { try expect(NumericValue(value), "a number") }

    private func expect<Value>(_ value: Value?, _ expected: String) throws(JSONSchemaError) -> Value {
        guard let value else { throw error(.typeMismatch, "expected \(expected)") }
        return value
    }

    /// Returns a value of any numeric type as an integer; throws if it isn't an integer of at least 0.
    func count(_ value: BSON) throws(JSONSchemaError) -> Int {
        guard case .integer(let count)? = NumericValue(value)?.canonical else {
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

/// A keyword with its value and, as `siblings`, all members of the schema that contains it, itself included.
struct SchemaKeyword {
    let name: String
    let value: BSON
    let siblings: MongoDocument
}

/// The supported keywords of JSON Schema with the functions that parse them.
enum SchemaKeywords {
    /// A function that parses a keyword and returns its check; nil if it is part of another keyword's check, or has no
    /// effect on values.
    typealias Reading = @Sendable (SchemaParser, SchemaKeyword) throws(JSONSchemaError) -> (any SchemaCheck)?

    /// Returns the function that parses a keyword; nil for an unknown one.
    static func reading(of name: String) -> Reading? { readings[name] }

    /// The keywords of draft 4 that MongoDB's dialect knows and refuses.
    static let unsupported: Set<String> = ["$ref", "$schema", "default", "definitions", "format", "id"]

    private static let readings: [String: Reading] = [
        "type": TypeCheck.jsonType, "bsonType": TypeCheck.bsonType, "enum": EnumCheck.init,
        "minimum": BoundCheck.minimum, "maximum": BoundCheck.maximum, "exclusiveMinimum": BoundCheck.exclusive,
        "exclusiveMaximum": BoundCheck.exclusive, "multipleOf": MultipleCheck.init,
        "minLength": CountCheck.characters, "maxLength": CountCheck.characters, "pattern": PatternCheck.init,
        "minItems": CountCheck.items, "maxItems": CountCheck.items, "uniqueItems": UniqueCheck.make,
        "items": ItemsCheck.items, "additionalItems": ItemsCheck.additional,
        "minProperties": CountCheck.members, "maxProperties": CountCheck.members, "required": RequiredCheck.init,
        "properties": MembersCheck.make, "patternProperties": MembersCheck.make,
        "additionalProperties": MembersCheck.make, "dependencies": DependenciesCheck.init,
        "allOf": CombinedCheck.init, "anyOf": CombinedCheck.init, "oneOf": CombinedCheck.init, "not": NotCheck.init,
        "title": text, "description": text, "encrypt": EncryptCheck.init, "encryptMetadata": EncryptCheck.metadata,
    ]

    /// Checks that an annotation (`title`, `description`) is a string, and returns nil.
    private static func text(
        _ parser: SchemaParser, _ keyword: SchemaKeyword
    ) throws(JSONSchemaError) -> (any SchemaCheck)? {
        _ = try parser.string(keyword.value)
        return nil
    }
}

/// A schema: the conjunction of its keywords' checks.
struct SchemaNode: Sendable {
    var checks: [any SchemaCheck] = []

    /// Returns whether a value satisfies all checks.
    func isFulfilled(by value: BSON) -> Bool { checks.allSatisfy { $0.isFulfilled(by: value) } }

    /// Returns the violations of all checks by a value at a path from the root, check by check.
    func violations(in value: BSON, at path: [String]) -> [JSONSchema.Violation] {
        checks.flatMap { $0.violations(in: value, at: path) }
    }
}

/// The check of a value by a keyword of JSON Schema, perhaps together with related keywords.
protocol SchemaCheck: Sendable {
    /// The keyword that violations name.
    var keyword: String { get }

    /// Returns whether a value satisfies the check.
    func isFulfilled(by value: BSON) -> Bool

    /// Returns the violations of the check by a value at a path from the root. A keyword for members or items returns
    /// their violations.
    func violations(in value: BSON, at path: [String]) -> [JSONSchema.Violation]
}

extension SchemaCheck {
    func violations(in value: BSON, at path: [String]) -> [JSONSchema.Violation] {
        isFulfilled(by: value) ? [] : [JSONSchema.Violation(path: path.joined(separator: "."), keyword: keyword)]
    }
}
