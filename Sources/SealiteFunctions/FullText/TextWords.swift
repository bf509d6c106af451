/// The words of a text in their order, for determining whether two texts would have the same tokens in an index.
package struct TextWords: Equatable {
    /// The words in UTF-8 after case folding, each followed by a zero byte.
    private var bytes: [UInt8] = []

    /// Creates the words of a text, without stemming and with stop words: texts with the same words have the same
    /// tokens in an index with any settings that treat accents the same way.
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
