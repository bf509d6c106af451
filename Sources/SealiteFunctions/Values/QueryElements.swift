import SealiteJSON

/// The items of an array or the members of an object in sequence, up to damaged bytes.
@safe struct QueryElements {
    private let content: QueryBytes
    private var offset = 0
    private var count = 0

    /// An item of an array or a member of an object.
    @safe struct Element {
        /// The element's index in the array or object, from 0.
        let index: Int
        /// The name of the object's member; nil for an item of an array.
        let name: QueryBytes?
        let value: FunctionValue
        /// The value's JSONB element, with its range in the payload of the array or object.
        let place: JSONBElement
    }

    /// Creates the elements of an array or an object; empty for other values.
    init(of value: FunctionValue) {
        switch value {
        case .array(let content), .object(let content): self.content = content
        default: content = unsafe QueryBytes(UnsafeBufferPointer(start: nil, count: 0), JSONBType.array)
        }
    }

    /// Creates the elements of the payload of an array or an object.
    init(_ content: QueryBytes) { self.content = content }

    /// Returns the next element; nil after the last one.
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
            let value = unsafe FunctionValue(place, in: bytes)
        else { return nil }
        offset = place.end
        count += 1
        return Element(index: count - 1, name: name, value: value, place: place)
    }
}
