internal import CVectors

/// The layout of a chunk of an index's entries: writes entries and prepares scans of them.
///
/// A chunk is the numbers of the documents, the squared norms and the codes of its entries, each kind together:
///
///     capacity × Int64 | capacity × Float32 | capacity × codeByteCount
///
/// All numbers are little-endian. A chunk always has its full size; unused places are behind the used ones, and zero. A
/// code represents a vector that for cosine is normalised; the norm is that of the represented vector, and has the error of
/// the code in it (``EntryNorm``).
package struct VectorCodec: Sendable {
    package let metric: VectorMetric
    package let encoding: VectorCoding
    package let dimensions: Int
    package let ranges: VectorRanges
    /// The size in bytes of an entry's code.
    package let codeByteCount: Int
    /// The number of entries of a chunk.
    package let capacity: Int

    static let documentByteCount = 8
    static let normByteCount = 4

    /// The size in bytes of an entry.
    package var entryByteCount: Int { Self.documentByteCount + Self.normByteCount + codeByteCount }
    /// The size in bytes of a chunk.
    package var chunkByteCount: Int { capacity * entryByteCount }

    /// Creates a codec. Encodings other than `none` need ranges with as many dimensions, made for the same encoding.
    package init(metric: VectorMetric, encoding: VectorCoding, dimensions: Int, ranges: VectorRanges) {
        precondition(dimensions >= 1 && ranges.least.count == (encoding == .none ? 0 : dimensions))
        (self.metric, self.encoding, self.dimensions, self.ranges) = (metric, encoding, dimensions, ranges)
        codeByteCount = encoding.byteCount(dimensions: dimensions)
        capacity = Self.capacity(entryByteCount: Self.documentByteCount + Self.normByteCount + codeByteCount)
    }

    /// Returns the number of entries of a chunk: as many as fit in 4,000 bytes if they fill at least 15/16 of them,
    /// otherwise as many as fit in 16,000, or in 64,000 if even there less than 7/8 is filled; at least one.
    package static func capacity(entryByteCount: Int) -> Int {
        assert(entryByteCount > 0)
        let small = 4000 / entryByteCount
        if small * entryByteCount * 16 >= 4000 * 15 { return small }
        let medium = 16_000 / entryByteCount
        if medium * entryByteCount * 8 >= 16_000 * 7 { return medium }
        return max(64_000 / entryByteCount, 1)
    }

    // MARK: - Entries

    /// Writes the entry of a vector at a place, from 0, of a chunk.
    package func write(
        _ document: Int64, _ vector: UnsafeBufferPointer<Float>, at place: Int, to chunk: UnsafeMutableRawBufferPointer
    ) {
        precondition(vector.count == dimensions)
        check(place, chunk.count)
        let code = unsafe UnsafeMutableRawBufferPointer(rebasing: chunk[parts(place).code])
        let norm = unsafe encode(vector, into: code)
        unsafe chunk.storeBytes(of: document.littleEndian, toByteOffset: documentOffset(place), as: Int64.self)
        unsafe chunk.storeBytes(of: norm.bits.littleEndian, toByteOffset: normOffset(place), as: UInt32.self)
    }

    /// Returns the number of the document at a place of a chunk.
    package func document(at place: Int, in chunk: UnsafeRawBufferPointer) -> Int64 {
        check(place, chunk.count)
        return unsafe Int64(
            littleEndian: chunk.loadUnaligned(fromByteOffset: documentOffset(place), as: Int64.self))
    }

    /// Copies an entry to a place of the same or another chunk.
    package func move(
        from place: Int, of source: UnsafeRawBufferPointer, to targetPlace: Int,
        of target: UnsafeMutableRawBufferPointer
    ) {
        check(place, source.count)
        check(targetPlace, target.count)
        let (from, to) = (parts(place), parts(targetPlace))
        unsafe Self.copy(from.document, of: source, to: to.document, of: target)
        unsafe Self.copy(from.norm, of: source, to: to.norm, of: target)
        unsafe Self.copy(from.code, of: source, to: to.code, of: target)
    }

    /// Fills a place of a chunk with zeros.
    package func clear(_ place: Int, in chunk: UnsafeMutableRawBufferPointer) {
        check(place, chunk.count)
        let parts = parts(place)
        for part in [parts.document, parts.norm, parts.code] {
            for index in part { unsafe chunk[index] = 0 }
        }
    }

    private static func copy(
        _ range: Range<Int>, of source: UnsafeRawBufferPointer, to targetRange: Range<Int>,
        of target: UnsafeMutableRawBufferPointer
    ) {
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[targetRange]).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: source[range]))
    }

    /// Returns a vector prepared for the computation of distances from entries.
    package func query(_ vector: UnsafeBufferPointer<Float>) -> VectorQuery { unsafe VectorQuery(self, vector) }

    // MARK: - Layout

    private func documentOffset(_ place: Int) -> Int { place * Self.documentByteCount }

    /// The offset of the norm at a place.
    func normOffset(_ place: Int) -> Int { capacity * Self.documentByteCount + place * Self.normByteCount }

    /// Returns the norm of the entry at a place of a chunk.
    @inline(__always)
    func norm(at place: Int, in chunk: UnsafeRawBufferPointer) -> EntryNorm {
        EntryNorm(
            bits: unsafe UInt32(
                littleEndian: chunk.loadUnaligned(fromByteOffset: normOffset(place), as: UInt32.self)))
    }

    /// The offset of the code at a place.
    func codeOffset(_ place: Int) -> Int { normOffset(capacity) + place * codeByteCount }

    /// The ranges of bytes of an entry's three parts.
    private func parts(_ place: Int) -> (document: Range<Int>, norm: Range<Int>, code: Range<Int>) {
        (
            documentOffset(place)..<documentOffset(place + 1), normOffset(place)..<normOffset(place + 1),
            codeOffset(place)..<codeOffset(place + 1)
        )
    }

    private func check(_ place: Int, _ byteCount: Int) {
        precondition(place >= 0 && place < capacity && byteCount == chunkByteCount)
    }

    // MARK: - Codes

    /// Writes the code of a vector and returns the norm of its entry.
    private func encode(_ vector: UnsafeBufferPointer<Float>, into code: UnsafeMutableRawBufferPointer) -> EntryNorm {
        let length = unsafe metric == .cosine ? VectorMath.squaredNorm(vector).squareRoot() : 1
        let factor = length > 0 ? 1 / length : 1
        guard encoding != .none else {
            return EntryNorm(unsafe sealite_store(vector.baseAddress, factor, dimensions, code.baseAddress))
        }
        var squaredError: Float = 0
        let square = unsafe sealite_encode(
            vector.baseAddress, factor, ranges.least, ranges.step, ranges.inverse, dimensions,
            Int32(encoding.bitCount), code.baseAddress, &squaredError)
        return EntryNorm(square, squaredError: squaredError, unit: ranges.errorUnit)
    }
}
