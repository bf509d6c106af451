import CSQLite
import SealiteJSON

// The results are those of FTS5's own functions `snippet` and `highlight`, which take time in the square of the number
// of hits and can't be interrupted. https://sqlite.org/fts5.html#the_snippet_function

/// The function `query_highlight(table, column, before, after)` of FTS5: the text of a column with the hits marked; NULL
/// for a column that the table doesn't have.
func giveHighlight(
    _ api: UnsafePointer<Fts5ExtensionApi>?, _ table: OpaquePointer?, _ context: OpaquePointer?, _ count: CInt,
    _ arguments: SQLArguments
) {
    unsafe FullTextRow.withRow(api, table, context, count, arguments) { row in
        guard row.call.count == 3 else {
            return row.call.fail("wrong number of arguments to query_highlight(): it takes a table and 3 arguments")
        }
        let column = row.call.integer(0)
        guard (0..<row.columnCount).contains(column) else { return }
        let marked = unsafe MarkedText(before: row.call.bytes(1), after: row.call.bytes(2))
        _ = try unsafe row.withText(ofColumn: column) { text in
            let words = try unsafe row.words(of: text)
            let hits = try row.hits().filter { $0.column == column }
            try row.call.give(text: try unsafe marked.text(text, words, hits, row))
        }
    }
}

/// The function `query_snippet(table, column, before, after, ellipsis, count)` of FTS5: at most `count` words around the
/// hits of a column, or of the best column for -1.
func giveSnippet(
    _ api: UnsafePointer<Fts5ExtensionApi>?, _ table: OpaquePointer?, _ context: OpaquePointer?, _ count: CInt,
    _ arguments: SQLArguments
) {
    unsafe FullTextRow.withRow(api, table, context, count, arguments) { row in
        guard row.call.count == 5 else {
            return row.call.fail("wrong number of arguments to query_snippet(): it takes a table and 5 arguments")
        }
        let (column, size) = (row.call.integer(0), row.call.integer(4))
        guard column < row.columnCount else { return try FullTextRow.check(SQLITE_RANGE) }
        let hits = try row.hits()
        var best = SnippetChoice(column: max(column, 0))
        for candidate in column < 0 ? 0..<row.columnCount : column..<column + 1 {
            let found = hits.filter { $0.column == candidate }
            guard !found.isEmpty else { continue }
            _ = try unsafe row.withText(ofColumn: candidate) { text in
                try best.add(candidate, found, words: try unsafe row.words(of: text), of: unsafe text.span, size, row)
            }
        }
        let marked = unsafe MarkedText(before: row.call.bytes(1), after: row.call.bytes(2), ellipsis: row.call.bytes(3))
        _ = try unsafe row.withText(ofColumn: best.column) { text in
            let words = try unsafe row.words(of: text)
            let found = hits.filter { $0.column == best.column }
            try row.call.give(text: try unsafe marked.text(text, words, found, row, from: best.start, count: size))
        }
    }
}

/// The choice of the words with the best score.
///
/// The score of a range of words is 1000 for each phrase with a hit in it, and 1 for each further hit; a range that
/// begins with a sentence has 100 more, with the text 120 more. Candidates are the ranges that begin with a hit, moved so
/// that their hits are in the middle, and those that begin with the sentence of a hit.
private struct SnippetChoice {
    private(set) var column: Int
    /// The number of the first word.
    private(set) var start = 0
    private var score = 0

    init(column: Int) { self.column = column }

    private mutating func offer(_ score: Int, _ column: Int, _ start: Int) {
        if score > self.score { (self.score, self.column, self.start) = (score, column, start) }
    }

    /// Considers the ranges of `size` words of a column with the given hits and words.
    mutating func add(
        _ column: Int, _ hits: [TextHit], words: [Range<Int32>], of text: borrowing Span<UInt8>, _ size: Int,
        _ row: FullTextRow
    ) throws {
        let sentences = try Self.sentences(words, text, row.call)
        var window = SnippetWindow(hits, size, phraseCount: row.phraseCount)
        var sentenceWindow = window
        var sentence = 0
        for hit in hits {
            guard hit.place <= words.count else { return try FullTextRow.check(SQLITE_CORRUPT) }
            try row.call.charge(2)
            window.move(to: hit.place)
            offer(window.score, column, window.centre(in: words.count, row))
            guard !sentences.isEmpty, words.count > size else { continue }
            while sentence < sentences.count - 1, sentences[sentence + 1] <= hit.place { sentence += 1 }
            let start = Int(sentences[sentence])
            guard start < hit.place else { continue }
            sentenceWindow.move(to: start)
            offer(sentenceWindow.score + (start == 0 ? 120 : 100), column, start)
        }
    }

    /// Returns the numbers of the words that begin a sentence: the first word, and each word before which there is white
    /// space after a full stop or a colon.
    private static func sentences(
        _ words: [Range<Int32>], _ text: borrowing Span<UInt8>, _ call: QueryCall
    ) throws -> [Int32] {
        var sentences: [Int32] = []
        for (number, word) in words.enumerated() {
            try call.charge(1)
            guard number > 0 else {
                sentences.append(0)
                continue
            }
            var offset = Int(word.lowerBound) - 1
            while offset >= 0, text[offset] == 0x20 || (0x09...0x0A).contains(text[offset]) || text[offset] == 0x0D {
                offset -= 1
            }
            guard offset >= 0, offset < Int(word.lowerBound) - 1 else { continue }
            if text[offset] == 0x2E || text[offset] == 0x3A { sentences.append(Int32(truncatingIfNeeded: number)) }
        }
        return sentences
    }
}

