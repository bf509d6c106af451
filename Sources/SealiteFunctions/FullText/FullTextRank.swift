import CSQLite
import Glibc

/// The state of `query_rank` for one query of an FTS5 table: BM25's statistics of all rows, and the best scores so far.
/// https://sqlite.org/fts5.html#the_bm25_function
private final class RankedQuery {
    /// The constant k1 of BM25, which limits the effect of a phrase that occurs often.
    private static let saturation = 1.2
    /// The constant b of BM25, which determines how much a document's size matters: 0 for not at all, at most 1.
    private static let sizeShare = 0.75
    /// The number of found rows, counted once for each phrase that they contain, from which on the word counts of
    /// documents are read in the order of the documents; for fewer rows each word count is looked up separately.
    private static let leastOrderedCount: Int64 = 200

    /// The inverse document frequency of each phrase of the search text.
    private var rarities: [Double] = []
    /// The frequency of each phrase of the search text in the current row, weighted by columns.
    private var frequencies: [Double] = []
    private var averageSize = 0.0
    private var hitCount: Int64 = 0
    private var sizes: DocumentSizes?
    private var best = BestScores()

    /// Reads the statistics of all rows that BM25 needs.
    ///
    /// - Returns: a result code of SQLite.
    func prepare(
        _ api: UnsafePointer<Fts5ExtensionApi>, _ table: OpaquePointer?, _ call: BodyCall,
        _ work: UnsafeMutablePointer<ConnectionWork>?
    ) -> CInt {
        var (rowCount, wordCount): (Int64, Int64) = (0, 0)
        var code = unsafe api.pointee.xRowCount(table, &rowCount)
        if code == SQLITE_OK { code = unsafe api.pointee.xColumnTotalSize(table, -1, &wordCount) }
        averageSize = Double(wordCount) / Double(rowCount)
        for phrase in 0..<max(unsafe api.pointee.xPhraseCount(table), 0) where code == SQLITE_OK {
            let counter = RowCounter(unsafe QueryCall(call.context, 0, nil, work))
            code = unsafe api.pointee.xQueryPhrase(table, phrase, Unmanaged.passUnretained(counter).toOpaque()) {
                _, _, counter in
                guard let counter = unsafe counter else { return SQLITE_MISUSE }
                return unsafe Unmanaged<RowCounter>.fromOpaque(counter)._withUnsafeGuaranteedRef { $0.count() }
            }
            let count = counter.rowCount
            let rarity = log((Double(rowCount &- count) + 0.5) / (Double(count) + 0.5))
            rarities.append(rarity > 0 ? rarity : 1e-6)
            hitCount += count
        }
        frequencies = Array(repeating: 0, count: rarities.count)
        if hitCount >= Self.leastOrderedCount { sizes = DocumentSizes(call) }
        return code
    }

    /// Sets the result of a call to the score of the current row; NULL if the wanted number of rows already had better
    /// scores.
    ///
    /// - Returns: a result code of SQLite.
    func give(_ api: UnsafePointer<Fts5ExtensionApi>, _ table: OpaquePointer?, _ call: BodyCall) -> CInt {
        let wanted = unsafe best.wanted(call.arguments[1])
        var (code, hasNegative) = (SQLITE_OK, false)
        for phrase in frequencies.indices where code == SQLITE_OK {
            var (frequency, iterator) = unsafe (0.0, Fts5PhraseIter())
            var (column, place): (CInt, CInt) = (-1, -1)
            code = unsafe api.pointee.xPhraseFirst(table, CInt(phrase), &iterator, &column, &place)
            while code == SQLITE_OK, column >= 0 {
                if Int(column) + 2 < call.count {
                    let weight = unsafe sqlite3_value_double(call.arguments[Int(column) + 2])
                    hasNegative = hasNegative || weight < 0
                    frequency += weight
                } else {
                    frequency += 1
                }
                unsafe api.pointee.xPhraseNext(table, &iterator, &column, &place)
            }
            frequencies[phrase] = frequency
        }
        guard code == SQLITE_OK else { return code }
        // The size isn't looked up for a row whose rank would be too low even if its texts had no further words.
        if let wanted, !hasNegative, best.isWorse(score(size: 0) * (1 + 1e-9), wanted) {
            unsafe sqlite3_result_null(call.context)
            return SQLITE_OK
        }
        var size: CInt = 0
        if let found = unsafe sizes?.size(of: api.pointee.xRowid(table)) {
            size = found
        } else {
            code = unsafe api.pointee.xColumnSize(table, -1, &size)
        }
        guard code == SQLITE_OK else { return code }
        let score = self.score(size: Double(size))
        if let wanted, !best.takes(score, wanted) {
            unsafe sqlite3_result_null(call.context)
        } else {
            unsafe sqlite3_result_double(call.context, score)
        }
        return SQLITE_OK
    }

