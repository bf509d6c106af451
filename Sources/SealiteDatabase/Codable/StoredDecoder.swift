internal import FoundationEssentials
internal import SealiteJSON
internal import SealiteValues

/// Decodes one stored value. Members are found in place, mostly directly after the previously decoded one; memory is
/// allocated only for the values of the Swift type.
package final class StoredDecoder: Decoder {
    let place: StoredElement
    let plan: ValuePlan
    let context: DecodingContext
    private let parent: StoredDecoder?
    private let key: (any CodingKey)?
    /// The offset in the body at which the search for the next member starts.
    private var offset: Int
    /// The index, in the plan of the object's members, of the member that the type is expected to request next.
    private var expected = 0
    /// The name of the member whose value is the document's ID; nil if there is none, and for values inside a document.
    private let keyName: String?

    /// Creates the decoder of a document.
    package init(_ place: StoredElement, _ plan: ObjectPlan, _ context: DecodingContext) {
        (self.place, self.plan, self.context) = (place, .object(plan), context)
        (parent, key, offset, keyName) = (nil, nil, place.element.start, plan.keyName)
    }

    /// Creates the decoder of a value inside another decoder's value.
    init(_ place: StoredElement, _ plan: ValuePlan, below parent: StoredDecoder, _ key: any CodingKey) {
        (self.place, self.plan, context) = (place, plan, parent.context)
        (self.parent, self.key, offset, keyName) = (parent, key, place.element.start, nil)
    }

    package var codingPath: [any CodingKey] {
        guard let parent, let key else { return [] }
        return parent.codingPath + [key]
    }

    package var userInfo: [CodingUserInfoKey: Any] { context.userInfo }

    // MARK: - Containers

    package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard place.element.type == JSONBType.object else { throw mismatch([String: Any].self) }
        return KeyedDecodingContainer(StoredMembers<Key>(decoder: self))
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard place.element.type == JSONBType.array else { throw mismatch([Any].self) }
        return StoredItems(decoder: self)
    }

    package func singleValueContainer() -> any SingleValueDecodingContainer { StoredSingle(decoder: self) }

    // MARK: - Members

    /// The names of the members of the object that is decoded, up to the first damaged one.
    var names: [String] {
        let bytes = place.bytes
        var (names, offset) = ([String](), place.element.start)
        while let member = ObjectMember(bytes.span, at: offset, limit: place.element.end) {
            names.append(member.name.text(in: bytes.span))
            offset = member.value.end
        }
        return names
    }

    /// Returns the value of the member with a stored name in the object that is decoded; nil if there is none.
    func find(_ name: String) -> StoredElement? {
        var name = name
        let (bytes, element) = (place.bytes, place.element)
        let found = name.withUTF8 { utf8 in
            let (name, bytes) = (unsafe utf8.span, bytes.span)
            return Self.find(name, bytes, from: offset, limit: element.end, before: element.end)
                ?? Self.find(name, bytes, from: element.start, limit: element.end, before: offset)
        }
        guard let found else { return nil }
        offset = found.end
        return StoredElement(bytes, found)
    }

    @inline(__always)
    private static func find(
        _ name: borrowing Span<UInt8>, _ bytes: borrowing Span<UInt8>, from start: Int, limit: Int, before end: Int
    ) -> JSONBElement? {
        var offset = start
        while offset < end, let member = ObjectMember(bytes, at: offset, limit: limit) {
            if member.name.end - member.name.start == name.count, member.name.hasPayload(name, in: bytes) {
                return member.value
            }
            offset = member.value.end
        }
        return nil
    }

    /// Returns the plan of a member that a type requests; nil if the type's plan doesn't have it.
    func plan(of name: String) -> MemberPlan? {
        guard let plan = plan.object, let place = plan.place(of: name, expected: expected) else { return nil }
        expected = place + 1
        return plan.members[place]
    }

    /// Returns the stored value of a member: the value under its name or under an earlier name, or the substitute if
    /// the member is absent or null; nil if it is absent and has no substitute. The member with the name of the ID has
    /// the document's ID, even if the body has a member with this name.
    func member(_ name: String) throws -> StoredElement? {
        if let keyName, ExactText.areSame(keyName, name) { return try keyPlace() }
        guard let found = find(name) else { return try absent(name) }
        guard found.isNull, let member = plan(of: name) else { return found }
        return try substituteForNull(member, found)
    }

    private func absent(_ name: String) throws -> StoredElement? {
        guard let member = plan(of: name) else { return nil }
        for earlier in member.renamedFrom {
            guard let found = find(earlier) else { continue }
            return found.isNull ? try substituteForNull(member, found) : found
        }
        return try substitute(member)
    }

    /// Returns the substitute of a member whose value is null, or null if it has no substitute. Null is a value of
    /// mixed members, which need no substitute.
    private func substituteForNull(_ member: MemberPlan, _ found: StoredElement) throws -> StoredElement {
        if case .mixed = member.value { return found }
        return try substitute(member) ?? found
    }

    /// Returns the substitute of an absent member: its default or an empty value; nil if the member is optional or has
    /// no substitute.
    private func substitute(_ member: MemberPlan) throws -> StoredElement? {
        guard !member.isOptional else { return nil }
        switch member.absent {
        case .constant(let bytes): return StoredElement(root: bytes)
        case .fresh(let make): return StoredElement(root: try make())
        case nil: return Self.empty(of: member.value)
        }
    }

    private static let emptyArray = StoredElement(root: [JSONBType.array])
    private static let emptyObject = StoredElement(root: [JSONBType.object])
    private static let null = StoredElement(root: [JSONBType.null])

    /// Returns the empty value that stands for an absent member; nil if its type has none. Peers don't distinguish
    /// absent from empty lists and objects.
    private static func empty(of value: ValuePlan) -> StoredElement? {
        switch value {
        case .array, .set: emptyArray
        case .dictionary, .object: emptyObject
        case .mixed: null
        case .plain, .own, .link: nil
        }
    }

    /// Returns the document's ID as a stored value.
    private func keyPlace() throws -> StoredElement? {
        var writer = JSONBWriter(capacity: 48)
        let id = context.id
        if id.utf8.first != UInt8(ascii: "$") {
            writer.string(id)
            return StoredElement(root: writer.bytes)
        }
        switch DocumentKey.value(of: id) {
        case .int32(let number): writer.integer(Int64(number))
        case .int64(let number): writer.integer(number)
        case let value: return StoredElement(root: try value.stored())
        }
        return StoredElement(root: writer.bytes)
    }

    // MARK: - Errors, which contain no values

    func path(_ key: (any CodingKey)?) -> [any CodingKey] { key.map { codingPath + [$0] } ?? codingPath }

    func mismatch(_ type: Any.Type, _ key: (any CodingKey)? = nil, _ place: StoredElement? = nil) -> DecodingError {
        if (place ?? self.place).isNull {
            return .valueNotFound(type, .init(codingPath: path(key), debugDescription: "the stored value is null"))
        }
        return .typeMismatch(
            type, .init(codingPath: path(key), debugDescription: "the stored value isn't a value of \(type)"))
    }

    func missing(_ type: Any.Type, _ key: any CodingKey) -> DecodingError {
        .keyNotFound(key, .init(codingPath: codingPath, debugDescription: "there is no such member"))
    }
}

