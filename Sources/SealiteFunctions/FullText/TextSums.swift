/// Checksums of the words of texts, for comparing an index with its documents: they are equal if the words with their
/// documents, columns and positions are equal.
package struct TextSums: ~Copyable {
    /// A checksum that doesn't depend on the order in which words are added.
    package struct Sum: Equatable {
        /// The number of words that were added.
        package private(set) var count = 0
        private var sum: UInt64 = 0

        package init() {}

        /// Adds the bytes of a word, with its position in a column of a document, or the bytes of a document's word
        /// counts.
        package mutating func add(_ bytes: borrowing Span<UInt8>, _ document: Int64, _ column: Int, _ place: Int) {
            var hash = UInt64(bitPattern: document) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: place)
            hash = (hash ^ UInt64(truncatingIfNeeded: column) << 48) &* 0xBF58_476D_1CE4_E5B9
            for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3 }
            hash ^= hash >> 31
            count += 1
            sum &+= hash &* 0x94D0_49BB_1331_11EB
        }
    }

    private let tokenizer: WordTokenizer
    /// The checksum of the words of all texts that were added.
    package private(set) var words = Sum()
    /// The checksum of the word counts of the documents' columns, as FTS5 stores them.
    package private(set) var sizes = Sum()
    /// The word counts of the columns of the document that is being added, in the form in which FTS5 stores them.
    private var document: [UInt8] = []

    package init(_ settings: WordSettings) { tokenizer = WordTokenizer(settings) }

    /// Adds the words of the text in the next column of the document with a number.
    package mutating func add(_ text: borrowing Span<UInt8>, of number: Int64, _ column: Int) {
        var place = 0
        var sum = words
        let tokenizer = self.tokenizer
        unsafe text.withUnsafeBufferPointer { text in
            unsafe tokenizer.forEachWord(in: text, .document) { word in
                sum.add(unsafe word.token.span, number, column, place)
                if unsafe !word.word.isEmpty { sum.add(unsafe word.word.span, number, column, place) }
                place += 1
                return true
            }
        }
        words = sum
        var groups = [UInt8(truncatingIfNeeded: place & 127)]
        while place > 127 {
            place >>= 7
            groups.append(UInt8(truncatingIfNeeded: place & 127 | 128))
        }
        document += groups.reversed()
    }

    /// Ends the document with a number, after all its columns were added, and adds its word counts to `sizes`.
    package mutating func endDocument(_ number: Int64) {
        let sizes = document
        self.sizes.add(sizes.span, number, 0, 0)
        document.removeAll()
    }
}

/// The words of a text in their order, for determining whether another text would have the same tokens in an index.
package struct TextWords {
    private let tokenizer: WordTokenizer
    /// The words in UTF-8 after case folding, each followed by a zero byte.
    private var bytes: [UInt8] = []

    /// Creates the words of a text, without stemming and with stop words: texts with the same words have the same
    /// tokens in an index with any settings that treat accents the same way.
    package init(_ text: [UInt8], ignoresAccents: Bool) {
        var settings = WordSettings()
        settings.ignoresAccents = ignoresAccents
        tokenizer = WordTokenizer(settings)
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

    /// Returns whether another text has the same words in the same order. It is read up to its first other word only.
    package func areThose(of text: [UInt8]) -> Bool {
        var (start, isSame) = (0, true)
        unsafe text.withUnsafeBufferPointer { text in
            unsafe tokenizer.forEachWord(in: text, []) { word in
                let end = unsafe start + word.token.count
                isSame = unsafe end < bytes.count && bytes[end] == 0 && bytes[start..<end].elementsEqual(word.token)
                start = end + 1
                return isSame
            }
        }
        return isSame && start == bytes.count
    }
}
