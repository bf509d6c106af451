internal import SealiteBase
internal import SealiteJSON
internal import SealiteValues

/// The validator of one object type's documents, compiled from the schema. It examines a stored body in place; only
/// values with constraints are decoded.
public struct DocumentValidator: Sendable {
    /// The object type whose documents are validated.
    public let type: ObjectSchema
    private let objects: [ObjectCheck]
    private let key: ValueCheck?

    /// The maximum number of violations that are reported for one document.
    public static let maximumViolationCount = 100

    /// Creates a validator.
    ///
    /// - Parameters:
    ///   - type: the object type of the documents.
    ///   - schema: the schema with the embedded types.
    ///   - nullTypeValidation: true to accept null for a property that may be absent.
    /// - Throws: `SchemaError.invalidSchema` for an embedded type that the schema doesn't have, and for constraints
    ///   that aren't JSON Schema.
    public init(_ type: ObjectSchema, in schema: Schema, nullTypeValidation: Bool = false) throws(SchemaError) {
        var compiler = SchemaCompiler(schema, takesNull: nullTypeValidation)
        try compiler.compile(type)
        self.type = type
        objects = compiler.objects
        key = try type.primaryKey.flatMap { type[$0] }.map { property throws(SchemaError) in
            try compiler.check(of: property.type, in: type.name)
        }
    }

    /// Returns the violations of a stored body; empty if it conforms.
    ///
    /// - Parameters:
    ///   - body: the body, JSONB.
    ///   - id: the document's ID.
    ///   - limit: the maximum number of violations.
    /// - Returns: the violations.
    package func violations(
        inBody body: [UInt8], id: String, limit: Int = maximumViolationCount
    ) -> [SchemaViolation] {
        var walk = DocumentWalk(objects, limit: limit)
        if let key, let name = type.primaryKey, !key.isFulfilled(byID: id) {
            walk.note("bsonType", expected: key.typeName, at: name)
        }
        let span = body.span
        guard let root = JSONBElement(root: span), root.type == JSONBType.object else {
            walk.note("bsonType", expected: "object")
            return walk.violations
        }
        walk.visit(object: root, 0, in: span)
        if let constraints = objects[0].constraints {
            walk.apply(constraints, to: whole(root, id, in: span))
        }
        return walk.violations
    }

    /// Returns whether a stored body and the document's ID conform to the schema.
    package func fits(_ body: [UInt8], id: String) -> Bool { violations(inBody: body, id: id, limit: 1).isEmpty }

    /// Returns the document with its ID as the primary key; nil if the document's bytes are damaged.
    private func whole(_ root: JSONBElement, _ id: String, in bytes: borrowing Span<UInt8>) -> BSON? {
        guard var document = MongoDocument(stored: root, in: bytes) else { return nil }
        if let name = type.primaryKey { document[name] = DocumentKey.value(of: id) }
        return .document(document)
    }
}

extension ValueCheck {
    /// Returns whether a document's ID has the form of a value of the type (Documentation/Values.md §5).
    fileprivate func isFulfilled(byID id: String) -> Bool {
        let utf8 = id.utf8.span
        let isText = utf8.count == 0 || utf8[0] != UInt8(ascii: "$")
        switch self {
        case .string where isText: return true
        case .objectID where isText: return false
        case .objectID where utf8.count == 29:
            return utf8[1] == UInt8(ascii: "o") && utf8[2] == UInt8(ascii: "i") && utf8[3] == UInt8(ascii: "d")
                && utf8[4] == UInt8(ascii: ":")
                && (5..<29).allSatisfy { Hexadecimal.lowercaseValue(id.utf8.span[$0]) != nil }
        default: return isScalarFulfilled(by: DocumentKey.value(of: id))
        }
    }
}

/// A violation of the schema by a document. It names the property and the requirement of the schema, never the value.
public struct SchemaViolation: Sendable, Hashable {
    /// The names and indices from the document to the value, separated by dots; empty for the whole document.
    public let path: String
    /// The violated keyword of JSON Schema.
    public let keyword: String
    /// The required type, if the keyword is `bsonType`; otherwise nil.
    public let expected: String?
    /// A Boolean value that says whether the value is of the required type, but stored as text: a date in ISO 8601,
    /// bytes in Base64 or a UUID.
    public let isText: Bool

    init(path: String, keyword: String, expected: String? = nil, isText: Bool = false) {
        (self.path, self.keyword, self.expected, self.isText) = (path, keyword, expected, isText)
    }
}

extension SchemaViolation: CustomStringConvertible {
    /// The violation as text, such as `'age' isn't of type int (bsonType)`.
    public var description: String {
        let place = path.isEmpty ? "the document" : "'\(path)'"
        if isText, let expected { return "\(place) is of type \(expected), but stored as text (\(keyword))" }
        if let expected { return "\(place) isn't of type \(expected) (\(keyword))" }
        return keyword == "required" ? "\(place) is missing (required)" : "\(place) doesn't fulfil \(keyword)"
    }
}
