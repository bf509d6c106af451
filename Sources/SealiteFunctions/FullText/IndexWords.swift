/// The words of texts as a full-text index has them, for searches outside of SQL.
// Not Sendable: the tokenizer has a buffer for the current word.
package final class IndexWords {
    /// A word of a text.
    package struct Word: Equatable {
        /// The word's token, in UTF-8: its stem, or the folded word if it isn't stemmed.
        package let token: [UInt8]
        /// The range of the word in the text, in bytes.
        package let range: Range<Int>
    }

    private let tokenizer: WordTokenizer

    package init(_ settings: WordSettings) { tokenizer = WordTokenizer(settings) }

    /// Returns the words of a text in UTF-8, in order, without stop words.
    package func words(of text: [UInt8]) -> [Word] {
        var words: [Word] = []
        unsafe text.withUnsafeBufferPointer { text in
            unsafe tokenizer.forEachWord(in: text, []) { word in
                words.append(Word(token: unsafe Array(word.token), range: word.range))
                return true
            }
        }
        return words
    }
}
