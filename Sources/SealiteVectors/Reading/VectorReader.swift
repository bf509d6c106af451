internal import CVectors
internal import SealiteBase
package import SealiteJSON

/// Reads vectors from values of documents.
///
/// A vector is read as a whole or not at all: calls return false for another number of dimensions, for an item that isn't
/// a number or is too large for a Float, for NaN and infinity, and for malformed Base64. The output may have been changed
/// then.
package enum VectorReader {
    /// The limits of the number of dimensions.
    package static let dimensions = 2...4096

    /// Reads an array of numbers, a string with the Base64 of little-endian Float32, or binary data, into `output`, whose
    /// count is the number of dimensions.
    ///
    /// - Parameters:
    ///   - element: an element of `bytes`.
    ///   - bytes: JSONB.
    ///   - output: the vector.
    /// - Returns: whether the vector was read.
    package static func read(
        _ element: JSONBElement, in bytes: borrowing Span<UInt8>, into output: UnsafeMutableBufferPointer<Float>
    ) -> Bool {
        if element.isString { return unsafe read(base64: bytes.extracting(element.start..<element.end), into: output) }
        guard element.type == JSONBType.array else { return unsafe read(binary: element, in: bytes, into: output) }
        let raw = unsafe bytes.bytes
        var (offset, count) = (element.start, 0)
        while offset < element.end {
            guard count < output.count, let item = JSONBElement(bytes, at: offset, limit: element.end), item.isNumber,
                let value = FloatText.parse(raw, item.start, item.end)
            else { return false }
            unsafe output[count] = value
            (offset, count) = (item.end, count + 1)
        }
        return count == output.count
    }

    /// Reads little-endian Float32, four bytes for each of the dimensions, which are the output's count.
    package static func read(
        floats bytes: borrowing Span<UInt8>, into output: UnsafeMutableBufferPointer<Float>
    ) -> Bool {
        guard bytes.count == output.count * 4 else { return false }
        unsafe bytes.withUnsafeBytes { unsafe UnsafeMutableRawBufferPointer(output).copyMemory(from: $0) }
        return unsafe isFinite(output)
    }

    /// Returns the bytes of numbers that ``read(floats:into:)`` reads.
    package static func bytes(of floats: some Sequence<Float>) -> [UInt8] {
        floats.flatMap { float in
            let bits = float.bitPattern
            return [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: bits >> $0) }
        }
    }

    /// Reads the Base64 (RFC 4648 §4), with or without padding, of little-endian Float32.
    package static func read(
        base64 text: borrowing Span<UInt8>, into output: UnsafeMutableBufferPointer<Float>
    ) -> Bool {
        guard decodedByteCount(text) == output.count * 4 else { return false }
        return unsafe decode(text, into: UnsafeMutableRawBufferPointer(output)) && isFinite(output)
    }

    /// Decodes Base64 of as many bytes as `target` has.
    static func decode(_ text: borrowing Span<UInt8>, into target: UnsafeMutableRawBufferPointer) -> Bool {
        unsafe text.withUnsafeBytes { input in
            // The last group is decoded by itself, with the padding that it may lack.
            let whole = max(target.count - 1, 0) / 3
            let isWhole = unsafe sealite_decode_base64(
                input.baseAddress?.assumingMemoryBound(to: UInt8.self), whole,
                target.baseAddress?.assumingMemoryBound(to: UInt8.self))
            guard isWhole == 1 else { return false }
            return unsafe decodeLast(
                UnsafeRawBufferPointer(rebasing: input[(whole * 4)...]),
                into: UnsafeMutableRawBufferPointer(rebasing: target[(whole * 3)...]))
        }
    }

    /// Returns the number of dimensions of a value that is an array of numbers, whatever their size, the Base64 of Float32,
    /// or binary data with a vector; nil for any other value.
    package static func count(_ element: JSONBElement, in bytes: borrowing Span<UInt8>) -> Int? {
        if element.isString { return count(base64: bytes.extracting(element.start..<element.end)) }
        guard element.type == JSONBType.array else { return count(binary: element, in: bytes) }
        var (offset, count) = (element.start, 0)
        while offset < element.end {
            guard let item = JSONBElement(bytes, at: offset, limit: element.end), item.isNumber else { return nil }
            (offset, count) = (item.end, count + 1)
        }
        return count
    }

    static func count(base64 text: borrowing Span<UInt8>) -> Int? {
        guard let byteCount = decodedByteCount(text), byteCount % 4 == 0 else { return nil }
        for index in 0..<(byteCount * 4 + 2) / 3 where Base64.value(text[index]) == nil { return nil }
        return byteCount / 4
    }

    /// Returns the number of bytes that a Base64 text encodes, by its length and its padding; nil if there is none.
    static func decodedByteCount(_ text: borrowing Span<UInt8>) -> Int? {
        var length = text.count
        if length % 4 == 0 {
            for _ in 0..<2 where length > 0 && text[length - 1] == UInt8(ascii: "=") { length -= 1 }
        }
        return length % 4 == 1 ? nil : length * 3 / 4
    }

    /// Decodes a last group of two to four characters, one to three bytes, or nothing.
    private static func decodeLast(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard unsafe !output.isEmpty else { return unsafe input.isEmpty }
        return unsafe withUnsafeTemporaryAllocation(byteCount: 4, alignment: 1) { group in
            unsafe group.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "="))
            unsafe group.copyMemory(from: input)
            return unsafe Base64.decode(UnsafeRawBufferPointer(group), padding: 3 - output.count, into: output)
        }
    }

    private static func isFinite(_ vector: UnsafeMutableBufferPointer<Float>) -> Bool {
        // An exponent of ones; as integers, so that the loop has no branches.
        var isFinite = true
        for index in vector.indices {
            isFinite = unsafe isFinite && vector[index].bitPattern & 0x7F80_0000 != 0x7F80_0000
        }
        return isFinite
    }
}
