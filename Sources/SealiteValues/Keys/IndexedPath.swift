package import SealiteJSON

/// A path through documents and arrays as MongoDB's filters have it: names with points between them, of which some may be places in arrays.
package struct IndexedPath: Sendable {
    private struct Step: Sendable {
        let name: [UInt8]
        /// The place in an array that the name stands for; nil where it stands for none.
        let place: Int?

        init(_ name: some Collection<UInt8>) {
            self.name = Array(name)
            let isNumber = !name.isEmpty && name.count <= 9 && name.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
            let isPlain = isNumber && (name.count == 1 || name.first != 0x30)
            place = isPlain ? name.reduce(0) { $0 * 10 + Int($1 - 0x30) } : nil
        }
    }

    private let steps: [Step]
    /// A Boolean value that says whether the path leads to the document's `_id`, which isn't in its body.
    package let isID: Bool

    /// The path of a text.
    package init(_ text: some Collection<UInt8>) {
        steps = text.split(separator: 0x2E, omittingEmptySubsequences: false).map { Step($0) }
        isID = steps.count == 1 && steps[0].name == Array("_id".utf8)
    }

    /// Calls `visit` for each value that the path leads to, nil where a document doesn't have it, and says whether an array was on the way or at its end.
    ///
    /// The rule is that of filters (`FilterPath.visit` in SealiteMongo): at the path's end an array gives its items, then itself; on the way it leads on in each item that is a document, and in the item at a
    /// place that the next name stands for.
    ///
    /// - Returns: true where an array was met.
    package func leaves(
        of root: JSONBElement, in bytes: borrowing Span<UInt8>, _ visit: (JSONBElement?) -> Void
    ) -> Bool {
        walk(root, 0, bytes, visit)
    }

    private func walk(
        _ element: JSONBElement, _ depth: Int, _ bytes: borrowing Span<UInt8>, _ visit: (JSONBElement?) -> Void
    ) -> Bool {
        guard depth < steps.count else {
            guard element.type == JSONBType.array else {
                visit(element)
                return false
            }
            var offset = element.start
            while let item = JSONBElement(bytes, at: offset, limit: element.end) {
                visit(item)
                offset = item.end
            }
            visit(element)
            return true
        }
        if element.type == JSONBType.array {
            walkItems(element, depth, bytes, visit)
            return true
        }
        let name = steps[depth].name
        guard element.isDocument(in: bytes), let member = element.member(name.span, in: bytes) else {
            visit(nil)
            return false
        }
        return walk(member, depth + 1, bytes, visit)
    }

    private func walkItems(
        _ array: JSONBElement, _ depth: Int, _ bytes: borrowing Span<UInt8>, _ visit: (JSONBElement?) -> Void
    ) {
        var (offset, place) = (array.start, 0)
        while let item = JSONBElement(bytes, at: offset, limit: array.end) {
            if place == steps[depth].place {
                if depth + 1 == steps.count { visit(item) } else { _ = walk(item, depth + 1, bytes, visit) }
            }
            if item.isDocument(in: bytes) { _ = walk(item, depth, bytes, visit) }
            (offset, place) = (item.end, place + 1)
        }
    }
}

extension JSONBElement {
    /// A Boolean value that says whether the element is an object and stands for no other value.
    fileprivate func isDocument(in bytes: borrowing Span<UInt8>) -> Bool {
        guard type == JSONBType.object, case .document = StoredValue(self, in: bytes) else { return false }
        return true
    }
}
