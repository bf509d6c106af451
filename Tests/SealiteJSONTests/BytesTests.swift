import Testing

@testable import SealiteJSON

@Suite("varints, exact texts and comparisons of bytes")
struct BytesTests {
    private func read(_ bytes: [UInt8], takesLongForms: Bool) -> UInt64? {
        var position = 0
        let value = Varint.read(bytes.span, &position, limit: bytes.count, takesLongForms: takesLongForms)
        return value != nil && position == bytes.count ? value : nil
    }

    @Test(
        "every width of varint is read back", arguments: [0, 1, 127, 128, 16_383, 16_384, 1 << 62, 1 << 63, UInt64.max])
    func varints(value: UInt64) {
        var bytes: [UInt8] = []
        Varint.append(value, to: &bytes)
        #expect(bytes.count == Varint.byteCount(of: value) && bytes.count <= Varint.maximumByteCount)
        #expect(read(bytes, takesLongForms: false) == value && read(bytes, takesLongForms: true) == value)
        for end in 0..<bytes.count { #expect(read(Array(bytes[..<end]), takesLongForms: true) == nil) }
    }

    @Test("a longer form than the value needs is taken only where it may be, more than 64 bits never")
    func forms() {
        #expect(read([0x80, 0x00], takesLongForms: false) == nil && read([0x80, 0x00], takesLongForms: true) == 0)
        #expect(
            read([0xFF, 0x80, 0x00], takesLongForms: false) == nil
                && read([0xFF, 0x80, 0x00], takesLongForms: true) == 127)
        let tooLarge = [UInt8](repeating: 0xFF, count: 9) + [0x02]
        #expect(read(tooLarge, takesLongForms: true) == nil && read(tooLarge, takesLongForms: false) == nil)
        #expect(read([UInt8](repeating: 0x80, count: 10) + [0x01], takesLongForms: true) == nil)
    }

    @Test("é in one scalar and in two are different exact texts, with different hashes")
    func exactTexts() {
        let (one, two) = ("\u{e9}", "e\u{301}")
        #expect(one == two && ExactText(one) != ExactText(two) && ExactText(one) == ExactText("\u{e9}"))
        #expect(Set([one, two].map(ExactText.init)).count == 2)
    }

    @Test("a string's type is found for each byte at each place of a word, and behind the words")
    func stringTypes() {
        var wrong: [String] = []
        for count in 1...19 {
            for index in 0..<count {
                for byte in UInt8.min...UInt8.max {
                    for other in [UInt8(0x20), 0x61, 0xC3, 0xFF] {
                        var bytes = [UInt8](repeating: other, count: count)
                        bytes[index] = byte
                        let isEscaped = byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F
                        if JSONBWriter.stringType(bytes.span) != (isEscaped ? JSONBType.rawText : JSONBType.text) {
                            wrong.append("\(byte) at \(index) of \(count)")
                        }
                    }
                }
            }
        }
        #expect(wrong.isEmpty)
        #expect(JSONBWriter.stringType([UInt8]().span) == JSONBType.text)
    }

    @Test("the common bytes at the start and the end of two texts are counted at each length")
    func commonBytes() {
        for count in 0...20 {
            for index in 0...count {
                var (left, right) = ([UInt8](0..<UInt8(count)), [UInt8](0..<UInt8(count)))
                if index < count { right[index] = 0xFF }
                #expect(left.span.commonPrefixCount(right.span) == index)
                let suffix = index < count ? count - 1 - index : count
                #expect(left.span.commonSuffixCount(right.span, limit: count) == suffix)
                #expect(left.span.commonSuffixCount(right.span, limit: count / 2) == min(suffix, count / 2))
                left.insert(0xAA, at: 0)
                #expect(left.span.commonSuffixCount(right.span, limit: count) == suffix)
            }
        }
    }
}
