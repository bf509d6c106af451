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
        guard case .scalar(let scalar) = self else { return false }
        switch scalar {
        case .string where isText: return true
        case .objectID where isText: return false
        case .objectID where utf8.count == 29:
            return utf8[1] == UInt8(ascii: "o") && utf8[2] == UInt8(ascii: "i") && utf8[3] == UInt8(ascii: "d")
                && utf8[4] == UInt8(ascii: ":")
                && (5..<29).allSatisfy { Hexadecimal.lowercaseValue(id.utf8.span[$0]) != nil }
        default: return scalar.isFulfilled(by: DocumentKey.value(of: id))
        }
    }
}

/// A warning about a document that was saved although it doesn't conform to the schema: either the policy's action is
/// ``SchemaPolicy/Action/warn``, or a conflict resolver made the document.
public struct SchemaWarning: Sendable, Hashable {
    /// The name of the document's type in the schema.
    public let type: String
    /// The full name of the document's collection: `scope.collection`.
    public let collection: String
    /// The document's ID.
    public let documentID: String
    /// The document's violations of the schema.
    public let violations: [SchemaViolation]
}
