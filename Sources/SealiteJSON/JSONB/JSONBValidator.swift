/// Validates bytes as stored JSONB (Documentation/DocumentFormat.md §2.2), for integrity checks and for bodies from
/// other sources.
package enum JSONBValidator {
    /// Returns whether `bytes` is a single element that is valid in all its parts (no name occurs twice in an object,
    /// and at most `JSONB.maximumDepth` arrays and objects are nested), and an object if `requiresObject`.
    package static func isValid(_ bytes: [UInt8], requiresObject: Bool = true) -> Bool {
        guard let root = JSONBElement(root: bytes.span), root.end == bytes.count else { return false }
        guard !requiresObject || root.type == JSONBType.object else { return false }
        return isValid(root, bytes, depth: 0)
    }

    private static func isValid(_ element: JSONBElement, _ bytes: [UInt8], depth: Int) -> Bool {
        switch element.type {
        case JSONBType.null, JSONBType.true, JSONBType.false:
            return element.start == element.end
        case JSONBType.integer, JSONBType.float:
            return numberType(bytes[element.start..<element.end]) == element.type
        case JSONBType.text, JSONBType.rawText:
            let needsEscape = bytes[element.start..<element.end].contains { byte in
                byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F
            }
            return needsEscape == (element.type == JSONBType.rawText)
                && bytes.span.extracting(element.start..<element.end).isUTF8
        case JSONBType.array, JSONBType.object:
            guard depth < JSONB.maximumDepth else { return false }
            return hasValidItems(element, bytes, depth: depth + 1)
        default:
            return false
        }
    }

    private static func hasValidItems(_ element: JSONBElement, _ bytes: [UInt8], depth: Int) -> Bool {
        var offset = element.start
        var isLabel = element.type == JSONBType.object
        var labels: Set<ArraySlice<UInt8>> = []
        while offset < element.end {
            guard let item = JSONBElement(bytes.span, at: offset, limit: element.end) else { return false }
            guard isValid(item, bytes, depth: depth) else { return false }
            if element.type == JSONBType.object {
                if isLabel {
                    guard item.isString, labels.insert(bytes[item.start..<item.end]).inserted else { return false }
                }
                isLabel.toggle()
            }
            offset = item.end
        }
        return element.type == JSONBType.array || isLabel
    }

    /// Returns the JSONB type of a number's JSON text, `JSONBType.integer` or `JSONBType.float`; nil if the text isn't
    /// a number.
    package static func numberType(_ text: ArraySlice<UInt8>) -> UInt8? {
        var rest = text
        var type = JSONBType.integer
        if rest.first == 0x2D { rest.removeFirst() }
        if rest.first == 0x30 {
            rest.removeFirst()
        } else {
            guard dropDigits(&rest) else { return nil }
        }
        if rest.first == 0x2E {
            type = JSONBType.float
            rest.removeFirst()
            guard dropDigits(&rest) else { return nil }
        }
        if rest.first == 0x65 || rest.first == 0x45 {
            type = JSONBType.float
            rest.removeFirst()
            if rest.first == 0x2B || rest.first == 0x2D { rest.removeFirst() }
            guard dropDigits(&rest) else { return nil }
        }
        return rest.isEmpty ? type : nil
    }

    private static func dropDigits(_ text: inout ArraySlice<UInt8>) -> Bool {
        let digits = text.prefix { $0 >= 0x30 && $0 <= 0x39 }
        text.removeFirst(digits.count)
        return !digits.isEmpty
    }
}
