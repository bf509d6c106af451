import Foundation
import SealiteProtocolTestSupport

@testable import SealiteProtocol

/// First inputs for the parsers of the replication protocol, out of the recorded exchanges.
struct RecordedSeeds {
    /// A BLIP frame as it was recorded.
    private struct Frame {
        let isFromActive: Bool
        let bytes: [UInt8]
    }

    /// A decoded message.
    private struct Message {
        let payload: [UInt8]
        let flags: BLIPFlags
        let number: UInt64
    }

    /// Small exchanges that have, together, every profile and both servers.
    private static let names = [
        "sync-gateway-4.1.1/checkpoint", "sync-gateway-4.1.1/bad_checksum", "sync-gateway-4.1.1/ack_reply_pull",
        "couchbase-lite-core/passive-revtrees/auth", "couchbase-lite-core/passive-revtrees/blobs_pull",
        "couchbase-lite-core/passive-revtrees/blobs_push", "couchbase-lite-core/passive-revtrees/blobs_push_kept",
    ]

    /// By the target's name.
    static func all() throws -> [String: [[UInt8]]] {
        var seeds: [String: [[UInt8]]] = ["blip": [], "properties": [], "messages": []]
        var kinds: Set<String> = []
        for name in names + others() {
            let frames = try frames(name)
            let messages = decode(frames)
            if names.contains(name) {
                seeds["blip"]?.append(steps(frames))
                seeds["blip"]?.append(payloads(messages))
            }
            for message in messages where message.payload.count < 700 {
                guard let properties = properties(message), let kind = kind(message) else { continue }
                let shape =
                    "\(kind) " + properties.pairs.map(\.name).joined(separator: ",") + " \(message.payload.last ?? 0)"
                guard kinds.insert(shape).inserted else { continue }
                seeds["messages"]?.append([kind] + message.payload)
                if kinds.count.isMultiple(of: 5) { seeds["properties"]?.append([3] + message.payload) }
            }
        }
        return seeds.mapValues { Array($0.filter { $0.count < 16_384 }.prefix(60)) }
    }

    private static func others() -> [String] {
        RecordedExchanges.index.map(\.name).filter { !names.contains($0) }
    }

    private static func frames(_ name: String) throws -> [Frame] {
        try RecordedExchanges.lines(name).compactMap { line in
            let object = try JSONSerialization.jsonObject(with: line) as? [String: Any]
            guard let object, object["conn"] as? Int == 1, let hex = object["hex"] as? String else { return nil }
            let digits = Array(hex.utf8)
            let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
            }
            return Frame(isFromActive: object["dir"] as? String == "c2s", bytes: bytes)
        }
    }

    /// The steps that a target takes when the other side is the recorded server.
    private static func steps(_ frames: [Frame]) -> [UInt8] {
        var seed: [UInt8] = []
        for frame in frames where frame.bytes.count < 4_096 {
            let isRequest = (try? BLIPFrameHeader.parse(frame.bytes[...]))?.header.flags.type == .request
            if !frame.isFromActive {
                seed += step(.frame, frame.bytes) + step(.answer, [1])
            } else if isRequest {
                seed += step(.request, [UInt8(seed.count & 1)]) + step(.send, [1, 1, 1])
            }
        }
        return seed
    }

    /// The same, with the messages as payloads, which are changed more easily.
    private static func payloads(_ messages: [Message]) -> [UInt8] {
        var seed: [UInt8] = []
        for message in messages where message.payload.count < 2_000 {
            let isRequest = message.flags.type == .request
            if !isRequest { seed += step(.request, [1]) + step(.send, [1, 1]) }
            let number = isRequest ? 0 : UInt8(truncatingIfNeeded: message.number)
            seed += step(.payload, [message.flags.rawValue, number] + message.payload)
        }
        return seed
    }

    private static func step(_ step: BLIPFuzz.Step, _ bytes: [UInt8]) -> [UInt8] {
        [step.rawValue, UInt8(bytes.count & 255), UInt8(bytes.count >> 8)] + bytes
    }

    /// The messages of one BLIP frame of both directions, as far as they decode.
    private static func decode(_ frames: [Frame]) -> [Message] {
        var messages: [Message] = []
        for isFromActive in [true, false] {
            guard var decoder = try? BLIPDecoder(limits: BLIPLimits()) else { continue }
            for frame in frames where frame.isFromActive == isFromActive {
                guard let (header, content) = try? decoder.decode(frame.bytes[...]),
                    case .payload(let payload, _) = content, !header.flags.contains(.moreComing)
                else { continue }
                messages.append(Message(payload: payload, flags: header.flags, number: header.number))
            }
        }
        return messages
    }

    private static func properties(_ message: Message) -> BLIPProperties? {
        var incoming = BLIPIncoming(flags: BLIPFlags(.request), isStreamed: false)
        try? incoming.append(message.payload, wireByteCount: 0, propertiesLimit: 102_400)
        return incoming.properties
    }

    /// The byte by which the target knows what to read a message as; replies are read as every kind.
    private static func kind(_ message: Message) -> UInt8? {
        guard let properties = properties(message) else { return nil }
        guard message.flags.type == .request else {
            let isList = message.payload.last == UInt8(ascii: "]")
            let index = properties["rev"] != nil ? 1 : !isList ? nil : properties["maxHistory"] != nil ? 2 : 0
            return index.map { UInt8(Profile.allCases.count + $0 + (message.number % 2 == 1 && $0 == 0 ? 3 : 0)) }
        }
        let profile = properties["Profile"].flatMap(Profile.init)
        return profile.flatMap { Profile.allCases.firstIndex(of: $0) }.map { UInt8($0) }
    }
}
