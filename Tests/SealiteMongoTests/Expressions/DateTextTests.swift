import Foundation
import SealiteDatabase
import SealiteQuery
import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("texts of dates in each language, by Fixtures/Dates/texts.json")
struct DateTextTests {
    private struct Table: Decodable {
        struct Case: Decodable {
            struct Local: Decodable, Equatable {
                var local: Int64
                var offset: Int?
                var timeAlone: Bool?
            }

            var text: String
            var documents: Double?
            var extendedJSON: Int64?
            var queries: Local?
            var mongo: Int64?
        }

        var cases: [Case]
    }

    private let cases: [Table.Case]

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let bytes = try Data(contentsOf: root.appending(path: "Fixtures/Dates/texts.json").standardizedFileURL)
        cases = try JSONDecoder().decode(Table.self, from: bytes).cases
        #expect(cases.count > 180 && cases.allSatisfy { $0.text.utf8.count < 100 })
    }

    @Test("the getters of documents take the texts of the table for dates, and no others")
    func documents() {
        for entry in cases where Value.string(entry.text).date?.timeIntervalSince1970 != entry.documents {
            Issue.record("\(entry)")
        }
    }

    @Test("Extended JSON takes the texts of the table for dates, and no others, in its reader and in stored documents")
    func extendedJSON() throws {
        for entry in cases {
            if DateTime(iso: entry.text)?.milliseconds != entry.extendedJSON { Issue.record("\(entry)") }
            let text = String(decoding: try JSONEncoder().encode(["a": ["$date": entry.text]]), as: UTF8.self)
            let document = try? MongoDocument(extendedJSON: text, wrappers: .lenient)
            guard case .datetime(let date)? = document?["a"] else {
                if entry.extendedJSON != nil { Issue.record("isn't read: \(entry)") }
                continue
            }
            if date.milliseconds != entry.extendedJSON { Issue.record("read as \(date): \(entry)") }
        }
    }

    @Test("the date functions of SQL++ take the texts of the table for dates, and no others")
    func queries() throws {
        let test = try TestStore()
        let query: Query = try test.store.database.createQuery(
            """
            SELECT STR_TO_MILLIS($text) AS millis, DATE_DIFF_STR($text, '1970-01-01', 'millisecond') AS local,
                DATE_PART_STR($text, 'timezone') AS zone
            """ as String)
        for entry in cases {
            query.parameters = Parameters().setString(entry.text, forName: "text")
            let row = try #require(try query.execute().nextResult())
            let number = { (key: String) in row.value(forKey: key)?.number?.int64Value }
            let isTimeAlone = number("millis") == nil
            // DATE_PART_STR takes no time alone, whose zone the tests of SealiteBase compare.
            let offset = isTimeAlone ? entry.queries?.offset : number("zone").map { Int($0) / 60 }
            let local = number("local").map { local in
                Table.Case.Local(local: local, offset: offset, timeAlone: isTimeAlone ? true : nil)
            }
            if local != entry.queries { Issue.record("\(entry) is read as \(String(describing: local))") }
            if let found = entry.queries, let offset = found.offset, found.timeAlone == nil,
                number("millis") != found.local - Int64(offset) * 60_000
            {
                Issue.record("\(entry) is \(String(describing: number("millis")))")
            }
        }
    }

    @Test("MongoDB's $dateFromString and $toDate take the texts of the table for dates, and refuse others")
    func mongo() throws {
        func value(_ expression: BSON) throws -> Int64? {
            do {
                let value = try AggregationExpression(parsing: expression)
                    .value(of: Row([:]), now: DateTime(milliseconds: 0))
                guard case .datetime(let date)? = value else { return nil }
                return date.milliseconds
            } catch let error as MongoError where error.code == 241 { return nil }
        }
        for entry in cases {
            let text = BSON.string(entry.text)
            if try value(["$toDate": text]) != entry.mongo { Issue.record("\(entry)") }
            if try value(["$dateFromString": ["dateString": text]]) != entry.mongo { Issue.record("\(entry)") }
        }
    }
}
