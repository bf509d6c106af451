import SealiteJSON

/// An aggregate whose result is an array of all values other than MISSING.
final class ArrayAggregate: Aggregate {
    private var elements = JSONBWriter()
    /// The offset in bytes of the oldest element that is still in the window's frame.
    private var start = 0

    override func add(_ value: QueryValue) {
        if !value.isMissing { elements.append(value) }
    }

    override func remove(_ value: QueryValue) {
        guard !value.isMissing else { return }
        start = unsafe elements.withUnsafeBytes { bytes in
            let span = unsafe bytes.bindMemory(to: UInt8.self).span
            return JSONBElement(span, at: start, limit: span.count)?.end ?? span.count
        }
        if start > 4096, start * 2 > elements.count {
            elements = rest(JSONBWriter(capacity: elements.count - start))
            start = 0
        }
    }

    /// Returns a writer to which the elements that are still in the window's frame were appended.
    private func rest(_ output: consuming JSONBWriter) -> JSONBWriter {
        unsafe elements.withUnsafeBytes { bytes in
            let span = unsafe bytes.bindMemory(to: UInt8.self).span
            output.raw(span, start, span.count)
        }
        return output
    }

    override var byteCount: Int { elements.count - start }

    override func give(to call: QueryCall) throws {
        var output = JSONBWriter(capacity: elements.count - start + 8)
        output.header(JSONBType.array, byteCount: elements.count - start)
        try call.give(rest(output))
    }
}
