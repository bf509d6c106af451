@testable import SealiteProtocolTestSupport
import SealiteTestSupport
import Testing

@testable import SealiteProtocol

@Suite("BLIP codec")
struct BLIPCodecTests {
    @Test(
        "a varint is little-endian base 128",
        arguments: [
            (0, "00"), (1, "01"), (127, "7f"), (128, "8001"), (300, "ac02"), (50_000, "d08603"), (128_000, "80e807"),
            (UInt64(UInt32.max), "ffffffff0f"), (UInt64.max, "ffffffffffffffffff01"),
        ])
    func varint(_ value: UInt64, _ hex: String) throws {
        var bytes: [UInt8] = []
        BLIPVarint.append(value, to: &bytes)
        #expect(bytes.hex == hex)
        #expect(BLIPVarint.byteCount(of: value) == bytes.count)
        var index = 0
        #expect(try BLIPVarint.read(bytes[...], at: &index) == value)
        #expect(index == bytes.count)
    }

    @Test(
        "a varint that does not end, or exceeds 64 bits, is refused",
        arguments: ["", "80", "ffffffff", "ffffffffffffffffff02", "80808080808080808080", "ffffffffffffffffffff01"])
    func badVarint(_ hex: String) throws {
        let bytes = try #require([UInt8](hex: hex))
        var index = 0
        #expect(throws: BLIPError(.badVarint, "")) { try BLIPVarint.read(bytes[...], at: &index) }
    }

    @Test(
        "the error of a varint says whether it is cut off or exceeds 64 bits, wherever it begins",
        arguments: [
            ("80", 0, "no last byte"), ("80", 20, "no last byte"), ("ffffffffffffffffff02", 0, "exceeds 64 bits"),
            ("ffffffffffffffffff02", 20, "exceeds 64 bits"),
        ])
    func badVarintReason(_ hex: String, _ start: Int, _ words: String) throws {
        let varint = try #require([UInt8](hex: hex))
        let bytes = [UInt8](repeating: 0, count: start) + varint
        var index = start
        let error = #expect(throws: BLIPError(.badVarint, "")) { try BLIPVarint.read(bytes[...], at: &index) }
        #expect(error?.reason.contains(words) == true)
    }

    /// One direction of a connection, of published bytes: plain, compressed, urgent and compressed again.
    static let stream = [
        "0100225072" + "6f66696c6500676574436865636b706f696e7400636c69656e740063702d580051a8adb4",
        "0208520a28ca4fcbcc4965284e2d71ce484dce2ec8cfcc2b6148ce"
            + "c94c055105ba110cd54a39f9c989394a56c6b50000e5678388",
        "033010" + "50726f66696c65006368616e676573005b5dcce0f1ee",
        "0408d222acba28b58cc140d710a1cbb216001f1c899d",
    ]

