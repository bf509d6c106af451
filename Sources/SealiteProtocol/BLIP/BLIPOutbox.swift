/// A message on its way out.
struct BLIPOutbound: Sendable {
    /// Tells a request from a reply of the same number.
    struct Key: Hashable, Sendable {
        let number: UInt64
        let isReply: Bool
    }

    /// Kind and flags, without `moreComing`.
    let flags: BLIPFlags
    /// The request's number on the wire; 0 until its first BLIP frame is sent.
    var number: UInt64
    /// The request's ticket; nil for a reply.
    let ticket: BLIPTicket?
    /// A Boolean value that says whether a streamed reply is expected.
    let wantsStreamedReply: Bool
    /// Properties and body, or what was supplied and not sent of a streamed one.
    private(set) var payload: [UInt8]
    private(set) var offset = 0
    /// A Boolean value that says whether nothing is supplied any more.
    private(set) var isComplete: Bool
    /// A Boolean value that says whether the shell was asked to supply more.
    var isAwaitingSupply = false
    /// Bytes on the wire, as flow control counts them.
    var sentByteCount: UInt64 = 0
    var acknowledgedByteCount: UInt64 = 0

    init(
        _ message: BLIPOutgoing, flags: BLIPFlags, number: UInt64 = 0, ticket: BLIPTicket? = nil,
        wantsStreamedReply: Bool = false
    ) {
        self.flags = flags
        self.number = number
        self.ticket = ticket
        self.wantsStreamedReply = wantsStreamedReply
        payload = message.properties.encoded()
        payload.append(contentsOf: message.body)
        isComplete = !message.isStreamed
    }

    var key: Key { Key(number: number, isReply: flags.type != .request) }
    var stream: BLIPStream { ticket.map(BLIPStream.request) ?? .reply(number) }
    var isUrgent: Bool { flags.contains(.urgent) }
    var hasStarted: Bool { sentByteCount > 0 }
    var unsentByteCount: Int { payload.count - offset }
    var isPaused: Bool { sentByteCount >= acknowledgedByteCount + BLIPLimits.sendWindow }

    /// Returns whether a BLIP frame of up to `byteCount` bytes can be sent without making the last one empty: an
    /// unfinished message keeps at least one byte back.
    func hasFrame(ofByteCount byteCount: Int) -> Bool { isComplete || unsentByteCount > byteCount }

    /// Takes the payload of the next BLIP frame.
    mutating func take(upTo byteCount: Int) -> ArraySlice<UInt8> {
        let end = min(payload.count, offset + max(1, byteCount))
        defer { offset = end }
        return payload[offset..<end]
    }

    /// Adds a piece of a streamed body.
    mutating func supply(_ bytes: [UInt8], isLast: Bool) {
        payload.removeSubrange(..<offset)
        offset = 0
        payload.append(contentsOf: bytes)
        isComplete = isLast
        isAwaitingSupply = false
    }
}

/// The messages whose next BLIP frames wait to be sent, in turn.
struct BLIPOutbox: Sendable {
    private var entries: [BLIPOutbound?] = []
    private var head = 0

    var isEmpty: Bool { head == entries.count }
    var count: Int { entries.count - head }

    /// The message whose turn it is, without taking it.
    var first: BLIPOutbound? { isEmpty ? nil : entries[head] }

    /// Takes the message whose turn it is.
    mutating func popFirst() -> BLIPOutbound? {
        guard !isEmpty else { return nil }
        let entry = entries[head]
        entries[head] = nil
        head += 1
        if head == entries.count || head > 64 && head * 2 > entries.count {
            entries.removeSubrange(..<head)
            head = 0
        }
        return entry
    }

    /// Queues a message: a normal one at the end; an urgent one after the last urgent one, with one normal message
    /// between them if there is one, but a new one never before another that has not begun.
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
        entries.insert(message, at: index + 1)
    }

    /// Changes the first message that fits, and says whether there was one.
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

    /// Takes all messages out.
    mutating func removeAll() -> [BLIPOutbound] {
        defer {
            entries = []
            head = 0
        }
        return entries[head...].compactMap { $0 }
    }
}
