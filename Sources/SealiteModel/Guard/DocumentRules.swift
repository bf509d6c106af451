internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// The rules for saving documents of one collection: a stored schema with its policy, compiled.
struct DocumentRules: Sendable {
    /// A required member that is added to documents without it when they are saved.
    private struct Filler: Sendable {
        let name: String
        /// The member's value in its stored form.
        let value: [UInt8]
        /// A Boolean value that says whether only new documents get the member.
        let isForNewDocuments: Bool
    }

    let validator: DocumentValidator
    let policy: SchemaPolicy
    private let fillers: [Filler]

    /// Creates the rules of a stored schema.
    ///
    /// - Parameters:
    ///   - stored: the stored schema.
    ///   - declared: the type as the application declares it; nil if the application doesn't declare it. Members that
    ///     the stored type requires, and that the declared type lacks or doesn't require, are added to documents when
    ///     they are saved.
    /// - Throws: `SchemaError.invalidSchema` if constraints or defaults of the stored schema are invalid.
    init(_ stored: StoredSchema, declared: ObjectSchema?) throws(SchemaError) {
        let type = stored.object
        policy = stored.policy
        validator = try DocumentValidator(type, in: stored.schema, nullTypeValidation: policy.nullTypeValidation)
        var fillers: [Filler] = []
        for property in type.removed where property.isRequired && type[property.name] == nil {
            fillers.append(try Self.filler(property, of: type, isForNewDocuments: true))
        }
        if let declared {
            for property in type.properties
            where property.isRequired && property.name != type.primaryKey
                && !(declared[property.name]?.isRequired ?? false)
            {
                fillers.append(try Self.filler(property, of: type, isForNewDocuments: false))
            }
        }
        self.fillers = fillers
    }

    private static func filler(
        _ property: Property, of type: ObjectSchema, isForNewDocuments: Bool
    ) throws(SchemaError) -> Filler {
        guard let value = try? (property.initialValue ?? .null).stored() else {
            throw .invalidSchema(["The default of '\(type.name).\(property.name)' can't be stored."])
        }
        return Filler(name: property.name, value: value, isForNewDocuments: isForNewDocuments)
    }

    // MARK: - Saves

    /// Adds the required members that the application doesn't declare, and validates the document.
    ///
    /// - Returns: the violations of a document that is saved nevertheless, for a warning; empty if there are none.
    /// - Throws: `SchemaError.unfit` for a document that isn't saved.
    func check(_ save: inout DocumentSave) throws -> [SchemaViolation] {
        try fill(&save)
        let violations = try violations(in: save)
        guard violations.isEmpty || policy.action == .warn else {
            throw SchemaError.unfit(type: validator.type.name, violations: violations)
        }
        return violations
    }

    /// Returns the violations of a document; empty if it conforms, or if the policy's level doesn't require its
    /// validation.
    ///
    /// - Throws: errors from reading the stored document.
    func violations(in save: DocumentSave) throws -> [SchemaViolation] {
        guard policy.level != .off else { return [] }
        let violations = validator.violations(inBody: save.body, id: save.id)
        if violations.isEmpty { return [] }
        if policy.level == .moderate, let old = try save.oldBody(), !validator.fits(old, id: save.id) { return [] }
        return violations
    }

    private func fill(_ save: inout DocumentSave) throws {
        for filler in fillers where JSONBEdit.find([.member(filler.name)], in: save.body) == nil {
            if filler.isForNewDocuments, try save.oldBody() != nil { continue }
            if let filled = JSONBEdit.set(filler.value, at: [.member(filler.name)], in: save.body) {
                save.body = filled
            }
        }
    }
}
