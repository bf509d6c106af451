/// A cache of the headers of the frames that the running transaction has written to the log. A transaction larger than
/// SQLite's page cache overwrites frames of the log, and the cache avoids reading and decrypting a frame for its
/// header. Holds 24 bytes per frame and 1.5 MiB at most; headers of later frames are read from the file.
struct FrameHeaders {
    private var words: [(UInt64, UInt64, UInt64)] = []
    /// The index of the first cached frame.
    private var first: UInt32 = 0
    static let mostFrames = 65_536

    /// Stores the 24 bytes of a frame that is already cached or follows the last cached one; ignores any other.
    mutating func keep(_ index: UInt32, _ header: UnsafeRawPointer) {
        let entry = unsafe (
            header.loadUnaligned(as: UInt64.self), header.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            header.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        )
        if words.isEmpty { first = index }
        let place = Int(index) - Int(first)
        if words.indices.contains(place) {
            words[place] = entry
        } else if place == words.count, place < Self.mostFrames {
            words.append(entry)
        }
    }

    /// Copies a frame's header to `place`; returns false if it isn't cached.
    func copy(_ index: UInt32, to place: UnsafeMutableRawPointer) -> Bool {
        let number = Int(index) - Int(first)
        guard words.indices.contains(number) else { return false }
        let entry = words[number]
        unsafe place.storeBytes(of: entry.0, as: UInt64.self)
        unsafe place.storeBytes(of: entry.1, toByteOffset: 8, as: UInt64.self)
        unsafe place.storeBytes(of: entry.2, toByteOffset: 16, as: UInt64.self)
        return true
    }

    mutating func forget() { words.removeAll(keepingCapacity: words.count < 4096) }
}
