/// A receiver of the values that `JSONScanner` parses, which writes them as JSONB.
struct JSONBSink: JSONSink, ~Copyable {
    private(set) var output: JSONBWriter
    /// The names of the objects that haven't ended: the ranges of their payloads in the output.
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

    /// Ends an object: writes its header and removes its names from `labels`. Returns false if it contains a name
    /// twice.
    mutating func endObject(_ container: (begun: JSONBWriter.Begun, firstLabel: Int)) -> Bool {
        // Checked before the header is written, which may move the bytes that the offsets refer to.
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
