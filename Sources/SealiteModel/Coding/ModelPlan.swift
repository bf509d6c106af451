internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteQueryLanguage
internal import SealiteValues
internal import Synchronization

/// A model's schema and the plan of its objects, derived once for each type and cached.
final class ModelPlan: Sendable {
    /// The schema of the type.
    let schema: ObjectSchema
    /// The schemas of the types that are embedded in the type, at any depth.
    let embedded: [ObjectSchema]
    /// The plan for decoding and encoding the type's objects.
    let object: ObjectPlan

    private static let known = Mutex<[ObjectIdentifier: ModelPlan]>([:])

    /// Returns the plan of a type, derived at the first call.
    ///
    /// - Throws: `SchemaError` if it can't be derived.
    static func of<M: Model>(_ type: M.Type) throws -> ModelPlan {
        if let plan = known.withLock({ $0[ObjectIdentifier(type)] }) { return plan }
        let plan = try ModelPlan(type)
        return known.withLock { known in
            if let first = known[ObjectIdentifier(type)] { return first }
            known[ObjectIdentifier(type)] = plan
            return plan
        }
    }

    private init<M: Model>(_ type: M.Type) throws {
        let defaults = try InitialValues(type)
        let deriver = SchemaDeriver()
        let record = try deriver.members(of: type, from: defaults?.first)
        try record.finish()
        let members = record.members
        let declaration = type.declaration
        let keyIndex = try Self.keyIndex(type, members)
        let keyName = keyIndex.map { declaration.primaryKey ?? (members[$0].name == "id" ? "_id" : members[$0].name) }
        let absent = try members.map { try defaults?.absent($0) ?? $0.declaredAbsent() }
        let properties = members.indices.map { index in
            members[index].property(
                index == keyIndex ? keyName ?? "_id" : members[index].name,
                defaultValue: index == keyIndex
                    ? nil
                    : members[index].declared?.defaultValue ?? absent[index]?.constant(for: members[index].shape.type))
        }
        schema = ObjectSchema(
            type.schemaName, primaryKey: keyName, properties: properties, description: declaration.description)
        embedded = deriver.embedded
        object = ObjectPlan(
            name: type.schemaName,
            members: members.indices.map { members[$0].plan(absent: $0 == keyIndex ? nil : absent[$0]) },
            keyIndex: keyIndex)
    }

    /// Returns the index of the member that is the document's ID; nil if no member has its name.
    private static func keyIndex<M: Model>(_ type: M.Type, _ members: [MemberRecord.Member]) throws -> Int? {
        let declared = type.declaration.primaryKey
        let names = declared.map { [$0] } ?? ["_id", "id"]
        guard let index = names.lazy.compactMap({ name in members.firstIndex { $0.name == name } }).first else {
            guard let declared else { return nil }
            let near = NearestName.to(declared, among: members.map(\.name)).map { "; did you mean '\($0)'?" } ?? ""
            throw SchemaError.underivable(
                type: type.schemaName, member: declared,
                reason: "the declaration names it as the primary key, and the type has no such member\(near)")
        }
        guard members[index].type == M.ID.self else {
            throw SchemaError.underivable(
                type: type.schemaName, member: members[index].name,
                reason: "the primary key is of another type than the type's 'id', which is \(M.ID.self)")
        }
        return index
    }
}

extension MemberRecord.Member {
    /// Returns the declared default as the value of an absent member; nil if none is declared.
    fileprivate func declaredAbsent() throws -> AbsentValue? {
        try declared?.defaultValue.map { .constant(try $0.stored()) }
    }
}

extension AbsentValue {
    /// Returns the default for the schema of a property, if this value is a constant; nil for other values, and for
    /// collections, objects, links and mixed values.
    fileprivate func constant(for type: PropertyType) -> BSON? {
        guard case .constant(let bytes) = self else { return nil }
        switch type {
        case .array, .set, .dictionary, .embedded, .link, .mixed, .geoPoint: return nil
        default: return StoredElement(root: bytes)?.bson
        }
    }
}

/// The members of new values of a type that has an `init()`.
private struct InitialValues {
    /// A newly initialized value in its stored form.
    let first: StoredElement
    /// Two more newly initialized values, with times in full precision. A member whose value differs between the two
    /// isn't a constant.
    private let exact: (StoredElement, StoredElement)
    private let make: @Sendable () throws -> [UInt8]

    init?(_ type: any Model.Type) throws {
        guard let type = type as? any DefaultedModel.Type else { return nil }
        make = { try Self.body(of: type, isExact: false) }
        guard let first = StoredElement(root: try make()),
            let left = StoredElement(root: try Self.body(of: type, isExact: true)),
            let right = StoredElement(root: try Self.body(of: type, isExact: true))
        else { return nil }
        (self.first, exact) = (first, (left, right))
    }

    private static func body<M: DefaultedModel>(of type: M.Type, isExact: Bool) throws -> [UInt8] {
        try StoredEncoder.encode(type.init(), .models(isExact: isExact)).body
    }