/// The state that all decoders of one document share.
package final class DecodingContext {
    /// The document's ID.
    let id: String
    /// The database from which the content of blobs is read; nil if there is none.
    let database: Database?
    let userInfo: [CodingUserInfoKey: any Sendable]
    /// Reads values of types that only the calling layer knows.
    let reading: Reading?

    package init(
        id: String, database: Database?, userInfo: [CodingUserInfoKey: any Sendable], reading: Reading?
    ) {
        (self.id, self.database, self.userInfo, self.reading) = (id, database, userInfo, reading)
    }

    /// Returns a stored value as a value of a type that only the calling layer knows: nil if it doesn't know the type, and
    /// `.some(nil)` if the stored value can't be read as the type.
    package typealias Reading = @Sendable (any Decodable.Type, StoredElement) throws -> (any Decodable)??
}

extension StoredDecoder {
    /// Reads a value of any type: a type with a stored form of its own is read from this form, any other type through
    /// its `Decodable` conformance.
    func read<T: Decodable>(
        _ type: T.Type, at place: StoredElement, _ plan: ValuePlan, _ key: (any CodingKey)?
    ) throws -> T {
        guard plan.hasOwnForm else { return try T(from: decoder(place, plan, key)) }
        if type == String.self { return try same(place.string, type, key, place) }
        if type == Int.self { return try same(place.integer(Int.self), type, key, place) }
        if type == Double.self { return try same(place.double, type, key, place) }
        if type == Bool.self { return try same(place.bool, type, key, place) }
        if type == ObjectID.self { return try same(place.objectID, type, key, place) }
        if type == Date.self { return try same(place.date, type, key, place) }
        if type == UUID.self { return try same(place.uuid, type, key, place) }
        if type == Value.self { return try same(place.value(context.database), type, key, place) }
        if type == Decimal128.self { return try same(place.decimal128, type, key, place) }
        if type == Data.self { return try same(place.data, type, key, place) }
        if type == [UInt8].self { return try same(place.binary?.bytes, type, key, place) }
        if let found = try rareScalar(type, place) {
            guard let value = found else { throw mismatch(type, key, place) }
            return value
        }
        return try T(from: decoder(place, plan, key))
    }

