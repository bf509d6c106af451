internal import SealiteJSON

/// The items of an array that is being decoded.
struct StoredItems: UnkeyedDecodingContainer {
    private let decoder: StoredDecoder
    private let itemPlan: ValuePlan
    private var offset: Int
    private(set) var currentIndex = 0

    init(decoder: StoredDecoder) {
        (self.decoder, itemPlan, offset) = (decoder, decoder.plan.items, decoder.place.element.start)
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? {
        let bytes = decoder.place.bytes
        return decoder.place.element.itemCount(in: bytes.span)
    }
    var isAtEnd: Bool { item == nil }

    /// The next item; nil after the last one and at damaged bytes.
    private var item: StoredElement? {
        let (bytes, end) = (decoder.place.bytes, decoder.place.element.end)
        return JSONBElement(bytes.span, at: offset, limit: end).map { StoredElement(bytes, $0) }
    }

    /// Reads the next item. If it can't be read, the position doesn't change.
    private mutating func next<T>(_ type: T.Type, _ read: (StoredElement, MemberKey) throws -> T) throws -> T {
        guard let item else {
            throw DecodingError.valueNotFound(
                type,
                .init(
                    codingPath: decoder.path(MemberKey(currentIndex)), debugDescription: "the array has no more items"))
        }
        let value = try read(item, MemberKey(currentIndex))
        offset = item.element.end
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard let item, item.isNull else { return false }
        offset = item.element.end
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let (decoder, plan) = (decoder, itemPlan)
        return try next(type) { try decoder.read(type, at: $0, plan, $1) }
    }

    private mutating func below() throws -> StoredDecoder {
        let (decoder, plan) = (decoder, itemPlan)
        return try next(StoredDecoder.self) { StoredDecoder($0, plan, below: decoder, $1) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try below().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try below().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try below() }
}
