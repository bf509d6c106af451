import CSQLite
import SealiteJSON

/// The byte ranges of the words in the text of one column of a row.
private final class WordPlaces {
    var places: [Range<Int32>] = []
}

/// The function `query_hits(table, name, …)` of FTS5: an array of the hits of the search text in a row, each an object.
/// The further arguments are the names of the table's columns.
func giveHits(
    _ api: UnsafePointer<Fts5ExtensionApi>?, _ table: OpaquePointer?, _ context: OpaquePointer?, _ count: CInt,
    _ arguments: SQLArguments
) {
    guard let api = unsafe api?.pointee else { return }
    let call = unsafe QueryCall(context, count, arguments)
    var writer = JSONBWriter()
    let begun = writer.begin(guess: 64)
    var hitCount: CInt = 0
    var code = unsafe api.xInstCount(table, &hitCount)
    let words = WordPlaces()
    var known: CInt = -1
    for index in 0..<max(hitCount, 0) where code == SQLITE_OK {
        var (phrase, column, place): (CInt, CInt, CInt) = (0, 0, 0)
        code = unsafe api.xInst(table, index, &phrase, &column, &place)
        guard code == SQLITE_OK else { break }
        if column != known {
            code = unsafe find(words, api, table, column)
            known = column
        }
        let last = Int(place) + max(Int(unsafe api.xPhraseSize(table, phrase)), 1) - 1
        guard place >= 0, words.places.indices.contains(Int(place)), words.places.indices.contains(last) else {
            continue
        }
        let (start, end) = (words.places[Int(place)].lowerBound, words.places[last].upperBound)
        let hit = writer.begin(guess: 48)
        writer.string("column")
        if Int(column) < call.count, case .string = call[Int(column)] {
            writer.append(call[Int(column)])
        } else {
            writer.integer(Int64(column))
        }
        writer.string("term")
        writer.integer(Int64(phrase))
        writer.string("offset")
        writer.integer(Int64(start))
        writer.string("length")
        writer.integer(Int64(end - start))
        writer.end(JSONBType.object, hit)
    }
    guard code == SQLITE_OK else { return unsafe sqlite3_result_error_code(context, code) }
    writer.end(JSONBType.array, begun)
    call.give(writer)
}

/// Finds the byte ranges of the words in the text of one column of the current row, and returns a result code of
/// SQLite.
private func find(_ words: WordPlaces, _ api: Fts5ExtensionApi, _ table: OpaquePointer?, _ column: CInt) -> CInt {
    words.places.removeAll(keepingCapacity: true)
    var (text, byteCount): (UnsafePointer<CChar>?, CInt) = (nil, 0)
    let code = unsafe api.xColumnText(table, column, &text, &byteCount)
    guard code == SQLITE_OK, let text = unsafe text else { return code }
    return unsafe api.xTokenize(
        table, text, byteCount, Unmanaged.passUnretained(words).toOpaque()
    ) { context, flags, _, _, start, end in
        guard let context = unsafe context else { return SQLITE_MISUSE }
        if flags & FTS5_TOKEN_COLOCATED == 0, start <= end {
            unsafe Unmanaged<WordPlaces>.fromOpaque(context).takeUnretainedValue().places.append(start..<end)
        }
        return SQLITE_OK
    }
}