    private func score(size: Double) -> Double {
        let part = Self.saturation * (1 - Self.sizeShare + Self.sizeShare * size / averageSize)
        var score = 0.0
        for (rarity, frequency) in zip(rarities, frequencies) {
            score += rarity * ((frequency * (Self.saturation + 1)) / (frequency + part))
        }
        return score
    }
}

/// A count of the rows that contain a phrase, which SQLite visits in one call.
private final class RowCounter {
    private(set) var rowCount: Int64 = 0
    private let call: QueryCall

    init(_ call: QueryCall) { self.call = call }

    /// Counts a row, and returns a result code of SQLite.
    func count() -> CInt {
        rowCount += 1
        do throws(CallFailure) {
            try call.charge(1)
            return SQLITE_OK
        } catch {
            return SQLITE_INTERRUPT
        }
    }
}

/// The best scores of a search so far, up to the wanted number.
private struct BestScores {
    /// The maximum number of scores that are kept.
    private static let mostCount: Int64 = 10_000
    /// A heap with the worst score at the root.
    private var heap: [Double] = []

    /// Returns the number of best rows that an argument asks for; nil if it asks for all rows, or for more than can be
    /// kept.
    func wanted(_ argument: OpaquePointer?) -> Int? {
        guard unsafe sqlite3_value_type(argument) == SQLITE_INTEGER else { return nil }
        let count = unsafe sqlite3_value_int64(argument)
        return (1...Self.mostCount).contains(count) ? Int(count) : nil
    }

    /// Returns whether as many scores as wanted are already known that are better than the given one.
    @inline(__always)
    func isWorse(_ score: Double, _ wanted: Int) -> Bool { heap.count >= wanted && score < heap[0] }

    /// Adds a score unless `wanted` better scores are known already.
    ///
    /// - Returns: false if the score wasn't added for that reason.
    mutating func takes(_ score: Double, _ wanted: Int) -> Bool {
        guard !isWorse(score, wanted), !score.isNaN else { return score.isNaN }
        if heap.count < wanted {
            heap.append(score)
            var place = heap.count - 1
            while place > 0, heap[(place - 1) / 2] > heap[place] {
                heap.swapAt(place, (place - 1) / 2)
                place = (place - 1) / 2
            }
            return true
        }
        heap[0] = score
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            if least == place { return true }
            heap.swapAt(place, least)
            place = least
        }
    }
}

/// The word counts of the documents of a full-text index, read in ascending order of the documents' numbers. FTS5's API
/// would look up each of them separately.
@safe private final class DocumentSizes {
    /// The difference of document numbers below which the statement steps forward to a document; from it on, a new
    /// search is started.
    private static let nearby: Int64 = 32

    private let statement: OpaquePointer
    /// The number of the document that the statement has reached; nil before the first and after the last one.
    private var current: Int64?

