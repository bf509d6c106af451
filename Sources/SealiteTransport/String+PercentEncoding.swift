extension String {
    /// The text as part of a URL's path: all but letters, digits and `-._~` percent-encoded.
    package var percentEncoded: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for byte in utf8 {
            let isPlain =
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-._~".utf8.contains(byte)
            text += isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
