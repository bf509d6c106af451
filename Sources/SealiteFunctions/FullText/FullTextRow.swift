import CSQLite
import SealiteJSON

/// The current row of a query of an FTS5 table: the hits of the search text, and the words of the texts. Valid for the
/// duration of a call.
///
/// FTS5's own `xInst` isn't used: the first call of it takes time in the product of the numbers of hits and phrases, and
/// can't be interrupted.
@safe struct FullTextRow {
    let api: Fts5ExtensionApi
    let table: OpaquePointer?
    let call: QueryCall

    /// A result code of SQLite, other than `SQLITE_OK`, that a call of FTS5 returned.
    struct Failure: Error {
        let code: CInt
    }

    /// Runs `body` for a call of a function of FTS5, and makes the statement fail if `body` throws.
    static func withRow(
        _ api: UnsafePointer<Fts5ExtensionApi>?, _ table: OpaquePointer?, _ context: OpaquePointer?, _ count: CInt,
        _ arguments: SQLArguments, _ body: (FullTextRow) throws -> Void
    ) {
        guard let api = unsafe api?.pointee else { return }
        let work = unsafe api.xUserData(table)?.assumingMemoryBound(to: ConnectionWork.self)
        let call = unsafe QueryCall(context, count, arguments, work)
        do {
            try body(unsafe FullTextRow(api: api, table: table, call: call))
        } catch let failure as Failure {
            unsafe sqlite3_result_error_code(context, failure.code)
        } catch {
            call.fail(error)
        }
    }

    /// Throws `Failure` for a result code other than `SQLITE_OK`.
    static func check(_ code: CInt) throws {
        switch code {
        case SQLITE_OK: break
        case SQLITE_INTERRUPT: throw CallFailure.interrupted
        default: throw Failure(code: code)
        }
    }

    /// The number of words and phrases of the search text.
    var phraseCount: Int { Int(max(unsafe api.xPhraseCount(table), 0)) }

    /// The number of the table's columns.
    var columnCount: Int { Int(max(unsafe api.xColumnCount(table), 0)) }

    /// Returns the number of words of the phrase with a number, from 0, of the search text.
    func wordCount(ofPhrase phrase: Int) -> Int { Int(unsafe api.xPhraseSize(table, CInt(truncatingIfNeeded: phrase))) }

    /// Returns the hits in all columns, in the order of columns, places and phrases.
    func hits() throws -> [TextHit] {
        var hits: [TextHit] = []
        for phrase in 0..<phraseCount {
            var iterator = unsafe Fts5PhraseIter()
            var (column, place): (CInt, CInt) = (-1, -1)
            try Self.check(
                unsafe api.xPhraseFirst(table, CInt(truncatingIfNeeded: phrase), &iterator, &column, &place))
            while column >= 0 {
                try call.charge(1)
                if let hit = TextHit(column: Int(column), place: Int(place), phrase: phrase) { hits.append(hit) }
                unsafe api.xPhraseNext(table, &iterator, &column, &place)
            }
        }
        guard phraseCount > 1 else { return hits }
        try hits.sort { left, right in
            try call.charge(1)
            return left.rank < right.rank
        }
        return hits
    }

    /// Calls `body` with the text of the column with an index, and returns its result; nil, without a call, for NULL.
    func withText<Result>(
        ofColumn column: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) throws -> Result? {
        var (text, byteCount): (UnsafePointer<CChar>?, CInt) = (nil, 0)
        try Self.check(unsafe api.xColumnText(table, CInt(truncatingIfNeeded: column), &text, &byteCount))
        guard let text = unsafe text else { return nil }
        return try unsafe text.withMemoryRebound(to: UInt8.self, capacity: Int(byteCount)) {
            try unsafe body(UnsafeBufferPointer(start: $0, count: Int(byteCount)))
        }
    }

