/// The words of a text, in their order, for comparing texts by what an index has of them.
package struct TextWords: Equatable {
    /// The words, folded, a zero byte behind each.
    private var bytes: [UInt8] = []

    /// The words of a text, without stems and with stop words: texts that have the same words here have the same in an index with any settings that treat accents so.
    package init(_ text: [UInt8], ignoresAccents: Bool) {
        var settings = WordSettings()
        settings.ignoresAccents = ignoresAccents
        let tokenizer = WordTokenizer(settings)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count + 1)
        unsafe text.withUnsafeBufferPointer { text in
            unsafe tokenizer.forEachWord(in: text, []) { word in
                unsafe bytes.append(contentsOf: word.token)
                bytes.append(0)
                return true
            }
        }
        self.bytes = bytes
    }
}
