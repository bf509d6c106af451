internal import SealiteJSON

/// Unsigned variable-length integers of BLIP, with failures as BLIP names them.
package enum BLIPVarint {
    /// A 64-bit number needs at most this many bytes.
    package static let maximumByteCount = Varint.maximumByteCount

    /// Appends `value`, in 1 to 10 bytes.
    package static func append(_ value: UInt64, to bytes: inout [UInt8]) { Varint.append(value, to: &bytes) }

    /// Returns how many bytes `value` takes.
    package static func byteCount(of value: UInt64) -> Int { Varint.byteCount(of: value) }

    /// Reads a number at `index` and moves `index` behind it. A form that is longer than the number needs is taken.
    ///
    /// - Throws: `badVarint` if the bytes end inside the number or it exceeds 64 bits.
    package static func read(_ bytes: ArraySlice<UInt8>, at index: inout Int) throws(BLIPError) -> UInt64 {
        let span = bytes.span
        var position = index - bytes.startIndex
        defer { index = bytes.startIndex + position }
        guard let value = Varint.read(span, &position, limit: span.count, takesLongForms: true) else {
            let isCutOff = position == span.count && span.count < Varint.maximumByteCount
            throw BLIPError(.badVarint, isCutOff ? "a varint has no last byte" : "a varint exceeds 64 bits")
        }
        return value
    }
}
