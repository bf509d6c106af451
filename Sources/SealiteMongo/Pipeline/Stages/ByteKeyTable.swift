internal import SealiteJSON
internal import SealiteValues

/// A hash table from the stored bytes of keys to the indices of their groups, in bounded memory. Keys that don't fit
/// aren't in the table, so that callers look them up by their values.
struct ByteKeyTable {
    private struct Entry {
        let hash: Int
        let type: UInt8
        /// The range of the key's bytes in `bytes`.
        let range: Range<Int>
        let place: Int
    }

    /// The maximum number of bytes of a key.
    private static let keyLimit = 256
    /// The maximum number of bytes of all keys.
    private static let byteLimit = 4 << 20
    /// The maximum number of keys.
    private static let countLimit = 1 << 16

    private var entries: [Entry] = []
    /// The indices of `entries` plus 1, in an open-addressing table by the hash of the key; 0 for an empty bucket. The
    /// number of buckets is a power of two.
    private var buckets = [UInt32](repeating: 0, count: 64)
    private var bytes: [UInt8] = []

    /// Returns the index of the group of a stored key; nil if the table doesn't contain it.
    @inline(__always)
    func find(_ key: JSONBElement, in body: borrowing Span<UInt8>) -> Int? {
        guard key.end - key.start <= Self.keyLimit else { return nil }
        let hash = Self.hash(key, body)
        var bucket = hash & (buckets.count - 1)
        while buckets[bucket] != 0 {
            let entry = entries[Int(buckets[bucket]) - 1]
            if entry.hash == hash, entry.type == key.type, isKey(entry.range, key, body) { return entry.place }
            bucket = (bucket + 1) & (buckets.count - 1)
        }
        return nil
    }

    /// Inserts the index of the group of a key that the table doesn't contain; does nothing if the table has no room
    /// for it.
    mutating func insert(_ key: JSONBElement, in body: borrowing Span<UInt8>, _ place: Int) {
        guard key.end - key.start <= Self.keyLimit, entries.count < Self.countLimit, bytes.count <= Self.byteLimit
        else { return }
        let start = bytes.count
        for index in key.start..<key.end { bytes.append(body[index]) }
        entries.append(
            Entry(hash: Self.hash(key, body), type: key.type, range: start..<bytes.count, place: place))
        if entries.count * 2 > buckets.count {
            buckets = [UInt32](repeating: 0, count: buckets.count * 2)
            for index in entries.indices { enter(index) }
        } else {
            enter(entries.count - 1)
        }
    }

    private mutating func enter(_ index: Int) {
        var bucket = entries[index].hash & (buckets.count - 1)
        while buckets[bucket] != 0 { bucket = (bucket + 1) & (buckets.count - 1) }
        buckets[bucket] = UInt32(index + 1)
    }

    private func isKey(_ range: Range<Int>, _ key: JSONBElement, _ body: borrowing Span<UInt8>) -> Bool {
        range.count == key.end - key.start && key.hasPayload(bytes.span.extracting(range), in: body)
    }

    private static func hash(_ key: JSONBElement, _ body: borrowing Span<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(key.type)
        let payload = body.extracting(key.start..<key.end)
        unsafe payload.withUnsafeBufferPointer { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return hasher.finalize()
    }
}
