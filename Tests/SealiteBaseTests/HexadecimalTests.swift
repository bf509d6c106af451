import SealiteBase
import Testing

@Suite("hexadecimal digits")
struct HexadecimalTests {
    @Test("hexadecimal digits are read in either case, and nothing else is")
    func hexadecimal() {
        let all = (UInt8.min...UInt8.max).map { $0 }
        let text = Hexadecimal.text(of: all)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hexadecimal.bytes(of: text) == all && Hexadecimal.bytes(of: text.uppercased()) == all)
        #expect(Hexadecimal.bytes(of: "") == [])
        for wrong in ["0", "0g", "abc", " 00", "0x00", "é0", "\u{FF11}0", "0/", "0:", "0@", "0`"] {
            #expect(Hexadecimal.bytes(of: wrong) == nil, "\(wrong)")
        }
    }

    @Test("only lowercase letters have a value where uppercase ones are refused")
    func lowercase() {
        for byte in UInt8.min...UInt8.max {
            let expected = (0x41...0x5A).contains(byte) ? nil : Hexadecimal.value(byte)
            if Hexadecimal.lowercaseValue(byte) != expected { Issue.record("\(byte)") }
        }
        #expect((0..<16).map { Hexadecimal.lowercaseValue(Hexadecimal.digit($0)) } == (0..<16).map { $0 })
    }

    @Test("a UUID is written in the groups of RFC 9562")
    func uuid() {
        #expect(Hexadecimal.uuid((0..<16).map { $0 * 17 }) == "00112233-4455-6677-8899-aabbccddeeff")
    }
}
