import CSQLite
import SealiteJSON

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
