/// The headers of the frames that the running transaction has written to the log. A transaction larger than SQLite's cache writes
/// pages to the log and, changed again, in the same place: what the frame says beside the page needn't be read and opened for that.
/// 24 bytes per frame, 1.5 MiB at most; what is written behind the last of them is read again.
struct FrameHeaders {
    private var words: [(UInt64, UInt64, UInt64)] = []
    /// The frame of the first entry.
    private var first: UInt32 = 0
    static let mostFrames = 65_536

    /// Keeps the 24 bytes of a frame that is the next one, or is here already. Another is left to be read again.
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

    /// Writes a frame's header to `place`; false where it isn't here.
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
