/// A message to be sent: a request, or a reply that is no error.
package struct BLIPOutgoing: Sendable, Hashable {
    /// The properties; a request's `Profile` names the kind of the request.
    package var properties: BLIPProperties
    /// The body, or its first piece if the message is streamed.
    package var body: [UInt8]
    /// A Boolean value that says whether the message's BLIP frames are deflated.
    package var isCompressed: Bool
    /// A Boolean value that says whether the message is sent before messages that aren't urgent. A reply is as urgent
    /// as its request.
    package var isUrgent: Bool
    /// A Boolean value that says whether the request expects no reply. Ignored for a reply.
    package var isNoReply: Bool
    /// A Boolean value that says whether more of the body is supplied later.
    package var isStreamed: Bool

    package init(
        _ properties: BLIPProperties = [:], body: [UInt8] = [], isCompressed: Bool = false, isUrgent: Bool = false,
        isNoReply: Bool = false, isStreamed: Bool = false
    ) {
        self.properties = properties
        self.body = body
        self.isCompressed = isCompressed
        self.isUrgent = isUrgent
        self.isNoReply = isNoReply
        self.isStreamed = isStreamed
    }
}

/// An outgoing message, with the state of its transfer.
struct BLIPOutbound: Sendable {
    /// Identifies an outgoing message by its number, and by whether it is a reply to the peer's request with this
    /// number or a request of this side.
    struct Key: Hashable, Sendable {
        let number: UInt64
        let isReply: Bool
    }

    /// The kind and the flags of the message, without `moreComing`.
    let flags: BLIPFlags
    /// The number of the request in BLIP frames, or of the request that the message replies to; 0 for a request until
    /// its first frame is sent.
    var number: UInt64
    /// The ticket by which the owner identifies the request; nil for a reply.
    let ticket: BLIPTicket?
    /// A Boolean value that says whether the reply is to be delivered in parts.
    let wantsStreamedReply: Bool
    /// The encoded properties and the body. Of a streamed message, these are the bytes that were supplied so far,
    /// without sent ones that `supply(_:isLast:)` has removed.
    private(set) var payload: [UInt8]
    private(set) var offset = 0
    /// A Boolean value that says whether the whole body was supplied.
    private(set) var isComplete: Bool
    /// A Boolean value that says whether more of the body was requested from the owner and not supplied yet.
    var isAwaitingSupply = false
    /// The number of sent bytes of the message, as flow control counts them.
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

    /// Returns whether a BLIP frame with up to `byteCount` bytes of payload can be sent now. Of a streamed message
    /// whose body isn't complete, at least one byte must remain, so that its last frame isn't empty.
    func hasFrame(ofByteCount byteCount: Int) -> Bool { isComplete || unsentByteCount > byteCount }

    /// Returns the payload of the next BLIP frame, at most `byteCount` of the bytes that weren't taken yet, and counts
    /// it as taken.
    mutating func take(upTo byteCount: Int) -> ArraySlice<UInt8> {
        let end = min(payload.count, offset + max(1, byteCount))
        assert(end >= offset, "what was taken stays taken")
        defer { offset = end }
        return payload[offset..<end]
    }

    /// Adds a part to a streamed body, and removes the bytes that were already sent. `isLast` says whether the body is
    /// then complete.
    mutating func supply(_ bytes: [UInt8], isLast: Bool) {
        assert(!isComplete, "nothing follows the last part")
        payload.removeSubrange(..<offset)
        offset = 0
        payload.append(contentsOf: bytes)
        isComplete = isLast
        isAwaitingSupply = false
    }
}

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

/// A first-in, first-out queue. Removing the first element takes constant time on average.
struct Queue<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard let element = first else { return nil }
        head += 1
        if head * 2 > elements.count {
            elements.removeSubrange(..<head)
            head = 0
        }
        assert(head <= elements.count)
        return element
    }
}
