// Decides the stored form of a body by measurement: 100,000 documents of about 300 bytes in one table of stock SQLite,
// the same unindexed queries over JSON text with SQLite's functions, JSON text with a scanning function of our own, and
// SQLite's JSONB with an extraction function of our own. Prints milliseconds, the smallest of seven runs.
import BenchmarkData
import CSQLite
import Glibc

let documentCount = 100_000

func setResult(_ context: OpaquePointer?, _ bytes: Bytes, _ start: Int, _ end: Int, number: Bool, float: Bool) {
    if number, !float {
        var result: Int64 = 0
        for index in start..<end { result = result &* 10 &+ Int64(bytes[index] &- 48) }
        sqlite3_result_int64(context, result)
    } else if float {
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
        sqlite3_result_double(context, Double(text) ?? 0)
    } else if let address = bytes.baseAddress {
        let base = UnsafeRawPointer(address + start).assumingMemoryBound(to: CChar.self)
        sqlite3_result_text(context, base, CInt(end - start), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }
}

func argument(_ value: OpaquePointer?) -> Bytes {
    Bytes(start: sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self), count: Int(sqlite3_value_bytes(value)))
}

let jsonbValue: @convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
    context, count, arguments in
    guard let arguments else { return }
    let body = argument(arguments[0])
    guard var found = element(body, 0) else { return }
    for index in 1..<Int(count) {
        guard found.type == 12, let at = jsonbMember(body, found.start, found.end, argument(arguments[index])),
            let next = element(body, at)
        else { return }
        found = next
    }
    setResult(context, body, found.start, found.end, number: found.type < 7, float: found.type == 5)
}

let textValue: @convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
    context, count, arguments in
    guard let arguments else { return }
    let body = argument(arguments[0])
    var at = 0
    for index in 1..<Int(count) {
        guard at < body.count, body[at] == 0x7B, let next = textMember(body, at, argument(arguments[index])) else {
            return
        }
        at = next
    }
    let end = skip(body, at)
    if body[at] == 0x22 {
        setResult(context, body, at + 1, end - 1, number: false, float: false)
    } else {
        let isFloat = body[at..<end].contains(0x2E)
        setResult(context, body, at, end, number: true, float: isFloat)
    }
}

func execute(_ database: OpaquePointer?, _ sql: String) {
    var message: UnsafeMutablePointer<CChar>?
    guard sqlite3_exec(database, sql, nil, nil, &message) == SQLITE_OK else {
        fatalError(message.map { String(cString: $0) } ?? "?")
    }
}

func query(_ database: OpaquePointer?, _ sql: String) -> (rows: Int, first: Int64) {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
        fatalError(String(cString: sqlite3_errmsg(database)))
    }
    defer { sqlite3_finalize(statement) }
    var rows = 0
    var first: Int64 = 0
    while sqlite3_step(statement) == SQLITE_ROW {
        if rows == 0 { first = sqlite3_column_int64(statement, 0) }
        rows += 1
    }
    return (rows, first)
}

func milliseconds(_ body: () -> Void) -> Double {
    let duration = ContinuousClock().measure(body)
    return Double(duration.components.attoseconds) / 1e15 + Double(duration.components.seconds) * 1000
}

func best(_ runs: Int = 7, _ body: () -> Void) -> Double {
    (0..<runs).map { _ in milliseconds(body) }.min() ?? 0
}

func format(_ value: Double) -> String {
    let text = String(Int((value * 10).rounded()))
    return text.dropLast() + "." + text.suffix(1)
}

let records = PersonGenerator(count: documentCount).map { ($0.id, Array($0.json.utf8)) }
let textBytes = records.reduce(0) { $0 + $1.1.count }
var encoded: [[UInt8]] = []
let encodeTime = best(3) { encoded = records.map { jsonb(fromJSON: $0.1) } }
let binaryBytes = encoded.reduce(0) { $0 + $1.count }
print(
    "json text: \(textBytes / documentCount) bytes a document; jsonb: \(binaryBytes / documentCount); ",
    "writing jsonb from text takes \(format(encodeTime * 10)) ns a document")

var database: OpaquePointer?
guard sqlite3_open(":memory:", &database) == SQLITE_OK else { fatalError("open") }
sqlite3_create_function_v2(
    database, "jsonb_value", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, jsonbValue, nil, nil, nil)
sqlite3_create_function_v2(
    database, "text_value", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, textValue, nil, nil, nil)

for (table, bodies) in [("t_text", records.map(\.1)), ("t_jsonb", encoded)] {
    execute(database, "CREATE TABLE \(table)(sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body)")
    execute(database, "BEGIN")
    var statement: OpaquePointer?
    sqlite3_prepare_v2(database, "INSERT INTO \(table)(id, body) VALUES (?, ?)", -1, &statement, nil)
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for (record, body) in zip(records, bodies) {
        sqlite3_bind_text(statement, 1, record.0, -1, transient)
        body.withUnsafeBytes { bytes in
            if table == "t_text" {
                _ = sqlite3_bind_text(
                    statement, 2, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(bytes.count), transient)
            } else {
                _ = sqlite3_bind_blob(statement, 2, bytes.baseAddress, CInt(bytes.count), transient)
            }
        }
        sqlite3_step(statement)
        sqlite3_reset(statement)
    }
    sqlite3_finalize(statement)
    execute(database, "COMMIT")
}

let queries: [(String, (String, [String]) -> String)] = [
    ("count, first level (age > 40)", { "SELECT count(*) FROM \($0) WHERE \($1[0]) > 40" }),
    ("count, last key (bio > 'm')", { "SELECT count(*) FROM \($0) WHERE \($1[1]) > 'm'" }),
    ("count, nested (address.city)", { "SELECT count(*) FROM \($0) WHERE \($1[2]) = 'Porto'" }),
    ("average of a double (score)", { "SELECT avg(\($1[3])) FROM \($0)" }),
    ("GROUP BY address.city", { "SELECT count(*) FROM \($0) GROUP BY \($1[2])" }),
]
let native = ["age", "bio", "address.city", "score"].map { "json_extract(body, '$.\($0)')" }
let scanning = ["'age'", "'bio'", "'address', 'city'", "'score'"].map { "text_value(body, \($0))" }
let binary = ["'age'", "'bio'", "'address', 'city'", "'score'"].map { "jsonb_value(body, \($0))" }
print("query | rows/first | json_extract on text | own scan of text | own jsonb")
print(
    "scan without any function: \(format(best { _ = query(database, "SELECT count(*) FROM t_jsonb WHERE length(body) > 40") })) ms"
)
for (name, sql) in queries {
    let answers = [
        query(database, sql("t_text", native)), query(database, sql("t_text", scanning)),
        query(database, sql("t_jsonb", binary)),
    ]
    guard answers.allSatisfy({ $0 == answers[0] }) else { fatalError("\(name): \(answers)") }
    let times = [
        best { _ = query(database, sql("t_text", native)) }, best { _ = query(database, sql("t_text", scanning)) },
        best { _ = query(database, sql("t_jsonb", binary)) },
    ]
    print("\(name) | \(answers[0]) | \(times.map(format).joined(separator: " | "))")
}
sqlite3_close(database)
