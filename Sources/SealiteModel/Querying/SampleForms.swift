internal import Foundation
internal import SealiteJSON
internal import SealiteValues

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
