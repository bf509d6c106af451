import Foundation
import SealiteCrypto
import SealiteJSON
import SealiteTestSupport
import Testing

@testable import SealiteDatabase

@Suite("revision ids of numbers")
struct NumberRevisionTests {
    private struct Fixture: Decodable {
        struct Case: Decodable {
            let text: String
            let canonical: String
            let revision: String
        }
        let cases: [Case]
    }

    private static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/Documents/number-revisions.json")

    private func jsonb(_ text: String) throws -> [UInt8] { try JSONB.parse(Array(text.utf8), requiresObject: false) }

    private func canonical(_ text: String) throws -> String {
        let body = try jsonb(text)
        return String(decoding: try JSONBSerializer.text(of: body.span, order: .canonical), as: UTF8.self)
    }

    private func firstRevision(of body: [UInt8]) throws -> String {
        var digester = RevisionDigester()
        return try digester.revision(parent: nil, isDeleted: false, body: body, byteLimit: 1000).description
    }

    @Test("the first revision of each measured number has the id that Couchbase Lite gives it, and its text stays")
    func measured() throws {
        let fixture = try JSONDecoder().decode(Fixture.self, from: Data(contentsOf: Self.path))
        #expect(fixture.cases.count == 48)
        for number in fixture.cases {
            let body = try jsonb("{\"v\":\(number.text)}")
            #expect(try firstRevision(of: body) == number.revision, "\(number.text)")
            #expect(try canonical(number.text) == number.canonical)
            let stored = String(decoding: try JSONBSerializer.text(of: body.span), as: UTF8.self)
            #expect(stored == "{\"v\":\(number.text)}")
        }
    }

    @Test("what no double holds keeps its text, also in the digest", arguments: ["1e400", "-1e400", "-1.5e99999"])
    func beyondDoubles(text: String) throws {
        #expect(try canonical(text) == text)
    }

    @Test("bytes that are no numbers are written as they are")
    func damaged() throws {
        for type in [JSONBType.integer, JSONBType.float] {
            for text in [
                "", "-", ".", "0", "--", ".0", "x", "-.", "e+1", "-0-", "\u{FF}\u{FF}", "9999999999999999999x",
            ] {
                let content = Array(text.utf8)
                let header =
                    content.count < 12 ? [UInt8(content.count) << 4 | type] : [0xC0 | type, UInt8(content.count)]
                let body = header + content
                let written = try JSONBSerializer.text(of: body.span, order: .canonical)
                #expect(written.count >= min(content.count, 1))
            }
        }
    }

    @Test("numbers at any depth count in their canonical form")
    func nested() throws {
        #expect(try canonical("{\"b\":[1.50,{\"c\":1e2}],\"a\":-0}") == "{\"a\":0,\"b\":[1.5,{\"c\":100.0}]}")
    }

    @Test("the canonical form of random numbers reads back as the same double, and is its own canonical form")
    func random() throws {
        var generator = SeededRandom()
        for round in 0..<20_000 {
            let bits = Double(bitPattern: generator.next())
            let value = round % 2 == 0 ? bits : (bits.significand * 1e4).rounded() / 10
            guard value.isFinite else { continue }
            for text in [value.description, "\(value.description.replacing("e", with: "E"))"] where text.contains(".") {
                let form = try canonical(text)
                #expect(Double(form)?.bitPattern == value.bitPattern && form.contains { ".e".contains($0) })
                #expect(try canonical(form) == form, "\(text)")
            }
            for text in ["\(Int64(truncatingIfNeeded: bits.bitPattern))", "\(bits.bitPattern)"] {
                #expect(try canonical(text) == text)
            }
        }
    }
}
