import Foundation
import SealiteDatabase
@testable import SealiteModel
import SealiteTestSupport
import SealiteValues
import Testing

/// Random objects, stored and read, with members of others in between.
@Suite("random objects")
struct RandomObjectsTests {
    private static let isSoak = ProcessInfo.processInfo.environment["SEALITE_SOAK"] != nil

    @Test("random objects come back as they were, keep the unknown members of random documents, and are saved once")
    func roundTrip() throws {
        var random = SeededRandom(part: 17)
        let coder = try ModelCoder(Everything.self)
        for _ in 0..<(Self.isSoak ? 20_000 : 300) {
            let (first, second) = (Everything.random(&random), Everything.random(&random))
            let body = try coder.body(of: first).body
            #expect(try coder.object(id: "$oid:\(first.id.hex)", body: body, in: nil) == first)
            #expect(coder.merged(body, into: body) == nil)
            let stored = try Self.withStrangers(body, &random)
            let (changed, next) = (first.id, try coder.body(of: second).body)
            let merged = coder.merged(next, into: stored.body) ?? stored.body
            var expected = second
            expected.id = changed
            #expect(try coder.object(id: "$oid:\(changed.hex)", body: merged, in: nil) == expected)
            let document = try #require(MongoDocument(stored: merged))
            #expect(document.keys.filter { $0.hasPrefix("stranger") } == stored.names)
            #expect(coder.merged(next, into: merged) == nil)
        }
    }

    /// A body with members that the type doesn't know at random places.
    private static func withStrangers(
        _ body: [UInt8], _ random: inout SeededRandom
    ) throws -> (body: [UInt8], names: [String]) {
        guard var document = MongoDocument(stored: body) else { return (body, []) }
        var places = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            Int.random(in: 0...document.count, using: &random)
        }
        places.sort(by: >)
        for (index, place) in places.enumerated() {
            document.insert("stranger\(places.count - index)", [1, ["x": nil]], at: place)
        }
        return (try document.stored(), document.keys.filter { $0.hasPrefix("stranger") })
    }
}

extension Everything {
    static func random(_ random: inout SeededRandom) -> Everything {
        var value = Everything.sample
        value.id = ObjectID()
        value.bool = .random(using: &random)
        value.int8 = .random(in: .min ... .max, using: &random)
        value.int16 = .random(in: .min ... .max, using: &random)
        value.int32 = .random(in: .min ... .max, using: &random)
        value.int = .random(in: .min ... .max, using: &random) >> Int.random(in: 0...63, using: &random)
        value.uint64 = UInt64.random(in: 0 ... .max, using: &random) >> UInt64.random(in: 1...63, using: &random)
        value.double = double(&random)
        value.float = Float(bitPattern: .random(in: 0 ... .max, using: &random))
        if value.float.isNaN { value.float = 0 }
        value.string = text(&random)
        value.date = Date(
            timeIntervalSince1970: Double(Int64.random(in: -99_999_999_999_999...299_999_999_999_999, using: &random))
                / 1000)
        value.data = Data((0..<Int.random(in: 0...5, using: &random)).map { _ in .random(in: 0...255, using: &random) })
        value.bytes = Array(value.data.reversed())
        value.mixed = mixed(&random, 3)
        value.array = list(&random) { .random(in: -100...100, using: &$0) }
        value.set = Set(list(&random) { text(&$0) })
        value.dictionary = Dictionary(
            list(&random) { (text(&$0), double(&$0)) }, uniquingKeysWith: { first, _ in first })
        value.addresses = list(&random) { Address(street: text(&$0), number: .random(using: &$0) ? 1 : nil) }
        value.embedded = value.addresses.first ?? value.embedded
        value.size = Size.allCases.randomElement(using: &random) ?? .small
        value.nested = list(&random) { list(&$0) { Bool.random(using: &$0) ? nil : 3 } }
        value.sets = list(&random) { Set(list(&$0) { .random(in: 0...9, using: &$0) }) }
        value.none = .random(using: &random) ? nil : text(&random)
        return value
    }

    private static func list<T>(_ random: inout SeededRandom, _ make: (inout SeededRandom) -> T) -> [T] {
        let count = Int.random(in: 0...4, using: &random)
        var list: [T] = []
        for _ in 0..<count { list.append(make(&random)) }
        return list
    }

    private static func double(_ random: inout SeededRandom) -> Double {
        let value = Double(bitPattern: .random(in: 0 ... .max, using: &random))
        return value.isNaN ? 0 : value
    }

    private static func text(_ random: inout SeededRandom) -> String {
        let letters = Array("abc \"\\\n\u{7F}éü漢😀$_.")
        return String(
            (0..<Int.random(in: 0...20, using: &random)).compactMap { _ in letters.randomElement(using: &random) })
    }

    private static func mixed(_ random: inout SeededRandom, _ depth: Int) -> Value {
        switch Int.random(in: 0...(depth > 0 ? 7 : 5), using: &random) {
        case 0: return .null
        case 1: return .boolean(.random(using: &random))
        case 2: return Value(Int.random(in: .min ... .max, using: &random))
        case 3: return 1.5
        case 4, 5: return .string(text(&random))
        case 6: return .array(ArrayObject(list(&random) { mixed(&$0, depth - 1) }))
        default:
            return .dictionary(DictionaryObject(list(&random) { (text(&$0), mixed(&$0, depth - 1)) }))
        }
    }
}
