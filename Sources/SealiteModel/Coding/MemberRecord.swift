internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteQueryLanguage
internal import SealiteValues

/// The members that a type has requested from a recording decoder (`SchemaProbe`), with their declarations.
final class MemberRecord {
    /// A member that the type has requested.
    struct Member {
        let name: String
        var shape: Shape
        var isOptional: Bool
        let type: Any.Type
        let declared: ModelDeclaration.Member?
    }

    private let deriver: SchemaDeriver
    private let name: String
    private let declaration: ModelDeclaration?
    private let stored: StoredElement?
    private(set) var members: [Member] = []
    /// The name of the member for which the type last called `decodeNil(forKey:)`; nil if it hasn't called it.
    var askedForNil: String?
    /// The members that the type reads through nested containers: their indices in ``members``, and the probes that
    /// record what is read.
    private var parts: [(place: Int, probe: SchemaProbe)] = []

    init(_ deriver: SchemaDeriver, _ name: String, _ declaration: ModelDeclaration?, _ stored: StoredElement?) {
        (self.deriver, self.name, self.declaration, self.stored) = (deriver, name, declaration, stored)
    }

    /// Adds a member, unless it was requested before.
    func add(_ type: any Decodable.Type, _ name: String, isOptional: Bool) throws {
        guard !members.contains(where: { $0.name == name }) else { return }
        let declared = declaration?.members.first { $0.name == name }
        let shape =
            try declared?.type.map { Shape(declared: $0) } ?? deriver.shape(of: type, member: name)
        members.append(
            Member(
                name: name, shape: shape, isOptional: isOptional || shape.isOptional, type: type, declared: declared))
    }

    /// Returns a value with which a member is decoded while the schema is derived: the declared default; otherwise the
    /// member's value in a newly initialized value of the type; otherwise any value of the member's type.
    func sample<T: Decodable>(of type: T.Type, _ name: String) throws -> T {
        if let declared = declaration?.members.first(where: { $0.name == name })?.defaultValue {
            if let place = StoredElement(root: try declared.stored()),
                let value = try? StoredDecoder.value(type, at: place)
            {
                return value
            }
            // An object may lack members that have a default of their own.
            let shape = members.first { $0.name == name }?.shape.type
            guard shape?.fitting(declared, deriver.embeddedType) != nil else {
                throw deriver.underivable("the declared default isn't a value of '\(type)'")
            }
        }
        return try deriver.sample(of: type, from: stored?.member(name))
    }

    /// Returns the recording decoder (`SchemaProbe`) for a member that the type reads through a nested container.
    func part(_ name: String) -> SchemaProbe {
        if let place = members.firstIndex(where: { $0.name == name }),
            let known = parts.first(where: { $0.place == place })
        {
            return known.probe
        }
        let probe = SchemaProbe(deriver, "\(self.name)_\(name)", nil, stored?.member(name))
        parts.append((members.count, probe))
        members.append(
            Member(
                name: name, shape: Shape(.mixed), isOptional: true, type: Any.self,
                declared: declaration?.members.first { $0.name == name }))
        return probe
    }

    /// Determines the shapes (schema types and plans) of the members that were read through nested containers.
    ///
    /// - Throws: `SchemaError.underivable` if a declaration names a member that the type didn't request.
    func finish() throws {
        for (place, probe) in parts {
            if let declared = members[place].declared?.type {
                members[place].shape = Shape(declared: declared)
            } else {
                members[place].shape = try deriver.shape(ofPart: probe)
            }
        }
        let names = members.map(\.name)
        for declared in declaration?.members ?? [] where !names.contains(declared.name) {
            let near = NearestName.to(declared.name, among: names).map { "; did you mean '\($0)'?" } ?? ""
            throw SchemaError.underivable(
                type: name, member: declared.name,
                reason: "the declaration names it, and the type has no such member\(near)")
        }
    }

    /// Returns the schema of the embedded type that has requested the members, and the plan for decoding and encoding
    /// its objects.
    func embeddedSchema() throws -> (ObjectSchema, ObjectPlan) {
        try finish()
        let schema = ObjectSchema(
            name, properties: members.map { $0.property($0.name, defaultValue: $0.declared?.defaultValue) },
            isEmbedded: true, description: declaration?.description)
        let plans = try members.map { member in
            member.plan(absent: try member.declared?.defaultValue.map { .constant(try $0.stored()) })
        }
        return (schema, ObjectPlan(name: name, members: plans))
    }
}

extension MemberRecord.Member {
    /// A Boolean value that says whether the member's property is optional in the schema: never for a list, a set or a
    /// dictionary, and always for a link, an embedded object or a mixed value.
    private var mayBeAbsent: Bool {
        switch shape.type {
        case .array, .set, .dictionary: false
        case .embedded, .link, .mixed: true
        default: isOptional
        }
    }

    /// Returns the property of the schema that describes the member.
    func property(_ name: String, defaultValue: BSON?) -> Property {
        Property(
            name, shape.type, isOptional: mayBeAbsent, isIndexed: declared?.isIndexed ?? false,
            defaultValue: defaultValue, renamedFrom: declared?.renamedFrom ?? [], description: declared?.description,
            vectorIndex: declared?.vectorIndex)
    }

    /// Returns the plan for decoding and encoding the member. `absent` is the value of a member that a document lacks;
    /// nil if there is none.
    func plan(absent: AbsentValue?) -> MemberPlan {
        MemberPlan(
            name, shape.plan, isOptional: isOptional, absent: absent, renamedFrom: declared?.renamedFrom ?? [],
            type: shape.type, swiftType: type)
    }
}
