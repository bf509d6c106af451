import SealiteDatabase
import SealiteJSON
import SealiteTestSupport
import SealiteValues
import Testing

@testable import SealiteModel

@Suite("damaged bodies")
struct DamagedBodiesTests {
    @Test("a body with any bytes is read or refused, and saved over, without harm")
    func anyBytes() throws {
        let coder = try ModelCoder(Everything.self)
        let body = try coder.body(of: .sample).body
        var random = SeededRandom(part: 5)
        var (read, refused) = (0, 0)
        for _ in 0..<600 {
            var damaged = body
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { damaged.removeLast(Int.random(in: 0..<damaged.count, using: &random)) }
            do {
                _ = try coder.object(id: "$oid:\(fixedID.hex)", body: damaged, in: nil)
                read += 1
            } catch {
                refused += 1
            }
            let merged = coder.merged(body, into: damaged) ?? damaged
            #expect(merged.count <= body.count + damaged.count + 16)
        }
        #expect(read > 0 && refused > 0)
    }

    @Test("headers longer than they need be are read, and unknown members that have them stay")
    func longHeaders() throws {
        var writer = JSONBWriter()
        let begun = writer.begin(guess: 40)
        // A name and a value of one byte, each with its length in a byte of its own.
        for byte: UInt8 in [0xC7, 1, 0x7A, 0xC3, 1, 0x37] { writer.rawByte(byte) }
        writer.string("name")
        writer.string("n")
        writer.end(JSONBType.object, begun)
        let coder = try ModelCoder(Dog.self)
        #expect(try coder.object(id: "$oid:\(fixedID.hex)", body: writer.bytes, in: nil).name == "n")
        let merged = try #require(
            coder.merged(try coder.body(of: Dog(name: "m", age: 1)).body, into: writer.bytes))
        let text = String(decoding: try JSONBSerializer.text(of: merged.span), as: UTF8.self)
        #expect(text == #"{"z":7,"name":"m","age":1,"details":null}"#)
    }
}