/// The hits of a column in a range of words that moves towards the end of the text: each hit enters and leaves it once.
private struct SnippetWindow {
    private let hits: [TextHit]
    private let size: Int
    /// The number of hits in the range, by phrase.
    private var counts: [Int32]
    private var phraseCount = 0
    private var first = 0
    private var end = 0

    init(_ hits: [TextHit], _ size: Int, phraseCount: Int) {
        (self.hits, self.size) = (hits, size)
        counts = Array(repeating: 0, count: phraseCount)
    }

    /// Moves the range so that it begins with the word with a number, which must not be less than before.
    mutating func move(to start: Int) {
        let limit = start + size
        while end < hits.count, hits[end].place < limit {
            let phrase = hits[end].phrase
            if counts[phrase] == 0 { phraseCount += 1 }
            counts[phrase] += 1
            end += 1
        }
        while first < end, hits[first].place < start {
            let phrase = hits[first].phrase
            counts[phrase] -= 1
            if counts[phrase] == 0 { phraseCount -= 1 }
            first += 1
        }
    }

    /// The score of the range.
    var score: Int { 999 * phraseCount + (end - first) }

    /// Returns the number of the first word of a range of the same size that has the hits in its middle, as far as the
    /// text has words there.
    func centre(in wordCount: Int, _ row: FullTextRow) -> Int {
        var (begin, last) = (-1, 0)
        if first < end {
            begin = hits[first].place
            last = hits[end - 1].place + row.wordCount(ofPhrase: hits[end - 1].phrase)
        }
        let start = begin - (size - (last - begin)) / 2
        return max(start + size > wordCount ? wordCount - size : start, 0)
    }
}

/// A text in which hits are marked.
@safe private struct MarkedText {
    let before: UnsafeBufferPointer<UInt8>
    let after: UnsafeBufferPointer<UInt8>
    let ellipsis: UnsafeBufferPointer<UInt8>

    init(
        before: UnsafeBufferPointer<UInt8>, after: UnsafeBufferPointer<UInt8>,
        ellipsis: UnsafeBufferPointer<UInt8> = unsafe UnsafeBufferPointer(start: nil, count: 0)
    ) {
        unsafe (self.before, self.after, self.ellipsis) = (before, after, ellipsis)
    }

    /// Returns `count` words of a text from the word with the number `start` on, or the whole text if `count` is nil,
    /// with the given hits marked. Hits that overlap have one mark. An ellipsis stands for the words that are left out.
    func text(
        _ text: UnsafeBufferPointer<UInt8>, _ words: [Range<Int32>], _ hits: [TextHit], _ row: FullTextRow,
        from start: Int = 0, count: Int? = nil
    ) throws -> GrowingBytes {
        let text = unsafe text.span
        let last = count.map { start + $0 - 1 } ?? words.count
        let maximum = row.call.maximumByteCount
        var result = GrowingBytes(capacity: count == nil ? text.count : 256)
        var offset = 0
        if start > 0 {
            result.append(unsafe ellipsis.span)
            if words.indices.contains(start) { offset = Int(words[start].lowerBound) }
        }
        var marks = MarkedRanges(hits)
        while let place = marks.next(row) {
            try row.call.charge(1)
            guard place.lowerBound >= start else { continue }
            guard place.lowerBound <= last, words.indices.contains(place.lowerBound) else { break }
            let begin = Int(words[place.lowerBound].lowerBound)
            result.append(text, offset, max(begin, offset))
            result.append(unsafe before.span)
            offset = max(begin, offset)
            let ending = min(place.upperBound, last, words.count - 1)
            let end = max(Int(words[ending].upperBound), offset)
            result.append(text, offset, end)
            result.append(unsafe after.span)
            offset = end
            guard result.count <= maximum else { throw CallFailure.tooLarge }
            if ending < place.upperBound { break }
        }
        if last < words.count - 1 {
            if words.indices.contains(last) { result.append(text, offset, max(Int(words[last].upperBound), offset)) }
            result.append(unsafe ellipsis.span)
        } else {
            result.append(text, offset, text.count)
        }
        guard result.count <= maximum else { throw CallFailure.tooLarge }
        return result
    }
}

/// The ranges of words that hits cover, from the numbers of their first to those of their last words; overlapping ones
/// are one range.
private struct MarkedRanges {
    private let hits: [TextHit]
    private var index = 0

    init(_ hits: [TextHit]) { self.hits = hits }

    mutating func next(_ row: FullTextRow) -> ClosedRange<Int>? {
        guard index < hits.count else { return nil }
        let start = hits[index].place
        var end = start
        while index < hits.count, hits[index].place <= end {
            end = max(end, hits[index].place - 1 + row.wordCount(ofPhrase: hits[index].phrase))
            index += 1
        }
        return start...end
    }
}

extension QueryCall {
    /// Returns the argument with an index as SQLite converts it to an integer.
    fileprivate func integer(_ index: Int) -> Int { unsafe Int(sqlite3_value_int(argument(index))) }

    /// Returns the bytes of the argument with an index as SQLite converts it to a text; none for NULL.
    fileprivate func bytes(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        guard let text = unsafe sqlite3_value_text(argument(index)) else {
            return unsafe UnsafeBufferPointer(start: nil, count: 0)
        }
        return unsafe UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(argument(index))))
    }
}