    /// Returns the initial value of a member, with which an absent member is decoded; nil if the member is optional or
    /// has a declared default, and if the initial value is an empty list, set or dictionary.
    func absent(_ member: MemberRecord.Member) throws -> AbsentValue? {
        let name = member.name
        guard !member.isOptional, member.declared?.defaultValue == nil, let value = first.member(name) else {
            return nil
        }
        if member.shape.type.isCollection, value.element.start == value.element.end { return nil }
        guard exact.0.member(name)?.raw == exact.1.member(name)?.raw else {
            let make = make
            return .fresh { StoredElement(root: try make())?.member(name)?.raw ?? [JSONBType.null] }
        }
        return .constant(value.raw)
    }
}

extension Model {
    /// The type's name in schemas.
    static var schemaName: String { declaration.name ?? String(describing: Self.self) }

    /// The type of the model's primary key in schemas.
    static var keyType: PropertyType {
        let names = declaration.primaryKey.map { [$0] } ?? ["_id", "id"]
        let declared = names.lazy.compactMap { name in declaration.members.first { $0.name == name }?.type }.first
        return declared ?? ID.propertyType
    }
}

/// The types of a member, which its plan carries for queries.
private struct MemberTypes: Sendable {
    let type: PropertyType
    let swiftType: Any.Type
}

extension MemberPlan {
    /// Creates the plan of a member of an object whose schema has been derived.
    init(
        _ name: String, _ value: ValuePlan, isOptional: Bool, absent: AbsentValue?, renamedFrom: [String],
        type: PropertyType, swiftType: Any.Type
    ) {
        self.init(
            name, value, isOptional: isOptional, absent: absent, renamedFrom: renamedFrom,
            details: MemberTypes(type: type, swiftType: swiftType))
    }

    /// The type of the member's values in the schema.
    var type: PropertyType { (details as? MemberTypes)?.type ?? .mixed }

    /// The Swift type of the property; for an optional property, the type that it wraps.
    var swiftType: Any.Type { (details as? MemberTypes)?.swiftType ?? Any.self }
}

/// A type whose values are links: each is stored as the primary key of another object.
private protocol StoredReference {
    /// The primary key of the linked object, as it is stored.
    var storedKey: BSON { get }
    /// Creates a link from a stored key; nil if the key is of another type.
    init?(storedKey: BSON)
}

extension Reference: StoredReference {
    fileprivate var storedKey: BSON { id.keyValue }

    fileprivate init?(storedKey: BSON) {
        guard let id = Target.ID(keyValue: storedKey) else { return nil }
        self.init(id: id)
    }
}

extension CodingRules {
    /// Returns the rules of models, which store links and IDs of objects as keys. `isExact` says whether times are
    /// written in their full precision, for comparing values.
    static func models(userInfo: [CodingUserInfoKey: any Sendable] = [:], isExact: Bool = false) -> CodingRules {
        var rules = CodingRules(.models)
        (rules.userInfo, rules.isExact) = (userInfo, isExact)
        rules.writing = { ($0 as? any StoredReference)?.storedKey ?? ($0 as? any ModelKey)?.keyValue }
        rules.reading = { type, place in
            switch type {
            case let type as any (StoredReference & Decodable).Type:
                .some(place.bson.flatMap { type.init(storedKey: $0) })
            case let type as any ModelKey.Type: .some(place.bson.flatMap { type.init(keyValue: $0) })
            default: nil
            }
        }
        return rules
    }
}

extension StoredDecoder {
    /// Decodes a stored value as a value of a type, without a plan.
    static func value<T: Decodable>(_ type: T.Type, at place: StoredElement) throws -> T {
        try value(type, at: place, DecodingContext(.models()))
    }
}

extension Schema {
    /// Creates the schema of types, with the types that are embedded in them.
    ///
    /// - Throws: `SchemaError` if a type can't be derived, or if two types have the same name.
    public init(of types: [any Model.Type]) throws {
        var (roots, embedded): ([ObjectSchema], [ObjectSchema]) = ([], [])
        for type in types {
            let plan = try ModelPlan.of(type)
            if roots.contains(where: { $0.name == plan.schema.name }) {
                throw SchemaError.invalidSchema([
                    "Two types have the name '\(plan.schema.name)': declare another name for one of them, ModelDeclaration(name: …)"
                ])
            }
            roots.append(plan.schema)
            for schema in plan.embedded {
                guard let known = embedded.first(where: { $0.name == schema.name }) else {
                    embedded.append(schema)
                    continue
                }
                guard known == schema else {
                    throw SchemaError.invalidSchema([
                        "Two embedded types have the name '\(schema.name)': conform one of them to EmbeddedModel, and declare another name for it"
                    ])
                }
            }
        }
        if let name = embedded.map(\.name).first(where: { name in roots.contains { $0.name == name } }) {
            throw SchemaError.invalidSchema([
                "A type with documents of its own and an embedded type have the same name '\(name)'"
            ])
        }
        self.init(roots + embedded)
    }
}
