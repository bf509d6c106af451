/// Sanitises a peer's text before it is shown or stored.
enum ForeignText {
    /// Returns the text as one line without control characters and bidirectional formatting, truncated to `byteLimit`
    /// bytes of UTF-8. An ellipsis, which isn't counted, follows a truncated text.
    static func shown(_ text: String, byteLimit: Int) -> String {
        var shown = String.UnicodeScalarView()
        var byteCount = 0
        for scalar in text.unicodeScalars {
            guard let kept = replacement(of: scalar) else { continue }
            byteCount += UTF8.width(kept)
            guard byteCount <= byteLimit else {
                shown.append("\u{2026}")
                break
            }
            shown.append(kept)
        }
        return String(shown)
    }

    private static func replacement(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x2028, 0x2029: " "
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: nil
        default: scalar
        }
    }
}
