internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// A place in objects of a type: a member, or one inside an embedded object.
struct SamplePlace {
    /// The names that lead to it.
    let names: [String]
    /// A Boolean value that says whether it is the document's ID.
    let isID: Bool
    /// A Boolean value that says whether the member, or one around it, may be nil or absent.
    let mayBeNil: Bool
    /// The type of its values in schemas.
    let type: PropertyType
    /// The way in which its values are written.
    let plan: ValuePlan
    /// Two stored values, or fewer; nil is an absent member.
    let forms: [BSON?]
}

/// Objects of a type that differ in one member each.
struct SampleObjects<Root: Codable> {
    /// An object, its ID, and the form in which it is stored.
    struct Sample {
        let value: Root
        let id: String
        let stored: StoredPlace
    }

    /// The type in schemas, and the way in which its values are written.
    let type: PropertyType
    let plan: ValuePlan
    /// All places, outer ones before those inside them.
    private(set) var places: [SamplePlace] = []
    /// The objects: one with the first form in each place, then those with the second form in one of them.
    private(set) var objects: [Sample] = []
    /// The reason for which there are no objects; nil where there are some.
    private(set) var problem: String?

    init() throws {
        let object: ObjectPlan
        if let model = Root.self as? any Model.Type {
            let found = try ModelPlan.of(model)
            (type, plan, object) = (.embedded(found.schema.name), .object(found.object), found.object)
        } else {
            let shape = try SchemaDeriver().shape(of: Root.self, member: "")
            (type, plan) = (shape.type, shape.plan)
            guard let found = shape.plan.object else { return }
            object = found
        }
        places = Self.places(of: object, below: [], mayBeNil: false)
        do {
            objects = [try Self.sample(of: places, changing: nil, object)]
        } catch {
            problem = "no sample object can be made: \(Self.text(of: error))"
            return
        }
        for index in places.indices where places[index].forms.count > 1 {
            // A type may refuse some values.
            if let sample = try? Self.sample(of: places, changing: index, object) { objects.append(sample) }
        }
    }

    private static func places(of object: ObjectPlan, below outer: [String], mayBeNil: Bool) -> [SamplePlace] {
        object.members.indices.flatMap { index -> [SamplePlace] in
            let member = object.members[index]
            let (isID, names) = (index == object.keyIndex, outer + [member.name])
            let isNilPossible = mayBeNil || !isID && (member.isOptional || member.type == .mixed)
            func place(_ forms: [BSON?]) -> SamplePlace {
                SamplePlace(
                    names: names, isID: isID, mayBeNil: isNilPossible, type: member.type, plan: member.value,
                    forms: forms)
            }
            if let inner = member.value.object {
                return [place([])] + places(of: inner, below: names, mayBeNil: isNilPossible)
            }
            var forms: [BSON?] = SampleForms.of(member)
            if forms.count == 1, member.isOptional { forms.append(nil) }
            return [place(forms)]
        }
    }

    // MARK: - Making

    private static func sample(of places: [SamplePlace], changing changed: Int?, _ plan: ObjectPlan) throws -> Sample {
        var body = MongoDocument()
        var id: BSON?
        for (index, place) in places.enumerated() {
            guard let form = index == changed ? place.forms[1] : place.forms.first ?? .document([:]) else { continue }
            if place.isID { id = form } else { set(form, at: place.names[...], in: &body) }
        }
        let key = try id.map { try DocumentKey.text(of: $0) } ?? ""
        guard let stored = StoredPlace(root: try body.stored()) else { throw StoredFormError() }
        let context = DecodingContext(id: key, database: nil, userInfo: [:])
        let value = try Root(from: StoredDecoder(stored, plan, context))
        let output = EncodingOutput(capacity: 256, userInfo: [:])
        let encoder = StoredEncoder(output, .object(plan))
        try value.encode(to: encoder)
        try encoder.end()
        guard let again = StoredPlace(root: output.writer.bytes) else { throw StoredFormError() }
        return Sample(value: value, id: key, stored: again)
    }

    private static func set(_ value: BSON, at names: ArraySlice<String>, in body: inout MongoDocument) {
        guard let name = names.first else { return }
        guard names.count > 1 else {
            body[name] = value
            return
        }
        var inner = MongoDocument()
        if case .document(let known)? = body[name] { inner = known }
        set(value, at: names.dropFirst(), in: &inner)
        body[name] = .document(inner)
    }

    private static func text(of error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        return DocumentCoding.place(error)
    }

    // MARK: - Comparing

    /// Returns whether values that were read from the objects are always those of a place.
    func holds(_ values: [Any], at place: SamplePlace) -> Bool {
        guard !objects.isEmpty else { return false }
        // Most places are told apart by the object in which they differ, which comes late.
        return zip(objects, values).reversed().allSatisfy { object, value in
            guard let value = value as? any Encodable else { return false }
            if place.isID {
                return (value as? any ModelKey).map { try? DocumentKey.text(of: $0.keyValue) } == object.id
            }
            guard let form = try? StoredForm.place(of: value, place.plan) else { return false }
            var stored: StoredPlace? = object.stored
            for name in place.names { stored = stored?.member(name) }
            guard let stored else { return form.isNull }
            return form.raw == stored.raw
        }
    }
}

/// A sample that isn't stored as it should be.
private struct StoredFormError: Error {}