    /// Returns the ranges of the words in a text of the table.
    func words(of text: UnsafeBufferPointer<UInt8>) throws -> [Range<Int32>] {
        let words = FoundWords(call)
        guard let base = text.baseAddress else { return [] }
        try unsafe base.withMemoryRebound(to: CChar.self, capacity: text.count) { characters in
            let context = unsafe Unmanaged.passUnretained(words).toOpaque()
            let code = unsafe api.xTokenize(table, characters, CInt(text.count), context) {
                context, flags, _, _, start, end in
                guard let context = unsafe context else { return SQLITE_MISUSE }
                guard flags & FTS5_TOKEN_COLOCATED == 0, start <= end else { return SQLITE_OK }
                return unsafe Unmanaged<FoundWords>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.add(start..<end) }
            }
            try Self.check(code)
        }
        return words.places
    }
}

/// A hit of a word or phrase of a search text: the column, the number of the hit's first word in the text of the column,
/// and the number of the phrase, all from 0.
struct TextHit {
    /// The three numbers, so that hits are ordered by it: 11 bits for the column, 31 for the place, 22 for the phrase.
    let rank: UInt64

    /// Creates a hit; nil if a number is greater than any that FTS5 can have.
    init?(column: Int, place: Int, phrase: Int) {
        guard (0..<1 << 11).contains(column), (0..<1 << 31).contains(place), (0..<1 << 22).contains(phrase) else {
            return nil
        }
        rank = UInt64(column) << 53 | UInt64(place) << 22 | UInt64(phrase)
    }

    var column: Int { Int(rank >> 53) }
    var place: Int { Int(rank >> 22 & (1 << 31 - 1)) }
    var phrase: Int { Int(rank & (1 << 22 - 1)) }
}

/// The byte ranges of the words that FTS5 has found in a text.
private final class FoundWords {
    private(set) var places: [Range<Int32>] = []
    private let call: QueryCall

    init(_ call: QueryCall) { self.call = call }

    /// Adds a word, and returns a result code of SQLite.
    func add(_ place: Range<Int32>) -> CInt {
        places.append(place)
        do throws(CallFailure) {
            try call.charge(1)
            return SQLITE_OK
        } catch {
            return SQLITE_INTERRUPT
        }
    }
}

/// The function `query_hits(table, name, …)` of FTS5: an array of the hits of the search text in a row, each an object.
/// The further arguments are the names of the table's columns.
func giveHits(
    _ api: UnsafePointer<Fts5ExtensionApi>?, _ table: OpaquePointer?, _ context: OpaquePointer?, _ count: CInt,
    _ arguments: SQLArguments
) {
    unsafe FullTextRow.withRow(api, table, context, count, arguments) { row in
        var writer = JSONBWriter()
        let begun = writer.begin(guess: 64)
        var words: [Range<Int32>] = []
        var known: Int?
        for hit in try row.hits() {
            try row.call.charge(1)
            if hit.column != known {
                words = try unsafe row.withText(ofColumn: hit.column) { try unsafe row.words(of: $0) } ?? []
                known = hit.column
            }
            let last = hit.place + max(row.wordCount(ofPhrase: hit.phrase), 1) - 1
            guard words.indices.contains(hit.place), words.indices.contains(last) else { continue }
            append(hit, words[hit.place].lowerBound..<words[last].upperBound, row.call, &writer)
        }
        writer.end(JSONBType.array, begun)
        try row.call.give(writer)
    }
}

/// Appends the object that describes a hit, whose bytes in the column's text are `place`.
private func append(_ hit: TextHit, _ place: Range<Int32>, _ call: QueryCall, _ writer: inout JSONBWriter) {
    let begun = writer.begin(guess: 48)
    writer.string("column")
    if hit.column < call.count, case .string = call[hit.column] {
        writer.append(call[hit.column])
    } else {
        writer.integer(Int64(hit.column))
    }
    writer.string("term")
    writer.integer(Int64(hit.phrase))
    writer.string("offset")
    writer.integer(Int64(place.lowerBound))
    writer.string("length")
    writer.integer(Int64(place.count))
    writer.end(JSONBType.object, begun)
}
