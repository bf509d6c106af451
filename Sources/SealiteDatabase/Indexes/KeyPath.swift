internal import SealiteJSON

/// A path to a value in a body, whose index key is computed without SQLite, with the same bytes as the result of the
/// SQL function `body_key`.
struct KeyPath: Sendable {
    private let path: BodyPath
    private let key: ValueKey

    /// Creates the path of a key; nil for a key that is an SQL expression.
    init?(_ key: KeyDefinition.Key) {
        guard case .path(let steps, let order) = key else { return nil }
        self.key = ValueKey(order.values)
        path = BodyPath(steps)
    }

    /// Appends the key of the value in a body, or the key that stands for a missing value; appends nothing if the value
    /// is damaged.
    func append(_ body: [UInt8], to bytes: inout [UInt8]) {
        let span = body.span
        let found = path.find(in: span)
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ValueKey.maximumByteCount) { buffer in
            var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            let isWhole = key.append(found, in: span, to: &output)
            let count = unsafe output.finalize(for: buffer)
            if isWhole { unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<count])) }
        }
    }
}
