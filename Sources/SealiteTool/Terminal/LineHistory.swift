import CEditLine

/// The statements that were typed at a prompt, for the arrow keys: in memory only, and no more than the limits.
@safe struct LineHistory: ~Copyable {
    /// The largest number of entries.
    static let countLimit = 500
    /// The largest number of bytes of all entries together.
    static let byteLimit = 1 << 20

    /// libedit's `History`.
    let handle: OpaquePointer
    private(set) var entries: [String] = []
    private var byteCount = 0

    init?() {
        guard let handle = unsafe history_init() else { return nil }
        unsafe self.handle = unsafe handle
        _ = unsafe sealite_history_set_size(handle, CInt(Self.countLimit))
    }

    deinit { unsafe history_end(handle) }

    /// Adds an entry, unless it is the same as the last one or too large; the oldest ones make room.
    mutating func add(_ entry: String) {
        let size = entry.utf8.count
        guard !entry.isEmpty, size <= Self.byteLimit, entry != entries.last else { return }
        entries.append(entry)
        byteCount += size
        guard entries.count > Self.countLimit || byteCount > Self.byteLimit else {
            _ = unsafe sealite_history_enter(handle, entry)
            return
        }
        dropOldest()
        _ = unsafe sealite_history_clear(handle)
        for entry in entries { _ = unsafe sealite_history_enter(handle, entry) }
    }

    /// Drops as many of the oldest entries as leave an eighth of the room, so that not every further entry fills the history anew.
    private mutating func dropOldest() {
        var count = 0
        while entries.count - count > Self.countLimit * 7 / 8 || byteCount > Self.byteLimit * 7 / 8,
            count < entries.count - 1
        {
            byteCount -= entries[count].utf8.count
            count += 1
        }
        entries.removeFirst(count)
    }
}
