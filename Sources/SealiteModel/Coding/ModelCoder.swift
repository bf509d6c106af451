internal import Foundation
internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// Decodes documents as objects of a type, and encodes objects as bodies.
struct ModelCoder<M: Model>: Sendable {
    let plan: ModelPlan
    private let rules: CodingRules

    /// Creates the coder of a type.
    ///
    /// - Throws: `SchemaError` if the type's schema can't be derived.
    init(_ type: M.Type, userInfo: [CodingUserInfoKey: any Sendable] = [:]) throws {
        self.init(try ModelPlan.of(type), userInfo: userInfo)
    }

    /// Creates the coder of a type whose plan for decoding and encoding is known.
    init(_ plan: ModelPlan, userInfo: [CodingUserInfoKey: any Sendable]) {
        (self.plan, rules) = (plan, .models(userInfo: userInfo))
    }

    /// Returns the ID of the document of an object, from the object's ID.
    ///
    /// - Throws: `badDocumentID` if it can't be a document's ID.
    static func documentID(_ id: M.ID) throws -> String {
        if let id = id as? ObjectID { return "$oid:\(id.hex)" }
        do throws(DocumentKey.Failure) {
            return try DocumentKey.text(of: id.keyValue)
        } catch {
            throw DatabaseError(
                .badDocumentID,
                "the id of an object of \(M.schemaName) can't be the ID of a document: \(error.localizedDescription)")
        }
    }

    /// Returns the object of a document.
    ///
    /// - Throws: `decodingFailed`, which names the type, the document and the member, but not the content, and
    ///   `corruptData` if the body is damaged.
    func object(id: String, body: [UInt8], in database: Database?) throws -> M {
        guard let root = StoredElement(root: body) else {
            throw DatabaseError(
                .corruptData, "the body of the document \"\(id)\", an object of \(M.schemaName), is damaged")
        }
        do {
            let context = DecodingContext(rules, id: .key(id), database: database)
            return try StoredDecoder.value(M.self, at: root, context, .object(plan.object))
        } catch let error as DecodingError {
            throw DatabaseError(
                .decodingFailed,
                "the document \"\(id)\" can't be read as \(M.schemaName): \(DocumentCoding.place(error))",
                underlying: error)
        }
    }

    /// Returns the body of an object: its members without its ID.
    ///
    /// - Throws: `encodingFailed`, which names the type and the member, but not the content.
    func body(of object: M) throws -> EncodedValue {
        do {
            return try StoredEncoder.encode(object, rules, .object(plan.object), capacity: 512)
        } catch let error as EncodingError {
            throw DatabaseError(
                .encodingFailed, "an object of \(M.schemaName) can't be stored: \(Self.place(error))", underlying: error
            )
        }
    }

    /// Returns the body that replaces a stored body, with those members of the stored body that the type doesn't have;
    /// nil if nothing changes.
    func merged(_ body: [UInt8], into stored: [UInt8]) -> [UInt8]? {
        guard body != stored else { return nil }
        if BodyCover.covers(body, stored, plan.object) { return body }
        guard let merged = BodyMerge.merged(body, into: stored, plan.object) else { return body }
        return merged == stored ? nil : merged
    }

    private static func place(_ error: EncodingError) -> String {
        guard case .invalidValue(_, let context) = error else { return "it can't be encoded" }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return path.isEmpty ? context.debugDescription : "property \"\(path)\": \(context.debugDescription)"
    }
}
