import SealiteJSON

/// The items of an array or the members of an object one after another, up to damaged bytes.
@safe struct QueryElements {
    private let content: QueryBytes
    private var offset = 0
    private var count = 0

    /// One of them.
    @safe struct Element {
        /// Its index.
        let index: Int
        /// The name of an object's member.
        let name: QueryBytes?
        let value: QueryValue
        /// The place of the value in the container's payload.
        let place: JSONBElement
    }

    /// The elements of an array or an object; none of anything else.
    init(of value: QueryValue) {
        switch value {
        case .array(let content), .object(let content): self.content = content
        default: content = unsafe QueryBytes(UnsafeBufferPointer(start: nil, count: 0), JSONBType.array)
        }
    }

    /// The elements of an array's or an object's payload.
    init(_ content: QueryBytes) { self.content = content }

    /// The next one; nil behind the last one.
    @inline(__always)
    mutating func next() -> Element? {
        let bytes = unsafe content.payload
        let limit = bytes.count
        var name: QueryBytes?
        var start = offset
        if content.type == JSONBType.object {
            guard let label = unsafe JSONBElement(bytes.span, at: start, limit: limit), label.isString else {
                return nil
            }
            name = unsafe QueryBytes(UnsafeBufferPointer(rebasing: bytes[label.start..<label.end]), label.type)
            start = label.end
        }
        guard let place = unsafe JSONBElement(bytes.span, at: start, limit: limit),
            let value = unsafe QueryValue(place, in: bytes)
        else { return nil }
        offset = place.end
        count += 1
        return Element(index: count - 1, name: name, value: value, place: place)
    }
}
