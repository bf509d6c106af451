/// A cache of the frame headers that the running transaction has written to the log.
///
/// A transaction larger than SQLite's page cache overwrites frames that it wrote before; with the cache, the header of
/// such a frame needn't be read and decrypted. The cache holds 24 bytes per frame and at most 1.5 MiB; headers of later
/// frames are read from the file.
struct FrameHeaders {
    private var words: [(UInt64, UInt64, UInt64)] = []
    /// The index of the first cached frame.
    private var first: UInt32 = 0
    static let mostFrames = 65_536

    /// Stores the 24-byte header of frame `index` if the frame is cached already or follows the last cached frame;
    /// ignores any other frame.
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

    /// Copies the header of frame `index` to `place`; returns false, without copying, if it isn't cached.
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
