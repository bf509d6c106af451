import Foundation
import SealiteRevisions

/// One BLIP frame of a recorded exchange, with what was recorded of its meaning.
struct RecordedFrame: Sendable {
    let line: Int
    let connection: Int
    let isFromActive: Bool
    let bytes: [UInt8]
    let number: UInt64
    let type: String
    let flags: UInt8
    let acknowledged: UInt64?
    let checksum: String?
    let hasBadChecksum: Bool
    let payloadLength: Int?
    let properties: [String: String]?
    let body: RecordedBody?
}

/// A recorded body: whole, or above 4096 bytes its length and digest.
enum RecordedBody: Sendable {
    case bytes([UInt8])
    case digest(length: Int, sha256: String)

    func matches(_ body: [UInt8]) -> Bool {
        switch self {
        case .bytes(let bytes): bytes == body
        case .digest(let length, let sha256): length == body.count && TestDigest.sha256(body).hex == sha256
        }
    }
}

/// A recorded exchange of `Fixtures/Protocol`.
struct Transcript: Sendable, CustomStringConvertible {
    let name: String
    let frameCount: Int
    let messageCount: Int

    var description: String { name }

    /// Every recording named by the index, with its counts.
    static let all = RecordedExchanges.index.map {
        Transcript(name: $0.name, frameCount: $0.frames, messageCount: $0.messages)
    }

    static func named(_ name: String) throws -> Transcript {
        guard let transcript = all.first(where: { $0.name == name }) else {
            throw RecordedExchanges.Missing(name: name)
        }
        return transcript
    }

    func frames() throws -> [RecordedFrame] {
        try RecordedExchanges.lines(name).enumerated().map { index, line in
            try RecordedFrame(line: index + 1, json: JSONSerialization.jsonObject(with: line))
        }
    }
}

enum TranscriptError: Error {
    case malformed(Int)
}

extension RecordedFrame {
    init(line: Int, json: Any) throws {
        guard let object = json as? [String: Any], let decoded = object["decoded"] as? [String: Any],
            let connection = object["conn"] as? Int, let direction = object["dir"] as? String,
            let hex = object["hex"] as? String, let bytes = [UInt8](hex: hex),
            let number = decoded["msgno"] as? Int, let type = decoded["type"] as? String,
            let flags = decoded["flags"] as? Int
        else { throw TranscriptError.malformed(line) }
        self.line = line
        self.connection = connection
        isFromActive = direction == "c2s"
        self.bytes = bytes
        self.number = UInt64(number)
        self.type = type
        self.flags = UInt8(flags)
        acknowledged = (decoded["ackedBytes"] as? Int).map(UInt64.init)
        checksum = decoded["checksum"] as? String
        payloadLength = decoded["payloadLength"] as? Int
        properties = decoded["properties"] as? [String: String]
        hasBadChecksum = decoded["badChecksum"] as? Bool ?? false
        if let text = decoded["body"] as? String {
            body = .bytes(Array(text.utf8))
        } else if let hex = decoded["body_hex"] as? String {
            body = [UInt8](hex: hex).map(RecordedBody.bytes)
        } else if let length = decoded["bodyLength"] as? Int, let sha256 = decoded["bodySHA256"] as? String {
            body = .digest(length: length, sha256: sha256)
        } else {
            body = nil
        }
    }
}

extension [UInt8] {
    init?(hex: String) {
        let digits = Array(hex.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        self.init()
        reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.nibble(digits[index]), let low = Self.nibble(digits[index + 1]) else { return nil }
            append(high << 4 | low)
        }
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    var hex: String {
        let digits = Array<Character>("0123456789abcdef")
        return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
