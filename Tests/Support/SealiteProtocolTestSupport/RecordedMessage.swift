import SealiteProtocol

/// One message of a recorded exchange, decoded from its BLIP frames.
struct RecordedMessage: Sendable {
    let connection: Int
    let isFromActive: Bool
    let type: BLIPFrameType
    let number: UInt64
    let properties: BLIPProperties
    let body: [UInt8]
    let flags: BLIPFlags

    var profile: Profile? { type == .request ? properties["Profile"].flatMap(Profile.init) : nil }

    var request: BLIPRequest { BLIPRequest(number: number, properties: properties, body: body, flags: flags) }

    var reply: BLIPReply {
        let error = type == .error ? BLIPErrorReply(properties: properties, body: body) : nil
        return BLIPReply(properties: properties, body: body, error: error)
    }
}

extension Transcript {
    /// The messages in the order in which they were complete. A BLIP frame that cannot be decoded ends its direction.
    func messages() throws -> [RecordedMessage] {
        var coders: [String: Coder] = [:]
        var begun: [String: BLIPIncoming] = [:]
        var messages: [RecordedMessage] = []
        for frame in try frames() {
            let direction = "\(frame.connection) \(frame.isFromActive)"
            let coder = try coders[direction] ?? Coder()
            coders[direction] = coder
            guard let (header, content) = try? coder.decode(frame.bytes), let type = header.flags.type,
                case .payload(let payload, let wireByteCount) = content
            else { continue }
            let key = "\(direction) \(type == .request) \(header.number)"
            var message = begun.removeValue(forKey: key) ?? BLIPIncoming(flags: header.flags, isStreamed: false)
            try message.append(payload, wireByteCount: wireByteCount, propertiesLimit: 102_400)
            if header.flags.contains(.moreComing) {
                begun[key] = message
                continue
            }
            messages.append(
                RecordedMessage(
                    connection: frame.connection, isFromActive: frame.isFromActive, type: type, number: header.number,
                    properties: message.properties ?? [:], body: message.buffer, flags: message.flags))
        }
        return messages
    }
}

extension Sequence<RecordedMessage> {
    /// The reply to a request among these messages.
    func reply(to request: RecordedMessage) -> RecordedMessage? {
        first {
            $0.connection == request.connection && $0.isFromActive != request.isFromActive && $0.type != .request
                && $0.number == request.number
        }
    }
}
