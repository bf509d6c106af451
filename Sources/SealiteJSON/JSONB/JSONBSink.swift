/// JSONB, the stored form of bodies (Documentation/DocumentFormat.md §2.2).
package enum JSONB {
    /// The JSONB of a JSON text, exactly: numbers keep their digits, members keep their order, and what could only be kept by
    /// guessing is refused.
    ///
    /// - Parameters:
    ///   - text: UTF-8.
    ///   - requiresObject: whether the root must be an object, as a document's is.
    /// - Returns: the bytes.
    /// - Throws: `JSONError`.
    package static func parse(_ text: [UInt8], requiresObject: Bool = true) throws(JSONError) -> [UInt8] {
        let span = text.span
        var scanner = JSONScanner(.documents)
        var sink = JSONBSink(capacity: span.count + span.count / 8 + 16)
        scanner.passSpace(span)
        if requiresObject, scanner.current(span) != 0x7B {
            throw scanner.failure("a document is a JSON object, but this is not one", .wrongKind)
        }
        try scanner.value(span, into: &sink, guess: span.count &* 7 / 8)
        try scanner.end(span)
        return sink.output.bytes
    }

    /// The deepest nesting of a stored body.
    package static var maximumDepth: Int { JSONRules.documents.maximumDepth }
}

/// Writes what is scanned as JSONB.
struct JSONBSink: JSONSink, ~Copyable {
    private(set) var output: JSONBWriter
    /// The payloads of the labels of the objects being read, as offsets into the output.
    private var labels: [Range<Int>] = []

    init(capacity: Int) { output = JSONBWriter(capacity: capacity) }

    mutating func null() { output.null() }

    mutating func boolean(_ value: Bool) { output.boolean(value) }

    @inline(__always)
    mutating func number(_ text: borrowing Span<UInt8>, _ range: Range<Int>, isInteger: Bool) {
        output.element(isInteger ? JSONBType.integer : JSONBType.float, text, range.lowerBound, range.upperBound)
    }

    @inline(__always)
    mutating func string(_ text: borrowing Span<UInt8>, _ string: JSONString, _ scanner: JSONScanner) {
        guard string.hasEscapes || string.needsEscape else {
            return output.element(JSONBType.text, text, string.start, string.end)
        }
        unusualString(text, string, scanner)
    }

    private mutating func unusualString(_ text: borrowing Span<UInt8>, _ string: JSONString, _ scanner: JSONScanner) {
        output.header(string.needsEscape ? JSONBType.rawText : JSONBType.text, byteCount: string.byteCount)
        scanner.forEachByte(of: string, in: text) { output.rawByte($0) }
    }

    @inline(__always)
    mutating func name(_ text: borrowing Span<UInt8>, _ name: JSONString, _ scanner: JSONScanner) {
        string(text, name, scanner)
        labels.append((output.count - name.byteCount)..<output.count)
    }

    @inline(__always)
    mutating func begin(guess: Int) -> (begun: JSONBWriter.Begun, firstLabel: Int) {
        (output.begin(guess: guess), labels.count)
    }

    mutating func endArray(_ container: (begun: JSONBWriter.Begun, firstLabel: Int)) {
        output.end(JSONBType.array, container.begun)
    }

    /// Ends an object and forgets its labels.
    mutating func endObject(_ container: (begun: JSONBWriter.Begun, firstLabel: Int)) -> Bool {
        // Before the header is written, which may move what the labels are offsets of.
        let isSound = areDifferent(from: container.firstLabel)
        labels.removeSubrange(container.firstLabel...)
        output.end(JSONBType.object, container.begun)
        return isSound
    }

    private func areDifferent(from first: Int) -> Bool {
        let count = labels.count - first
        if count <= 12 {
            for index in (first + 1)..<max(labels.count, first + 1) {
                for other in first..<index where isSame(labels[index], labels[other]) { return false }
            }
        } else {
            var sorted = Array(labels[first...])
            sorted.sort { output.precedes($0, $1) }
            for index in 1..<count where isSame(sorted[index], sorted[index - 1]) { return false }
        }
        return true
    }

    @inline(__always)
    private func isSame(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        guard left.count == right.count else { return false }
        for index in 0..<left.count
        where output[left.lowerBound + index] != output[right.lowerBound + index] { return false }
        return true
    }
}
