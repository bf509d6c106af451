extension String {
    /// The text of UTF-8; nil for other bytes. The library's `String(validating:as:)` takes them one scalar at a time, which is
    /// slow for the dozen fields that every message has.
    init?(utf8 bytes: ArraySlice<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes.span) else { return nil }
        self.init(copying: text)
    }
}
