internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// Objects of a type that differ in one member each, by which the member of a key path is determined.
struct SampleObjects<Root: Codable> {
    /// An object with its ID and its stored form. Comparing what a key path reads from such objects shows which member
    /// the key path leads to.
    struct Sample {
        let value: Root
        let id: String
        let stored: StoredElement
        /// The index in ``places`` of the position at which the object has the second sample value; nil for the first
        /// object, which has the first sample value at each position.
        let changed: Int?
    }

    /// The schema type of the sample objects.
    let type: PropertyType
    let plan: ValuePlan
    /// The positions in objects of the type; a position precedes the positions inside it.
    private(set) var places: [SamplePosition] = []
    /// The objects: first the one that has the first sample value at each position, then for each position with two
    /// sample values an object that has the second one there.
    private(set) var objects: [Sample] = []
    /// The reason why no object could be made; nil if ``objects`` isn't empty, and for a type whose values aren't
    /// objects.
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
        Self.addPlaces(of: object, below: [], mayBeNil: false, to: &places)
        do {
            objects = [try Self.sample(of: places, changing: nil, object)]
        } catch {
            problem = "no sample object can be made: \(Self.text(of: error))"
            return
        }
        for index in places.indices where places[index].forms.count > 1 {
            // The type may not accept the second form.
            if let sample = try? Self.sample(of: places, changing: index, object) { objects.append(sample) }
        }
    }

    /// The number of positions above which embedded objects aren't entered, because types that use each other many
    /// times have as many positions as there are paths through them.
    private static var placeCount: Int { 200 }

    private static func addPlaces(
        of object: ObjectPlan, below outer: [String], mayBeNil: Bool, to places: inout [SamplePosition]
    ) {
        for (index, member) in object.members.enumerated() {
            let (isID, names) = (index == object.keyIndex, outer + [member.name])
            let isNilPossible = mayBeNil || !isID && (member.isOptional || member.type == .mixed)
            func add(_ forms: [BSON?]) {
                places.append(
                    SamplePosition(
                        names: names, isID: isID, mayBeNil: isNilPossible, type: member.type, plan: member.value,
                        forms: forms))
            }
            if let inner = member.value.object {
                guard places.count < placeCount else {
                    add([member.isOptional ? nil : .document(SampleForms.base(of: inner))])
                    continue
                }
                add([.document([:])])
                addPlaces(of: inner, below: names, mayBeNil: isNilPossible, to: &places)
            } else {
                var forms: [BSON?] = SampleForms.of(member)
                if forms.count == 1, member.isOptional { forms.append(nil) }
                add(forms)
            }
        }
    }

    // MARK: - Making

    private static func sample(of places: [SamplePosition], changing changed: Int?, _ plan: ObjectPlan) throws -> Sample
    {
        var body = MongoDocument()
        var id: BSON?
        for (index, place) in places.enumerated() {
            guard let form = index == changed ? place.forms[1] : place.forms.first ?? nil else { continue }
            if place.isID { id = form } else { set(form, at: place.names[...], in: &body) }
        }
        let key = try id.map { try DocumentKey.text(of: $0) } ?? ""
        guard let stored = StoredElement(root: try body.stored()) else { throw StoredFormError() }
        let context = DecodingContext(id: key, database: nil, userInfo: [:])
        let value = try Root(from: StoredDecoder(stored, plan, context))
        let output = EncodingOutput(capacity: 256, userInfo: [:])
        let encoder = StoredEncoder(output, .object(plan))
        try value.encode(to: encoder)
        try encoder.end()
        guard let again = StoredElement(root: output.writer.bytes) else { throw StoredFormError() }
        return Sample(value: value, id: key, stored: again, changed: changed)
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

    /// Returns the positions whose stored value equals the value that a closure reads in every sample object.
    func places(of read: (Root) -> Any) -> [SamplePosition] {
        let values = objects.map { read($0.value) as? any Encodable }
        guard let first = values.first else { return [] }
        let form = Self.form(of: first, .plain)
        // The indices of the objects in which the read value differs from the value in the first object.
        let differing = values.indices.filter { Self.form(of: values[$0], .plain) != form }
        return places.filter { place in
            let expected = objects.indices.filter { index in
                objects[index].changed.map { places[$0].names.starts(with: place.names) } ?? false
            }
            return expected == differing && zip(objects, values).allSatisfy { Self.holds($1, in: $0, at: place) }
        }
    }

    /// Returns whether a value that was read from an object equals the object's stored value at a position.
    private static func holds(_ value: (any Encodable)?, in object: Sample, at place: SamplePosition) -> Bool {
        guard let value else { return false }
        if place.isID { return (value as? any ModelKey).map { try? DocumentKey.text(of: $0.keyValue) } == object.id }
        var stored: StoredElement? = object.stored
        for name in place.names { stored = stored?.member(name) }
        return form(of: value, place.plan) == (stored?.raw ?? [JSONBType.null])
    }

    private static func form(of value: (any Encodable)?, _ plan: ValuePlan) -> [UInt8]? {
        guard let value else { return nil }
        return (try? StoredForm.place(of: value, plan)).map { $0?.raw ?? [JSONBType.null] }
    }
}

/// The error for a sample object (see ``SampleObjects``) whose encoded bytes can't be read as a stored element.
private struct StoredFormError: Error {}
