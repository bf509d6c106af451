extension String {
    /// Decodes UTF-8; nil if it is invalid. The standard library's `String(validating:as:)` decodes one scalar at a
    /// time, which is slow for the dozen fields of every message.
    init?(utf8 bytes: ArraySlice<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes.span) else { return nil }
        self.init(copying: text)
    }
}
