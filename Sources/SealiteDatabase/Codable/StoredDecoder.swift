internal import FoundationEssentials
internal import SealiteJSON
package import SealiteValues

/// Decodes one stored value. Members are found in place, mostly directly after the previously decoded one; memory is
/// allocated only for the values of the Swift type.
package final class StoredDecoder: Decoder {
    let place: StoredElement
    let plan: ValuePlan
    let context: DecodingContext
    var api: CodingRules.API { place.api }
    private let parent: StoredDecoder?
    private let key: (any CodingKey)?
    /// The offset in the body at which the search for the next member starts.
    private var offset: Int
    /// The index, in the plan of the object's members, of the member that the type is expected to request next.
    private var expected = 0
    /// The name of the member whose value is the document's ID; nil if there is none, and for values inside a document.
    private let keyName: String?

    /// Creates the decoder of a document.
    package init(_ place: StoredElement, _ plan: ValuePlan, _ context: DecodingContext) {
        (self.place, self.plan, self.context) = (place, plan, context)
        (parent, key, offset) = (nil, nil, place.element.start)
        keyName =
            switch context.id {
            case .none: nil
            case .key: plan.object?.keyName
            case .text: "id"
            case .value: "_id"
            }
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

    package var userInfo: [CodingUserInfoKey: Any] { context.rules.userInfo }

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

    /// The names of the members of the object that is decoded, up to the first damaged one, with that of the document's
    /// ID unless it is an object's.
    var names: [String] {
        let bytes = place.bytes
        var (names, offset) = ([String](), place.element.start)
        if let keyName, api == .mongo { names.append(keyName) }
        while let member = ObjectMember(bytes.span, at: offset, limit: place.element.end) {
            names.append(member.name.text(in: bytes.span))
            offset = member.value.end
        }
        if let keyName, api == .documents, find(keyName) == nil { names.append(keyName) }
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
        return StoredElement(bytes, found, api)
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
    /// the document's ID.
    func member(_ name: String) throws -> StoredElement? {
        if let keyName, ExactText.areSame(keyName, name), let id = try keyPlace(keyName) { return id }
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

    /// Returns the document's ID as a stored value; nil if a document's body has a member of the name.
    private func keyPlace(_ name: String) throws -> StoredElement? {
        var writer = JSONBWriter(capacity: 48)
        switch context.id {
        case .none: return nil
        case .text(let id):
            guard find(name) == nil else { return nil }
            writer.string(id)
        case .key(let id) where id.utf8.first != UInt8(ascii: "$"): writer.string(id)
        case .key(let id):
            switch DocumentKey.value(of: id) {
            case .int32(let number): writer.integer(Int64(number))
            case .int64(let number): writer.integer(number)
            case let value: return StoredElement(root: try value.stored(), api)
            }
        case .value(let id): return StoredElement(root: try id.stored(), api)
        }
        return StoredElement(root: writer.bytes, api)
    }

    // MARK: - Errors, which contain no values

    func path(_ key: (any CodingKey)?) -> [any CodingKey] { key.map { codingPath + [$0] } ?? codingPath }

    /// Returns the error for a value that isn't a container of the kind that is requested.
    private func mismatch(_ type: Any.Type) -> DecodingError { error(type, nil, place) }

    /// Returns the error for a stored value that can't be read as a type: it is null, it is a number that the type
    /// can't represent, or it has another type.
    private func error(_ type: Any.Type, _ key: (any CodingKey)?, _ place: StoredElement) -> DecodingError {
        let path = path(key)
        if place.isNull {
            return .valueNotFound(type, .init(codingPath: path, debugDescription: "the stored value is null"))
        }
        if type is any Numeric.Type, place.isNumeric {
            return .dataCorrupted(
                .init(codingPath: path, debugDescription: "\(type) can't represent the stored number"))
        }
        return .typeMismatch(
            type, .init(codingPath: path, debugDescription: "the value has the BSON type \(place.typeName)"))
    }

    /// Returns the number from which a document's ID was made, if a type requests it: an ID is a text, also in a
    /// query's row.
    ///
    /// - Throws: the error for a stored value that can't be read as the type.
    func unread<T>(_ type: T.Type, _ key: (any CodingKey)?, _ place: StoredElement) throws -> T {
        let path = path(key)
        guard api == .documents, path.count == 1, path[0].stringValue == "id", let text = place.string,
            let number = (type as? any FixedWidthInteger.Type)?.init(text) as? T
        else { throw error(type, key, place) }
        return number
    }

    func missing(_ key: any CodingKey) -> DecodingError {
        .keyNotFound(key, .init(codingPath: codingPath, debugDescription: "there is no such member"))
    }
}

/// The state that all decoders of one document share.
package final class DecodingContext {
    /// The ID of a document, which isn't a member of its body.
    package enum ID {
        /// There is no document, or its ID isn't read.
        case none
        /// The primary key of an object, as the text that is the document's ID.
        case key(String)
        /// The member `id` of a document that has no member of this name.
        case text(String)
        /// The member `_id`, the first one.
        case value(BSON)
    }

    let id: ID
    /// The database from which the content of blobs is read; nil if there is none.
    let database: Database?
    let rules: CodingRules

    package init(_ rules: CodingRules, id: ID = .none, database: Database? = nil) {
        (self.rules, self.id, self.database) = (rules, id, database)
    }
}

extension StoredDecoder {
    /// Decodes the value of a body, or another stored value, as a value of a type.
    package static func value<T: Decodable>(
        _ type: T.Type, at place: StoredElement, _ context: DecodingContext, _ plan: ValuePlan = .plain
    ) throws -> T {
        try StoredDecoder(place, plan, context).read(type, at: place, plan, nil)
    }

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
        if let found = try rareValue(type, place, key) {
            guard let value = found else { return try unread(type, key, place) }
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
        guard let value, let same = value as? T else { return try unread(type, key, place) }
        return same
    }

    /// Reads a value of one of the rarer types with a stored form of their own.
    ///
    /// - Returns: nil if `type` isn't one of these types, or has another form too and the stored value may be that;
    ///   `.some(nil)` if the stored value can't be read as the type.
    private func rareValue<T: Decodable>(
        _ type: T.Type, _ place: StoredElement, _ key: (any CodingKey)?
    ) throws -> T?? {
        switch type {
        case let type as any FixedWidthInteger.Type: return .some(place.integer(type) as? T)
        case is Float.Type: return .some(place.float as? T)
        case is [UInt8].Type where api == .models || place.element.type != JSONBType.array:
            return .some(place.binaryBytes as? T)
        case is URL.Type where place.element.isString: return .some(place.string.flatMap { URL(string: $0) } as? T)
        case is Decimal.Type: return .some(place.decimal as? T)
        case is DictionaryObject.Type: return .some(place.value(context.database)?.object as? T)
        case is ArrayObject.Type: return .some(place.value(context.database)?.array as? T)
        case is Blob.Type: return .some(place.value(context.database)?.blob as? T)
        case let type as any BSONConvertible.Type:
            return .some(bson(at: place, key).flatMap { type.init(bson: $0) } as? T)
        default:
            guard let reading = context.rules.reading, let found = try reading(type, place) else { return nil }
            return .some(found as? T)
        }
    }

    /// Returns a stored value as BSON: of a whole document, with its `_id`.
    private func bson(at place: StoredElement, _ key: (any CodingKey)?) -> BSON? {
        guard parent == nil, key == nil, case .value(let id) = context.id,
            let document = MongoDocument(stored: place.element, in: place.bytes.span)
        else { return place.bson }
        return .document(MongoDocument([.init("_id", id)] + document.members))
    }
}

extension StoredDecoder: BSONCoder {
    package var hasOwnForms: Bool { plan.hasOwnForm }
}
