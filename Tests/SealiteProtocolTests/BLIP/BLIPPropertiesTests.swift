@testable import SealiteProtocolTestSupport
import Testing

@testable import SealiteProtocol

@Suite("BLIP properties")
struct BLIPPropertiesTests {
    @Test("no properties are one byte of length")
    func empty() throws {
        #expect(BLIPProperties().encoded() == [0])
        #expect(try BLIPProperties(parsing: []) == [:])
    }

    @Test("pairs keep their order and text")
    func roundTrip() throws {
        let properties: BLIPProperties = ["Profile": "rev", "id": "ä→🐟", "empty": "", "": "no name"]
        let bytes = properties.encoded()
        #expect(try BLIPProperties(parsing: bytes[1...]) == properties)
        #expect(properties.pairs.map(\.name) == ["Profile", "id", "empty", ""])
    }

    @Test(
        "properties that are not pairs of text are refused",
        arguments: ["61", "6100", "610062", "61006200630", "6100620061006300", "ff0000", "00", "610062006300"])
    func malformed(_ hex: String) throws {
        let bytes = try #require([UInt8](hex: hex.count.isMultiple(of: 2) ? hex : hex + "0"))
        #expect(throws: BLIPError(.badProperties, "")) { try BLIPProperties(parsing: bytes[...]) }
    }

    @Test("a name that comes twice is refused, however many there are", arguments: [1, 2, 15, 16, 17, 18, 100])
    func repeatedName(_ count: Int) throws {
        let names = (0..<count).map { "name \($0)" }
        func bytes(_ names: [String]) -> [UInt8] { names.flatMap { Array("\($0)\u{0}v\u{0}".utf8) } }
        #expect(try BLIPProperties(parsing: bytes(names)[...]).pairs.map(\.name) == names)
        for name in [names[0], names[count - 1]] {
            #expect(throws: BLIPError(.badProperties, "")) { try BLIPProperties(parsing: bytes(names + [name])[...]) }
        }
    }

    @Test("a NUL in a value cannot forge a property")
    func noForgery() throws {
        var properties: BLIPProperties = ["id": "a"]
        properties["rev"] = "1-a\u{0}deleted\u{0}1"
        #expect(properties == ["id": "a", "rev": "1-a"])
    }

    @Test("properties may be cut anywhere, even inside their length", arguments: 1...8)
    func cut(_ byteCount: Int) throws {
        let value = String(repeating: "v", count: 200)
        let encoder = try Coder(level: 6)
        let receiver = try Endpoint()
        let payload = BLIPProperties(dictionaryLiteral: ("Profile", value)).encoded() + [1, 2, 3]
        var received: [BLIPAction] = []
        for start in stride(from: 0, to: payload.count, by: byteCount) {
            let end = min(start + byteCount, payload.count)
            let flags: BLIPFlags = end < payload.count ? [.moreComing] : []
            received += try receiver.receive(encoder.frame(number: 1, flags: flags, payload: payload[start..<end]))
        }
        #expect(received == [.request(BLIPRequest(number: 1, properties: ["Profile": value], body: [1, 2, 3]))])
    }

    @Test("properties above the limit end the connection before they are collected")
    func tooLarge() throws {
        for (byteCount, isRefused) in [(102_400, false), (102_401, true)] {
            let encoder = try Coder(level: 6)
            let receiver = try Endpoint()
            var payload: [UInt8] = []
            BLIPVarint.append(UInt64(byteCount), to: &payload)
            let frame = try encoder.frame(number: 1, flags: [.moreComing], payload: payload[...])
            if isRefused {
                #expect(throws: BLIPError(.propertiesTooLarge, "")) { try receiver.receive(frame) }
            } else {
                #expect(try receiver.receive(frame) == [])
            }
        }
    }

    @Test("a message that ends before its properties is refused")
    func truncated() throws {
        for payload: [UInt8] in [[], [4, 0x61, 0, 0x62], [0x80]] {
            let encoder = try Coder(level: 6)
            let receiver = try Endpoint()
            let frame = try encoder.frame(number: 1, flags: [], payload: payload[...])
            #expect(throws: BLIPError(.badProperties, "")) { try receiver.receive(frame) }
        }
    }
}
