import SealiteTestSupport
import SealiteValues
import Testing

@Suite("values of _id as document IDs")
struct DocumentKeyTests {
    @Test(
        "each type has its form",
        arguments: [
            ("a", "a"), ("$a", "$s:$a"), ("", "$s:"), ("_a", "$s:_a"), ("a\nb", #"$j:"a\nb""#), (1, "$n:1"),
            (1.0, "$n:1"),
            (.int64(1), "$n:1"), (0.5, "$n:0.5"), (0.1, "$n:0.1"), (-0.0, "$n:0"), (1e300, "$n:1.0E+300"),
            (.double(.nan), "$n:NaN"), (RandomValues.decimal("1.00"), "$n:1"), (RandomValues.decimal("0.50"), "$n:0.5"),
            (RandomValues.decimal("0.10"), "$m:0.1"), (true, "$b:1"), (false, "$b:0"), (nil, "$null"),
            (.datetime(DateTime(milliseconds: -5)), "$d:-5"), (["a": 1.0], #"$j:{"a":{"$numberInt":"1"}}"#),
            (.binary(Binary([255])), #"$j:{"$binary":{"base64":"/w==","subType":"00"}}"#),
            (.minKey, #"$j:{"$minKey":1}"#),
        ] as [(BSON, String)])
    func forms(value: BSON, text: String) throws {
        #expect(try DocumentKey.text(of: value) == text)
        #expect(DocumentKey.value(of: text).isSame(as: value))
    }

    @Test("ObjectIDs and UUIDs are read back")
    func ids() throws {
        let id = ObjectID()
        #expect(try DocumentKey.text(of: .objectID(id)) == "$oid:\(id.hex)")
        #expect(DocumentKey.value(of: "$oid:\(id.hex)") == .objectID(id))
        let uuid = "73ffd264-44b3-4c69-90e8-e7d1dfc035d4"
        let binary = try #require(Binary(uuid: uuid))
        #expect(try DocumentKey.text(of: .binary(binary)) == "$uuid:\(uuid)")
        #expect(DocumentKey.value(of: "$uuid:\(uuid)") == .binary(binary))
    }

    @Test("what has no form is refused")
    func refusals() {
        let refused: [BSON] = [[1], .regex(Regex("a")), .undefined, .symbol("a")]
        for value in refused {
            #expect(throws: DocumentKey.Failure.refusedType(value.type)) { _ = try DocumentKey.text(of: value) }
        }
        #expect(throws: DocumentKey.Failure.looksLikeWrapper) { _ = try DocumentKey.text(of: ["$code": "a"]) }
        #expect(throws: DocumentKey.Failure.tooLong(byteCount: 241)) {
            _ = try DocumentKey.text(of: .string(String(repeating: "a", count: 241)))
        }
    }

    @Test(
        "texts that no value has are strings, and found by both",
        arguments: ["$foo", "$n:01", "$n:+1", "$oid:ABC", "$b:2"])
    func foreignTexts(text: String) throws {
        #expect(DocumentKey.value(of: text) == .string(text))
        #expect(try DocumentKey.candidates(for: .string(text)) == ["$s:\(text)", text])
        #expect(try DocumentKey.candidates(for: "$n:1") == ["$s:$n:1"])
    }

    @Test("two values have one text only where they have one place in the order", arguments: TestSeed.seeds(3))
    func injective(seed: UInt64) {
        var random = RandomValues(seed: seed)
        var values = RandomValues.numbers.map { ($0, try? DocumentKey.text(of: $0)) }
        for _ in 0..<300 {
            let value = random.value(depth: 2)
            values.append((value, try? DocumentKey.text(of: value)))
        }
        var faults = 0
        for (value, text) in values {
            guard let text else { continue }
            if !DocumentKey.value(of: text).isSame(as: value) { faults += 1 }
            for (other, otherText) in values where otherText != nil {
                let isOneText = otherText.map { $0.utf8.elementsEqual(text.utf8) } ?? false
                if isOneText != value.isSame(as: other) { faults += 1 }
            }
        }
        #expect(faults == 0)
    }
}