    /// Returns the decoder for a value of a type that reads its content itself (`init(from:)`).
    private func decoder(_ place: StoredElement, _ plan: ValuePlan, _ key: (any CodingKey)?) -> StoredDecoder {
        key.map { StoredDecoder(place, plan.inside, below: self, $0) } ?? self
    }

    /// Returns a value as `T`, which is the value's own type. The cast isn't to an optional type, whose metadata the
    /// runtime would look up each time.
    ///
    /// - Throws: `DecodingError` if the value is nil.
    @inline(__always)
    private func same<Own, T>(
        _ value: Own?, _ type: T.Type, _ key: (any CodingKey)?, _ place: StoredElement
    ) throws -> T {
        guard let value, let same = value as? T else { throw mismatch(type, key, place) }
        return same
    }

    /// Reads a value of one of the rarer types with a stored form of their own.
    ///
    /// - Returns: nil if `type` isn't one of these types; `.some(nil)` if it is, but the stored value is of another
    ///   type.
    private func rareScalar<T: Decodable>(_ type: T.Type, _ place: StoredElement) throws -> T?? {
        switch type {
        case is Decimal.Type: return .some(place.decimal as? T)
        case is URL.Type: return .some(place.string.flatMap { URL(string: $0) } as? T)
        case is DictionaryObject.Type: return .some(place.value(context.database)?.object as? T)
        case is ArrayObject.Type: return .some(place.value(context.database)?.array as? T)
        case is Blob.Type: return .some(place.value(context.database)?.blob as? T)
        case is any BSONConvertible.Type: return .some(converted(type, place))
        default:
            guard let reading = context.reading, let found = try reading(type, place) else { return nil }
            return .some(found as? T)
        }
    }

    private func converted<T>(_ type: T.Type, _ place: StoredElement) -> T? {
        guard let type = type as? any BSONConvertible.Type, let bson = place.bson else { return nil }
        return type.init(bson: bson) as? T
    }
}

extension StoredDecoder {
    /// Decodes a stored value as a value of a type, without a plan.
    package static func value<T: Decodable>(
        _ type: T.Type, at place: StoredElement, reading: DecodingContext.Reading? = nil
    ) throws -> T {
        let context = DecodingContext(id: "", database: nil, userInfo: [:], reading: reading)
        let decoder = StoredDecoder(place, ObjectPlan(name: "", members: []), context)
        return try decoder.read(type, at: place, .plain, nil)
    }
}
