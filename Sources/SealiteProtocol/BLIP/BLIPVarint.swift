internal import SealiteJSON

/// The encoder and decoder of BLIP's unsigned variable-length integers, whose errors are `BLIPError`.
package enum BLIPVarint {
    /// The maximum length of a 64-bit number in bytes.
    package static let maximumByteCount = Varint.maximumByteCount

    /// Appends `value`, in 1 to 10 bytes.
    package static func append(_ value: UInt64, to bytes: inout [UInt8]) { Varint.append(value, to: &bytes) }

    /// Returns the length of `value` in bytes.
    package static func byteCount(of value: UInt64) -> Int { Varint.byteCount(of: value) }

    /// Reads a number at `index` and advances `index` past it. An encoding with more bytes than necessary is accepted.
    ///
    /// - Throws: `badVarint` if the bytes end inside the number or it exceeds 64 bits.
    package static func read(_ bytes: ArraySlice<UInt8>, at index: inout Int) throws(BLIPError) -> UInt64 {
        let span = bytes.span
        let start = index - bytes.startIndex
        assert(start >= 0 && start <= span.count, "the index lies in the bytes")
        var position = start
        defer { index = bytes.startIndex + position }
        guard let value = Varint.read(span, &position, limit: span.count, takesLongForms: true) else {
            let isCutOff = span.count - start < Varint.maximumByteCount
            throw BLIPError(
                .badVarint,
                isCutOff ? "a variable-length integer has no last byte" : "a variable-length integer exceeds 64 bits")
        }
        return value
    }
}
