internal import Foundation
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
        let context = DecodingContext(.models(), id: .key(key))
        let value = try StoredDecoder.value(Root.self, at: stored, context, .object(plan))
        let encoded = try StoredEncoder.encode(value, .models(), .object(plan))
        guard let again = StoredElement(root: encoded.body) else { throw StoredFormError() }
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

/// Sample values of members, in their stored form. Two values of a member suffice to distinguish it from other members.
enum SampleForms {
    /// Returns two values of a member with different stored forms; fewer if the member's type doesn't have two.
    static func of(_ member: MemberPlan) -> [BSON] {
        var candidates = forms(of: member.swiftType, member.type, member.value)
        if case .constant(let bytes)? = member.absent, let value = StoredElement(root: bytes)?.bson {
            candidates.insert(value, at: 0)
        }
        return distinct(candidates, member.swiftType, member.value)
    }

    /// Returns the first two values that the type can read and writes differently.
    private static func distinct(_ candidates: [BSON], _ type: Any.Type, _ plan: ValuePlan) -> [BSON] {
        guard let type = type as? any Codable.Type else { return Array(candidates.prefix(2)) }
        var (found, forms): ([BSON], [[UInt8]]) = ([], [])
        for candidate in candidates where found.count < 2 {
            guard let form = rewritten(candidate, type, plan), !forms.contains(form) else { continue }
            found.append(candidate)
            forms.append(form)
        }
        return found
    }

    /// Returns the stored form that results from decoding and encoding a value; nil if the type can't decode it.
    private static func rewritten<T: Codable>(_ value: BSON, _ type: T.Type, _ plan: ValuePlan) -> [UInt8]? {
        guard let stored = try? value.stored(), let place = StoredElement(root: stored),
            let value = try? StoredDecoder.value(type, at: place)
        else { return nil }
        return (try? StoredForm.place(of: value, plan))?.raw
    }

    /// Returns the values from which the sample values of a type are chosen, in their stored form. The Swift type may
    /// be unable to read some of them.
    private static func forms(of type: Any.Type, _ property: PropertyType, _ plan: ValuePlan) -> [BSON] {
        let cases = (type as? any CaseIterable.Type).map { Self.cases(of: $0) } ?? []
        switch property {
        case .array(let item), .set(let item):
            let itemType: Any.Type =
                (type as? any DerivedArray.Type)?.item ?? (type as? any DerivedSet.Type)?.item ?? Any.self
            return [.array([])] + items(itemType, item, plan.items).map { .array([$0]) }
        case .dictionary(let item):
            let itemType: Any.Type = (type as? any DerivedDictionary.Type)?.item ?? Any.self
            return [.document([:])] + items(itemType, item, plan.items).map { .document(["key": $0]) }
        case .link(_, let key): return scalars(key)
        default: return cases + scalars(property)
        }
    }

    /// Returns one sample value for the items of a list or set, or the values of a dictionary; none if there is no
    /// value that their type can read.
    private static func items(_ type: Any.Type, _ property: PropertyType, _ plan: ValuePlan) -> [BSON] {
        if let object = plan.object { return [.document(base(of: object))] }
        let wrapped: Any.Type = (type as? any DerivedOptional.Type)?.wrapped ?? type
        return Array(distinct(forms(of: wrapped, property, plan), wrapped, plan).prefix(1))
    }

    /// Returns an embedded object with the first sample value of each required member.
    static func base(of object: ObjectPlan) -> MongoDocument {
        var document = MongoDocument()
        for member in object.members where !member.isOptional {
            document[member.name] =
                switch member.type {
                case .array, .set: .array([])
                case .dictionary: .document([:])
                default: member.value.object.map { .document(base(of: $0)) } ?? of(member).first
                }
        }
        return document
    }

    private static func cases<T: CaseIterable>(of type: T.Type) -> [BSON] {
        type.allCases.prefix(2).compactMap { value in
            guard let value = value as? any Encodable else { return nil }
            return (try? StoredForm.place(of: value, .plain))?.bson
        }
    }

    /// Returns the values from which the sample values of a schema type are chosen; the Swift type may be unable to
    /// read some of them.
    private static func scalars(_ type: PropertyType) -> [BSON] {
        switch type {
        case .bool: [.bool(false), .bool(true)]
        case .int, .long: (1...16).map { .int32($0) } + [.int32(0)]
        case .double: [.double(1.5), .double(2.5)]
        case .string:
            [" Ab-1 ", " Cd-2 ", "", "1", "2", "a/b", "2001-01-01T00:00:00Z", "2002-01-01T00:00:00Z"].map {
                .string($0)
            }
        case .data: [.binary(Binary([1])), .binary(Binary([2]))]
        case .date: [.datetime(DateTime(milliseconds: 1_000)), .datetime(DateTime(milliseconds: 2_000))]
        case .decimal128: [.decimal128(Decimal128(1)), .decimal128(Decimal128(2))]
        case .objectID: bytes(ObjectID.byteCount).compactMap { ObjectID(bytes: $0).map { .objectID($0) } }
        case .uuid: bytes(16).map { .binary(Binary($0, subtype: Binary.uuidSubtype)) }
        case .geoPoint:
            [1, 2].map { .document(["type": "Point", "coordinates": .array([.double($0), .double($0)])]) }
        case .mixed, .embedded, .link, .array, .set, .dictionary: mixed
        }
    }

    private static func bytes(_ count: Int) -> [[UInt8]] { [1, 2].map { [UInt8](repeating: $0, count: count) } }

    private static var mixed: [BSON] {
        let scalars: [BSON] = [1, 2, "a", "b"]
        let others: [BSON] = [
            .timestamp(Timestamp(seconds: 1, increment: 0)), .timestamp(Timestamp(seconds: 2, increment: 0)),
            .regex(Regex("a")), .regex(Regex("b")),
        ]
        return scalars + scalars.prefix(2).map { .array([$0]) } + scalars.prefix(2).map { .document(["key": $0]) }
            + others
    }
}

/// Converts Swift values to the stored form that they have as members of an object.
enum StoredForm {
    /// An object with one member.
    private struct Holder<V: Encodable>: Encodable {
        let value: V

        static var name: String { "value" }
    }

    /// Returns the stored form of a value; nil if the value is nil.
    ///
    /// - Throws: the errors of encoding the value.
    static func place<V: Encodable>(of value: V, _ plan: ValuePlan) throws -> StoredElement? {
        let member = MemberPlan(Holder<V>.name, plan, isOptional: false)
        let plan = ValuePlan.object(ObjectPlan(name: "", members: [member]))
        let encoded = try StoredEncoder.encode(Holder(value: value), .models(), plan, capacity: 64)
        return StoredElement(root: encoded.body)?.member(Holder<V>.name)
    }
}
