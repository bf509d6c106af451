import Foundation
import Testing

@testable import SealiteBase

@Suite("Base64")
struct Base64Tests {
    @Test("bytes of every length are written as RFC 4648 says, and read again", arguments: 0...66)
    func everyLength(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 255) }
        let text = Base64.encode(bytes)
        #expect(text == Data(bytes).base64EncodedString())
        #expect(Base64.decode(text) == bytes)
        #expect(Base64.decode(text.filter { $0 != "=" }, allowsMissingPadding: true) == bytes)
    }

    @Test(
        "text that isn't what bytes are written as is refused",
        arguments: ["A", "AA", "AAA", "AA=", "AB==", "AAB=", "A===", "====", "AA==AA==", "AA\u{e9}A", "A A=", "-_-_"])
    func refused(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(
        "without padding, too, only one text stands for some bytes",
        arguments: ["A", "AB", "AAB", "AA=", "A=", "=", "AAAAA"])
    func refusedWithoutPadding(text: String) {
        #expect(Base64.decode(text, allowsMissingPadding: true) == nil)
    }
}