    /// Creates a reader of the word counts of the full-text index whose number is the call's first argument; nil if it
    /// has none.
    init?(_ call: BodyCall) {
        let connection = unsafe sqlite3_context_db_handle(call.context)
        let number = unsafe sqlite3_value_int64(call.arguments[0])
        var made: OpaquePointer?
        let sql = "SELECT id, sz FROM main.text_\(number)_docsize WHERE id >= ?1 ORDER BY id"
        _ = unsafe sqlite3_prepare_v2(connection, sql, -1, &made, nil)
        guard let made = unsafe made else { return nil }
        unsafe statement = made
    }

    deinit { unsafe sqlite3_finalize(statement) }

    /// Returns the word count of the document with a number; nil if it isn't known.
    func size(of document: Int64) -> CInt? {
        if let current, current <= document, document &- current < Self.nearby {
            while let current = self.current, current < document { step() }
        } else {
            unsafe sqlite3_reset(statement)
            unsafe sqlite3_bind_int64(statement, 1, document)
            step()
        }
        guard current == document else { return nil }
        guard let bytes = unsafe sqlite3_column_blob(statement, 1)?.assumingMemoryBound(to: UInt8.self) else {
            return nil
        }
        return unsafe Self.sum(
            UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, 1))))
    }

    private func step() {
        let isRow = unsafe sqlite3_step(statement) == SQLITE_ROW
        current = unsafe isRow ? sqlite3_column_int64(statement, 0) : nil
    }

    /// Returns the sum of the varints in bytes, each in base 128 with the most significant digit first; nil for invalid
    /// bytes.
    private static func sum(_ bytes: UnsafeBufferPointer<UInt8>) -> CInt? {
        var (sum, number, length) = (0, 0, 0)
        for index in bytes.indices {
            let byte = unsafe bytes[index]
            number = number << 7 | Int(byte & 127)
            length += 1
            guard length <= 4 else { return nil }
            if byte < 128 {
                sum += number
                (number, length) = (0, 0)
            }
        }
        return length == 0 ? CInt(exactly: sum) : nil
    }
}

/// The function `query_rank(table, number, count, weight, …)` of FTS5: the negated result of `bm25(table, weight, …)`;
/// NULL if at least `count` earlier rows had better ranks. `number` must be that of the index whose FTS5 table is
/// `table`. A `count` that isn't an integer from 1 to 10,000 means all rows.
func giveRank(
    _ api: UnsafePointer<Fts5ExtensionApi>?, _ table: OpaquePointer?, _ context: OpaquePointer?, _ count: CInt,
    _ arguments: SQLArguments
) {
    guard let api = unsafe api else { return }
    let call = unsafe BodyCall(context, count, arguments)
    guard call.count >= 2 else {
        return unsafe sqlite3_result_error(
            context, "query_rank(table, number, count, …) needs the number of an index and a count", -1)
    }
    if let kept = unsafe api.pointee.xGetAuxdata(table, 0) {
        let code = unsafe Unmanaged<RankedQuery>.fromOpaque(kept)._withUnsafeGuaranteedRef {
            unsafe $0.give(api, table, call)
        }
        if code != SQLITE_OK { unsafe sqlite3_result_error_code(context, code) }
        return
    }
    let query = RankedQuery()
    let work = unsafe api.pointee.xUserData(table)?.assumingMemoryBound(to: ConnectionWork.self)
    var code = unsafe query.prepare(api, table, call, work)
    if code == SQLITE_OK { code = unsafe query.give(api, table, call) }
    // FTS5 releases the object at the end of the query, or at once if it can't keep it.
    let kept = unsafe Unmanaged.passRetained(query).toOpaque()
    let keeping = unsafe api.pointee.xSetAuxdata(table, kept) { kept in
        if let kept = unsafe kept { unsafe Unmanaged<RankedQuery>.fromOpaque(kept).release() }
    }
    if code == SQLITE_OK { code = keeping }
    if code != SQLITE_OK { unsafe sqlite3_result_error_code(context, code) }
}
