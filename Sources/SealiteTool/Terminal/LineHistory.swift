import CEditLine

/// The history of statements typed at a prompt: in memory only, within its limits.
@safe struct LineHistory: ~Copyable {
    /// The maximum number of entries.
    static let countLimit = 500
    /// The maximum number of bytes of all entries.
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

    /// Adds an entry, unless it equals the last one or is too large; the oldest entries are removed if necessary.
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

    /// Removes enough of the oldest entries to free an eighth of the capacity, so that not every further entry causes a
    /// removal.
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
