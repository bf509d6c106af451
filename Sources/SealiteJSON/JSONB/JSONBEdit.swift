/// Edits of JSONB at a path of any depth. Only elements on the path are decoded: an edit
/// replaces a range of the bytes and rewrites the headers of the enclosing containers.
///
/// Each edit returns the new bytes, or nil if it can't be made: the path leads nowhere, the bytes are damaged on the
/// path, or the result would be nested deeper than `JSONB.maximumDepth` or be too large for a header. New values must
/// be valid JSONB.
package enum JSONBEdit {
    /// Returns the element at a path from the root of JSONB; nil if there is none.
    package static func find(_ path: some Collection<JSONBStep>, in bytes: [UInt8]) -> JSONBElement? {
        let span = bytes.span
        var found = JSONBElement(root: span)
        for step in path { found = found.flatMap { place(step, of: $0, span)?.value } }
        return found
    }

    /// Returns the JSONB `bytes` with `value` at a path, in place of the present element; nil if that isn't possible. A
    /// member that its object doesn't contain is appended, whereas an item must exist. An empty path replaces the root.
    package static func set(_ value: [UInt8], at path: [JSONBStep], in bytes: [UInt8]) -> [UInt8]? {
        guard let last = path.last else { return depth(of: value).map { _ in value } }
        guard let chain = Chain(path.dropLast(), bytes), chain.hasRoom(for: value) else { return nil }
        let container = chain.container
        if let place = place(last, of: container, bytes.span) {
            return chain.replace(place.valueStart..<place.value.end, by: value)
        }
        guard case .member(let name) = last, container.type == JSONBType.object, isSound(container, bytes.span) else {
            return nil
        }
        var label = JSONBWriter(capacity: name.utf8.count + 8)
        label.string(name)
        return chain.replace(container.end..<container.end, by: label.bytes, value)
    }

    /// Returns the JSONB `bytes` without the member or item at a path; nil if that isn't possible.
    package static func remove(at path: [JSONBStep], in bytes: [UInt8]) -> [UInt8]? {
        guard let last = path.last, let chain = Chain(path.dropLast(), bytes),
            let place = place(last, of: chain.container, bytes.span)
        else { return nil }
        return chain.replace(place.start..<place.value.end)
    }

    /// Returns the JSONB `bytes` with an item inserted at the index that the path's last step names, before the present
    /// item; nil if that isn't possible. With the number of items as the index, the item is appended.
    package static func insert(_ value: [UInt8], at path: [JSONBStep], in bytes: [UInt8]) -> [UInt8]? {
        guard case .item(let index)? = path.last, let chain = Chain(path.dropLast(), bytes),
            chain.container.type == JSONBType.array, chain.hasRoom(for: value),
            let offset = offset(of: index, in: chain.container, bytes.span)
        else { return nil }
        return chain.replace(offset..<offset, by: value)
    }

    /// Returns the JSONB `bytes` with an item appended to the array at a path; nil if that isn't possible.
    package static func append(_ value: [UInt8], to path: [JSONBStep], in bytes: [UInt8]) -> [UInt8]? {
        guard let chain = Chain(path[...], bytes), chain.container.type == JSONBType.array,
            chain.hasRoom(for: value), isSound(chain.container, bytes.span)
        else { return nil }
        let end = chain.container.end
        return chain.replace(end..<end, by: value)
    }

    // MARK: - Positions

    /// A member or an item: the offsets of its start (a member starts with its name) and of its value's header, and the
    /// value.
    private struct Position {
        let start: Int
        let valueStart: Int
        let value: JSONBElement
    }

    private static func place(_ step: JSONBStep, of container: JSONBElement, _ bytes: borrowing Span<UInt8>)
        -> Position?
    {
        switch step {
        case .member(let name):
            guard container.type == JSONBType.object else { return nil }
            let key = Array(name.utf8)
            var offset = container.start
            while offset < container.end, let label = JSONBElement(bytes, at: offset, limit: container.end),
                let value = JSONBElement(bytes, at: label.end, limit: container.end)
            {
                if label.isString, label.end - label.start == key.count, label.hasPayload(key.span, in: bytes) {
                    return Position(start: offset, valueStart: label.end, value: value)
                }
                offset = value.end
            }
            return nil
        case .item(let index):
            guard container.type == JSONBType.array, let start = offset(of: index, in: container, bytes),
                let value = JSONBElement(bytes, at: start, limit: container.end)
            else { return nil }
            return Position(start: start, valueStart: start, value: value)
        }
    }

    /// Returns the offset of an array's item, or the array's end for the index after the last item; nil for other
    /// indices, or if an item before it is damaged.
    private static func offset(of index: Int, in array: JSONBElement, _ bytes: borrowing Span<UInt8>) -> Int? {
        guard index >= 0 else { return nil }
        var offset = array.start
        for _ in 0..<index {
            guard offset < array.end, let item = JSONBElement(bytes, at: offset, limit: array.end) else { return nil }
            offset = item.end
        }
        return offset
    }

    /// Returns whether a container consists of whole elements, and an object of pairs, so that an element can be
    /// appended.
    private static func isSound(_ container: JSONBElement, _ bytes: borrowing Span<UInt8>) -> Bool {
        var offset = container.start
        var count = 0
        while offset < container.end {
            guard let element = JSONBElement(bytes, at: offset, limit: container.end) else { return false }
            offset = element.end
            count += 1
        }
        return container.type == JSONBType.array || count.isMultiple(of: 2)
    }

    /// Returns the nesting depth of a value; nil if it isn't a single whole element, or nested too deep.
    private static func depth(of value: [UInt8]) -> Int? {
        guard let root = JSONBElement(root: value.span), root.end == value.count else { return nil }
        return depth(of: root, value.span, within: JSONB.maximumDepth)
    }

    private static func depth(of element: JSONBElement, _ bytes: borrowing Span<UInt8>, within limit: Int) -> Int? {
        guard element.type == JSONBType.array || element.type == JSONBType.object else { return 0 }
        guard limit > 0 else { return nil }
        var deepest = 0
        var offset = element.start
        while offset < element.end {
            guard let item = JSONBElement(bytes, at: offset, limit: element.end),
                let depth = depth(of: item, bytes, within: limit - 1)
            else { return nil }
            deepest = max(deepest, depth)
            offset = item.end
        }
        return deepest + 1
    }

    // MARK: - Ancestors

    /// An array or object on the path of an edit.
    private struct Level {
        let element: JSONBElement
        /// The offset at which the element's header starts.
        let start: Int
        /// The size of the container's payload in bytes after the edit; 0 until it is computed.
        var byteCount = 0
    }

    /// The arrays and objects from the root to the one that an edit changes.
    private struct Chain {
        private let bytes: [UInt8]
        /// The arrays and objects, the outermost first.
        private var levels: [Level]

        init?(_ path: ArraySlice<JSONBStep>, _ bytes: [UInt8]) {
            guard let root = JSONBElement(root: bytes.span), root.end == bytes.count,
                path.count < JSONB.maximumDepth
            else { return nil }
            (self.bytes, levels) = (bytes, [Level(element: root, start: 0)])
            for step in path {
                guard let place = place(step, of: container, bytes.span) else { return nil }
                levels.append(Level(element: place.value, start: place.valueStart))
            }
        }

        /// The array or object that the edit changes, the innermost one.
        var container: JSONBElement { levels[levels.count - 1].element }

        func hasRoom(for value: [UInt8]) -> Bool {
            depth(of: value).map { $0 + levels.count <= JSONB.maximumDepth } ?? false
        }

        /// Returns the bytes with a range of the innermost container's payload replaced by `first` and `second`, and
        /// with the headers of all containers on the path rewritten. Nil if a payload would be too large for a header.
        consuming func replace(_ range: Range<Int>, by first: [UInt8] = [], _ second: [UInt8] = []) -> [UInt8]? {
            var change = first.count + second.count - range.count
            // The headers are rewritten from the innermost to the outermost, since a longer header enlarges the
            // enclosing container.
            for index in levels.indices.reversed() {
                let element = levels[index].element
                let byteCount = element.end - element.start + change
                guard byteCount <= UInt32.max else { return nil }
                change += JSONBWriter.headerWidth(byteCount) - (element.start - levels[index].start)
                levels[index].byteCount = byteCount
            }
            var writer = JSONBWriter(capacity: bytes.count + change)
            for index in levels.indices {
                let element = levels[index].element
                writer.header(element.type, byteCount: levels[index].byteCount)
                let next = index + 1 < levels.count ? levels[index + 1].start : range.lowerBound
                writer.raw(bytes.span, element.start, next)
            }
            writer.raw(first.span, 0, first.count)
            writer.raw(second.span, 0, second.count)
            writer.raw(bytes.span, range.upperBound, bytes.count)
            return writer.bytes
        }
    }
}

/// A step of a path into JSONB: from an object to one of its members, or from an array to one of its items.
package enum JSONBStep: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// The member of an object with this name, compared by its bytes.
    case member(String)
    /// The item of an array at this index, from 0.
    case item(Int)

    package init(stringLiteral name: String) { self = .member(name) }
    package init(integerLiteral index: Int) { self = .item(index) }
}
