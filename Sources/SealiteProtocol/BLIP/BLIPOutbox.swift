/// The queue of outgoing messages whose next BLIP frames wait to be sent.
struct BLIPOutbox: Sendable {
    private var entries: [BLIPOutbound?] = []
    private var head = 0

    var isEmpty: Bool { head == entries.count }
    var count: Int { entries.count - head }

    /// The next message, without removing it.
    var first: BLIPOutbound? { isEmpty ? nil : entries[head] }

    /// Removes and returns the next message.
    mutating func popFirst() -> BLIPOutbound? {
        guard !isEmpty else { return nil }
        let entry = entries[head]
        assert(entry != nil, "only what was removed leaves a gap")
        entries[head] = nil
        head += 1
        if head == entries.count || head > 64 && head * 2 > entries.count {
            entries.removeSubrange(..<head)
            head = 0
        }
        return entry
    }

    /// Queues a message. A message that isn't urgent is queued at the end. An urgent message is queued after the last
    /// urgent one and the message that follows that one, or after the first message if none is urgent. A message of
    /// which nothing was sent is never queued before another such message.
    mutating func append(_ message: BLIPOutbound) {
        guard message.isUrgent, count > 1 else {
            entries.append(message)
            return
        }
        var index = entries.count - 1
        while index > head {
            if entries[index]?.isUrgent == true {
                if index + 1 < entries.count { index += 1 }
                break
            }
            if !message.hasStarted, entries[index]?.hasStarted == false { break }
            index -= 1
        }
        if index == head, entries[head]?.isUrgent == true, index + 1 < entries.count { index += 1 }
        assert(index >= head && index < entries.count, "what was removed stays before the head")
        entries.insert(message, at: index + 1)
    }

    /// Changes the first queued message for which `fits` is true, and returns whether there was one.
    mutating func update(where fits: (BLIPOutbound) -> Bool, _ change: (inout BLIPOutbound) -> Void) -> Bool {
        for index in head..<entries.count {
            guard var entry = entries[index], fits(entry) else { continue }
            entries[index] = nil
            change(&entry)
            entries[index] = entry
            return true
        }
        return false
    }

    /// Removes and returns all messages.
    mutating func removeAll() -> [BLIPOutbound] {
        defer {
            entries = []
            head = 0
        }
        return entries[head...].compactMap { $0 }
    }
}