    @Test("plain and compressed BLIP frames share a checksum, and compressed ones a deflate stream")
    func publishedStream() throws {
        let receiver = try Endpoint()
        var requests: [BLIPRequest] = []
        for hex in Self.stream {
            for case .request(let request) in try receiver.receive(#require([UInt8](hex: hex))) {
                requests.append(request)
            }
        }
        #expect(requests.map(\.profile) == ["getCheckpoint", "setCheckpoint", "changes", "setCheckpoint"])
        #expect(
            requests.map { String(decoding: $0.body, as: UTF8.self) } == ["", #"{"local":3}"#, "[]", #"{"local":9}"#])
        #expect(requests[3].properties == ["Profile": "setCheckpoint", "client": "cp-X", "rev": "0-1"])
        #expect(requests.map(\.wantsReply) == [true, true, false, true])
    }

    @Test("uncompressed messages encode to the published bytes")
    func publishedBytes() throws {
        let sender = try Endpoint()
        sender.send(BLIPOutgoing(["Profile": "getCheckpoint", "client": "cp-X"]))
        #expect(try sender.nextFrame()?.hex == Self.stream[0])
        let answering = try Endpoint()
        _ = try answering.receive(#require([UInt8](hex: Self.stream[0])))
        answering.reply(to: 1, error: BLIPErrorReply(code: 404, message: "missing"))
        #expect(
            try answering.nextFrame()?.hex
                == "0102214572726f722d446f6d61696e0048545450004572726f722d436f646500343034006d697373696e679210debc")
    }

    @Test("a stored deflate block, as Sync Gateway sends it, is read")
    func storedBlock() throws {
        let decoder = try Coder()
        let frame = try #require([UInt8](hex: "01090003" + "00fcff005b5d00b3d470c4"))
        let (header, content) = try decoder.decode(frame)
        #expect(header.flags.type == .reply)
        #expect(content == .payload([0, 0x5b, 0x5d], wireByteCount: 13))
    }

    @Test("acknowledgements have neither payload nor checksum")
    func acknowledgements() throws {
        #expect(BLIPEncoder.acknowledgement(number: 7, ofReply: true, receivedByteCount: 50_012).hex == "0735dc8603")
        #expect(BLIPEncoder.acknowledgement(number: 7, ofReply: false, receivedByteCount: 131_072).hex == "0734808008")
        let decoder = try Coder()
        #expect(try decoder.decode([0x02, 0x34, 0x90, 0xf4, 0x03]).content == .acknowledged(64_016))
    }

    @Test(
        "payloads of every size near a boundary survive compression",
        arguments: [1, 2, 4_095, 16_337, 16_338, 65_536, 70_000])
    func payloadSizes(_ byteCount: Int) throws {
        let encoder = try Coder(level: 6)
        let decoder = try Coder()
        var random = SeededRandom(part: UInt64(byteCount))
        for payload in [random.bytes(byteCount), [UInt8](repeating: 7, count: byteCount), random.bytes(byteCount)] {
            let frame = try encoder.frame(number: 1, flags: [.compressed], payload: payload[...])
            guard case .payload(let decoded, _) = try decoder.decode(frame).content else {
                Issue.record("no payload")
                return
            }
            #expect(decoded == payload)
        }
    }

    @Test("an empty payload is never sent compressed, and a received one leaves the stream alone")
    func emptyCompressedPayload() throws {
        let encoder = try Coder(level: 6)
        let first = try encoder.frame(number: 1, flags: [.compressed], payload: [1, 2, 3])
        let empty = try encoder.frame(number: 1, flags: [.compressed], payload: [])
        let last = try encoder.frame(number: 1, flags: [.compressed], payload: [1, 2, 3])
        #expect(empty[1] == 0)
        let decoder = try Coder()
        _ = try decoder.decode(first)
        // Couchbase Lite Core may send it with the flag.
        var flagged = empty
        flagged[1] = BLIPFlags.compressed.rawValue
        #expect(try decoder.decode(flagged).content == .payload([], wireByteCount: 4))
        #expect(try decoder.decode(last).content == .payload([1, 2, 3], wireByteCount: UInt64(last.count - 2)))
    }

    @Test("level 0 sends nothing compressed")
    func compressionOff() throws {
        let encoder = try Coder(level: 0)
        #expect(try encoder.frame(number: 1, flags: [.compressed], payload: [1, 2, 3]).prefix(5) == [1, 0, 1, 2, 3])
    }

    @Test("what is no BLIP frame is refused with its reason")
    func brokenFrames() throws {
        let cases: [(String, BLIPError.Code)] = [
            ("", .truncatedFrame), ("01", .badVarint), ("0100", .truncatedFrame), ("0100000000", .truncatedFrame),
            ("010000deadbeef", .badChecksum), ("0108ffffff00000000", .badCompression), ("0134", .badVarint),
            ("0134ff", .badVarint), ("ffffffffffffffffffff0100", .badVarint),
        ]
        for (hex, code) in cases {
            let receiver = try Endpoint()
            let bytes = try #require([UInt8](hex: hex))
            #expect(throws: BLIPError(code, "")) { try receiver.receive(bytes) }
            #expect(throws: BLIPError(.closed, "")) { try receiver.receive(bytes) }
        }
    }

    @Test("a deflate bomb is cut off at the limit")
    func deflateBomb() throws {
        let encoder = try Coder(level: 9)
        let frame = try encoder.frame(
            number: 1, flags: [.compressed], payload: [UInt8](repeating: 0, count: 1 << 20)[...])
        #expect(frame.count < 2_000)
        var limits = BLIPLimits()
        limits.inflatedFrameByteCount = (1 << 20) - 1
        var decoder = try Coder(limits: limits)
        #expect(throws: BLIPError(.inflatedTooLarge, "")) { try decoder.decode(frame) }
        limits.inflatedFrameByteCount = 1 << 20
        decoder = try Coder(limits: limits)
        _ = try decoder.decode(frame)
    }

    @Test(
        "payloads of all sizes travel compressed, in frames that take no more memory than they need",
        arguments: [1, 2, 127, 128, 1_023, 1_024, 1_025, 16_384, 32_767, 32_768, 32_769, 65_536, 100_000])
    func sizes(_ count: Int) throws {
        var random = SeededRandom(seed: UInt64(count))
        let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        let (sender, receiver) = (try Coder(level: 3), try Coder())
        for (number, payload) in [noise, [UInt8](repeating: 0x61, count: count), noise].enumerated() {
            let frame = try sender.frame(number: UInt64(number + 1), flags: [.compressed], payload: payload[...])
            #expect(frame.capacity <= frame.count + frame.count / 8 + 64)
            guard case .payload(let read, _) = try receiver.decode(frame).content else {
                Issue.record("a frame with a payload")
                continue
            }
            #expect(read == payload)
        }
    }

    @Test("BLIP frames of undefined kinds pass through the codec and are dropped")
    func undefinedKinds() throws {
        let encoder = try Coder(level: 6)
        let receiver = try Endpoint()
        for kind: UInt8 in [3, 6, 7] {
            let flags = BLIPFlags(rawValue: kind).union(.compressed)
            #expect(try receiver.receive(encoder.frame(number: 9, flags: flags, payload: [1, 2, 3])) == [])
        }
        let frame = try encoder.frame(number: 1, flags: [.compressed], payload: [0])
        #expect(try receiver.receive(frame).count == 1)
    }

    @Test("bits without a meaning are ignored")
    func unknownFlagBits() throws {
        let encoder = try Coder(level: 6)
        let receiver = try Endpoint()
        var frame = try encoder.frame(number: 1, flags: [], payload: [0])
        // The flags as a varint of two bytes, with bits 7 and 9 set.
        frame.replaceSubrange(1..<2, with: [0x80, 0x05])
        #expect(try receiver.receive(frame).count == 1)
    }
}
