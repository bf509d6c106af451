/// A host and an optional port, in the form of URLs and of headers that proxies set: `sync.example.com:4984`,
/// `[::1]:80`.
///
/// Only the form is checked. The caller checks the characters of the host and the number of the port.
package struct Authority {
    /// The host in the form in which it was given, without the brackets of an IPv6 address; never empty.
    package let host: Substring
    /// A Boolean value that indicates whether the host is in brackets.
    package let isBracketed: Bool
    /// The text after the colon; nil without a colon.
    package let portText: Substring?

    /// Splits a text; nil if it has no host, if its brackets don't match, or if anything but a colon follows the host.
    package init?(_ text: Substring) {
        isBracketed = text.first == "["
        let end =
            isBracketed ? text.firstIndex(of: "]") : text.firstIndex { $0 == ":" } ?? text.endIndex
        guard let end else { return nil }
        host = isBracketed ? text[text.index(after: text.startIndex)..<end] : text[..<end]
        let rest = isBracketed ? text[text.index(after: end)...] : text[end...]
        guard !host.isEmpty, !host.contains(where: { $0 == "[" || $0 == "]" }),
            rest.isEmpty || rest.first == ":"
        else {
            return nil
        }
        portText = rest.isEmpty ? nil : rest.dropFirst()
    }

    /// The number of the port; nil without a colon, or if the text after it isn't a number from 1 to 65535 in ASCII
    /// digits.
    package var port: Int? {
        guard let portText, portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(portText),
            (1...65_535).contains(port)
        else { return nil }
        return port
    }
}
