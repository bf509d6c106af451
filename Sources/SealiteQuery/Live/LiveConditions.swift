internal import SealiteDatabase

/// The WHERE conditions of several observed queries on one collection, combined in one SQL statement over the changed
/// documents.
struct LiveConditions: Sendable {
    /// The maximum number of queries whose conditions are in one statement.
    private static let countLimit = 64
    /// The number of bytes of SQL conditions, and the number of parameters, beyond which a new statement is started.
    private static let (byteLimit, parameterLimit) = (128 * 1024, 10_000)

    /// The queries, in the order of their conditions, which are the statement's columns from the third on.
    let runs: [ObjectIdentifier]
    let sql: String
    /// The values of the parameters from ?1 on. The parameter after them is a sequence: the statement reads the
    /// documents with greater sequences.
    let values: [QueryValue]

    private init(_ candidates: [LiveCandidate], collection: Int, alias: String) {
        assert(!candidates.isEmpty && candidates.count <= Self.countLimit)
        assert(candidates.allSatisfy { $0.filter?.alias == alias }, "the conditions are over one alias")
        var (columns, values) = ("", [QueryValue]())
        for candidate in candidates {
            columns += ", (\(Self.shifted(candidate.filter?.predicate ?? "1", by: values.count)))"
            values += candidate.values
        }
        runs = candidates.map(\.run)
        sql = """
            SELECT \(alias).number, \(alias).sequence\(columns) FROM documents_\(collection) AS \(alias) \
            WHERE \(alias).sequence > ?\(values.count + 1)
            """
        self.values = values
    }

    /// Returns the statements for the conditions of queries, several in each statement as far as the limits allow.
    /// Queries without a condition are left out.
    static func make(_ candidates: [LiveCandidate], collection: Int) -> [LiveConditions] {
        var statements: [LiveConditions] = []
        var (batch, alias, byteCount, valueCount) = ([LiveCandidate](), "", 0, 0)
        func flush() {
            if !batch.isEmpty { statements.append(LiveConditions(batch, collection: collection, alias: alias)) }
            (batch, byteCount, valueCount) = ([], 0, 0)
        }
        for candidate in candidates {
            guard let filter = candidate.filter, let predicate = filter.predicate else { continue }
            if filter.alias != alias || batch.count == countLimit || byteCount + predicate.utf8.count > byteLimit
                || valueCount + candidate.values.count > parameterLimit
            {
                flush()
            }
            alias = filter.alias
            batch.append(candidate)
            byteCount += predicate.utf8.count
            valueCount += candidate.values.count
        }
        flush()
        return statements
    }

    /// Returns SQL with the numbers of its parameters (`?1`) increased by an offset. Quoted texts and names aren't
    /// changed.
    static func shifted(_ sql: String, by offset: Int) -> String {
        assert(offset >= 0, "parameters get greater numbers")
        guard offset > 0 else { return sql }
        var (result, quote) = ([UInt8](), UInt8?.none)
        let bytes = Array(sql.utf8)
        result.reserveCapacity(bytes.count + 16)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            result.append(byte)
            index += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "`") {
                quote = byte
            } else if byte == UInt8(ascii: "?") {
                var number = 0
                while index < bytes.count, (0x30...0x39).contains(bytes[index]), number < 1_000_000 {
                    number = number * 10 + Int(bytes[index] - 0x30)
                    index += 1
                }
                result += Array(String(number + offset).utf8)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// The rule for skipping changes of documents that don't affect an observed query, which reads one collection and whose
/// result depends only on the documents that fulfil WHERE.
struct LiveFilter: Sendable {
    /// The number of the collection, which is part of the name of its SQL table.
    let collection: Int
    /// The alias of the collection's table in the predicate.
    let alias: String
    /// The condition, in SQL, that a document takes part in the result, over a row of the collection's table; it has
    /// the parameters of the query. Nil if every document takes part, so that no change is skipped.
    let predicate: String?
    /// The SQL query for the row numbers of the documents that take part in the result; nil if the rows of the result
    /// have these numbers in an additional column, or if `predicate` is nil.
    let members: String?
}
