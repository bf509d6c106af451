import SealiteBase
import SealiteJSON
import SealiteTestSupport
import SealiteVectors
import Testing

@Suite("reading vectors")
struct VectorReaderTests {
    /// Reads a JSON text as a vector; nil if it is refused.
    private func read(_ json: String, _ dimensions: Int) throws -> [Float]? {
        try read(bytes: JSONB.parse(Array(json.utf8), requiresObject: false), dimensions)
    }

    private func read(bytes: [UInt8], _ dimensions: Int) -> [Float]? {
        guard let element = JSONBElement(root: bytes.span) else { return nil }
        var output = [Float](repeating: 0, count: dimensions)
        let isRead = unsafe output.withUnsafeMutableBufferPointer {
            unsafe VectorReader.read(element, in: bytes.span, into: $0)
        }
        return isRead ? output : nil
    }

    private func count(_ json: String) throws -> Int? {
        let bytes = try JSONB.parse(Array(json.utf8), requiresObject: false)
        return JSONBElement(root: bytes.span).flatMap { VectorReader.count($0, in: bytes.span) }
    }

    /// Returns JSONB of an array with one number of any text.
    private func array(number text: String) -> [UInt8] {
        let payload = Array(text.utf8)
        let item = [UInt8(0xC0 | JSONBType.float), UInt8(payload.count)] + payload
        return [UInt8(0xD0 | JSONBType.array), UInt8(item.count >> 8), UInt8(item.count & 255)] + item
    }

    private func base64(_ values: [Float]) -> String {
        var bytes: [UInt8] = []
        for value in values {
            for shift in stride(from: UInt32(0), to: 32, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: value.bitPattern >> shift))
            }
        }
        return Base64.encode(bytes)
    }

    @Test("an array of numbers in any form is read")
    func numbers() throws {
        #expect(
            try read("[1, -2, 0.5, -0.25, 1e3, 1.5E-2, 12e+1, 0, 123456789012345678]", 9)
                == [1, -2, 0.5, -0.25, 1000, 0.015, 120, 0, 123_456_790_519_087_104])
        let zero = try #require(try read("[-0, -0.0e5]", 2))
        #expect(zero.allSatisfy { $0 == 0 && $0.sign == .minus })
    }

    @Test("values that aren't vectors of the wanted length are refused")
    func refused() throws {
        for json in [
            "[1]", "[1,2,3]", "[]", "[1,null]", "[1,\"2\"]", "[1,[2]]", "[[1,2]]", "[1,true]", "[1,{}]", "null", "12",
            "{\"a\":1}", "\"\"", "\"AACAPwAAAEA= \"", "\"AACAPwAAAE\"", "[1,1e39]", "[1,-3.5e38]", "[1,1e999999999999]",
        ] {
            #expect(try read(json, 2) == nil, "\(json)")
        }
    }

    @Test(
        "texts that aren't JSON numbers are refused",
        arguments: [
            "", "-", "+1", "1.", ".5", "01", "-01", "1e", "1e+", "1e5x", "nan", "NaN", "inf", "Infinity", "-inf",
            "0x10", "1_0",
            " 1", "1 ", "1.5.5", "--1", "1e5.5", "0.12345678x", "0.1234567x", "0.x2345678", "0.123456789012345x78",
            "1.:2345678",
            "1./2345678",
        ])
    func malformed(text: String) {
        #expect(read(bytes: array(number: text), 1) == nil)
    }

    @Test("numbers are correctly rounded")
    func rounding() throws {
        var texts = [
            "0.1", "0.123456789", "3.4028234663852886e38", "3.40282356e38", "3.4028235677973366e38", "1.17549435e-38",
            "1.4e-45", "7e-46", "7.1e-46", "1e-400", "16777217", "16777219", "16777217.0000000000000000001",
            "16777216.9999999999999999999", "33554435", "0.000000000000000000000000000001",
            "9007199791611905", "9007199791611904.99999", "1.00000005960464477539062", "1.000000059604644775390625",
            "1.00000005960464477539063", "1.00000017881393432617187", "0.00000000000000000000012345678901234567",
            "123456789012345678901234567890", "0.30000001192092896", "18446744073709551615", "18446744073709551616",
            "100000000000000000000000000000000000000", "0.5000000298023223876953125",
        ]
        var random = SeededRandom(part: 4)
        for _ in 0..<2000 {
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
            guard value.isFinite else { continue }
            texts += [
                "\(value)", "\(Double(value) * 1.0000000298)", "\(random.float())", "\(Double(random.float()) / 3)",
            ]
            let digits = String(random.next())
            texts.append("0." + digits.prefix(1 + random.below(digits.count)))
            texts.append("\(digits.prefix(1 + random.below(9))).\(digits)e\(random.below(90) - 50)")
            // Next to the middle between two Floats.
            let middle = (Double(value) + Double(value.nextUp)) / 2
            texts += ["\(middle)", "\(middle.nextUp)", "\(middle.nextDown)"]
        }
        for text in texts {
            let expected = try #require(Float(text))
            let read = read(bytes: array(number: text), 1)
            if expected.isFinite {
                #expect(read == [expected] && read?.first?.sign == expected.sign, "\(text)")
            } else {
                #expect(read == nil, "\(text)")
            }
        }
    }

    @Test("long numbers are read, and don't hide what follows them")
    func long() throws {
        let zeros = String(repeating: "0", count: 5000)
        #expect(try read("[1.\(zeros)1,2]", 2) == [1, 2])
        #expect(try read("[0.\(zeros)1,2]", 2) == [0, 2])
        #expect(try read("[1\(zeros)e-5000,2]", 2) == [1, 2])
        #expect(try read("[1\(zeros),2]", 2) == nil)
    }

    @Test("Base64 of floats is read with and without padding")
    func base64() throws {
        for length in 1...7 {
            var random = SeededRandom(part: UInt64(length))
            let vector = random.vector(length)
            let text = base64(vector)
            #expect(try read("\"\(text)\"", length) == vector)
            #expect(try read("\"\(text.filter { $0 != "=" })\"", length) == vector)
            #expect(try count("\"\(text)\"") == length)
            #expect(try count("\"\(text.filter { $0 != "=" })\"") == length)
            #expect(try read("\"\(text)\"", length + 1) == nil)
            #expect(try read("\"\(text)\"", length - 1) == nil)
        }
    }

    @Test("malformed Base64, white space in it, NaN and infinity are refused")
    func malformedBase64() throws {
        let text = base64([1, 2])
        #expect(text == "AACAPwAAAEA=")
        for wrong in [
            "AACAPwAAAEA==", "AACAPwAAAE=A", "AACAPwAAAE==", "AACAPwAAAEB=", "AACAPw AAAEA", " AACAPwAAAEA",
            "AACAPwAAAEA\\n",
            "AACA-wAAAEA=", "AACAPwAAAEA=AAAA", "====",
        ] {
            #expect(try read("\"\(wrong)\"", 2) == nil, "\(wrong)")
        }
        for value in [Float.nan, .infinity, -.infinity, .signalingNaN] {
            #expect(try read("\"\(base64([1, value]))\"", 2) == nil)
        }
    }

    /// Returns the Extended JSON of binary data.
    private func binary(_ bytes: [UInt8], _ subtype: String) -> String {
        "{\"$binary\":{\"base64\":\"\(Base64.encode(bytes))\",\"subType\":\"\(subtype)\"}}"
    }

    @Test("binary data has float32, or a vector of MongoDB with float32 or int8")
    func binaryData() throws {
        for length in 1...7 {
            var random = SeededRandom(part: UInt64(length))
            let vector = random.vector(length)
            let bytes = VectorReader.bytes(of: vector)
            for text in [
                binary(bytes, "00"), binary(bytes, "0"), binary([0x27, 0] + bytes, "09"),
                binary([0x27, 0] + bytes, "9"),
            ] {
                #expect(try read(text, length) == vector, "\(text)")
                #expect(
                    try read(text, length + 1) == nil && read(text, max(length - 1, 1)) == (length == 1 ? vector : nil))
                #expect(try count(text) == length, "\(text)")
            }
        }
        let integers = binary([3, 0, 1, 0xFF, 0x80, 0x7F], "09")
        #expect(try read(integers, 4) == [1, -1, -128, 127])
        #expect(try count(integers) == 4)
        #expect(try read(integers, 1) == nil && read(integers, 3) == nil && read(integers, 5) == nil)
        #expect(
            try read("{\"$binary\":{\"subType\":\"00\",\"base64\":\"AACAPwAAAEA\"}}", 2) == [1, 2])
    }

    @Test("binary data of other forms isn't a vector")
    func otherBinaryData() throws {
        let floats = VectorReader.bytes(of: [1, 2] as [Float])
        let content = "\"base64\":\"AACAPwAAAEA=\",\"subType\":\"00\""
        for text in [
            binary(floats, "01"), binary(floats, "09"), binary(floats, "80"), binary(floats, "0x"), binary(floats, ""),
            binary(floats, "000"), binary([0x10, 0] + floats, "09"), binary([0x27, 1] + floats, "09"),
            binary([3, 1, 5, 6], "09"), binary([0x27], "09"), binary([], "09"), binary([0x27, 0, 1], "09"),
            binary([9, 0, 1, 2], "09"), "{\"$binary\":\"AACAPwAAAEA=\"}", "{\"$binary\":{\(content)},\"a\":1}",
            "{\"$binary\":{\(content),\"a\":1}}", "{\"binary\":{\(content)}}", "{\"$binary\":{}}",
            "{\"$binary\":{\"base64\":[1,2],\"subType\":\"00\"}}",
            "{\"$binary\":{\"base64\":\"AACAPwAAAEA=\",\"subType\":0}}",
        ] {
            #expect(try read(text, 2) == nil && count(text) == nil, "\(text)")
        }
        #expect(try read(binary(VectorReader.bytes(of: [1, .nan] as [Float]), "00"), 2) == nil)
        #expect(try read(binary([0x27, 0] + VectorReader.bytes(of: [1, .infinity] as [Float]), "09"), 2) == nil)
        for wrong in ["JwAAAIA/AAA!QA==", "Jw", "*wAAAIA/AAAAQA==", "JwAA\\n"] {
            let text = "{\"$binary\":{\"base64\":\"\(wrong)\",\"subType\":\"09\"}}"
            #expect(try read(text, 2) == nil, "\(wrong)")
            _ = try count(text)
        }
    }

    @Test("bytes of floats are read if their number is right and all are finite")
    func floats() {
        func read(_ bytes: [UInt8], _ dimensions: Int) -> [Float]? {
            var output = [Float](repeating: 0, count: dimensions)
            let isRead = unsafe output.withUnsafeMutableBufferPointer {
                unsafe VectorReader.read(floats: bytes.span, into: $0)
            }
            return isRead ? output : nil
        }
        let bytes: [UInt8] = [0, 0, 128, 63, 0, 0, 0, 64]
        #expect(read(bytes, 2) == [1, 2])
        #expect(read(bytes, 1) == nil && read(bytes, 3) == nil && read(Array(bytes.dropLast()), 2) == nil)
        #expect(read([0, 0, 128, 127], 1) == nil && read([1, 0, 128, 255], 1) == nil)
        #expect(read([255, 255, 127, 127], 1) == [Float.greatestFiniteMagnitude])
    }

    @Test("the number of dimensions is counted for arrays of numbers and Base64 only")
    func counting() throws {
        #expect(try count("[]") == 0 && count("[1,2,3e99]") == 3)
        #expect(try count("[1,null]") == nil && count("[[1]]") == nil && count("1") == nil && count("{}") == nil)
        #expect(try count("\"hello\"") == nil && count("\"AAAA\"") == nil && count("\"AACAPwAAAEA*\"") == nil)
    }

    @Test("an array whose items end before or behind its end is refused")
    func damaged() {
        #expect(read(bytes: [0x40 | JSONBType.array, 0x13, 0x31, 0x33, 0x31, 0x32], 2) == nil)
        let element = JSONBElement(JSONBType.array, payload: 0..<3)
        let bytes: [UInt8] = [0x13, 0x31, 0x23, 0x31]
        var output: [Float] = [0, 0]
        let isRead = unsafe output.withUnsafeMutableBufferPointer {
            unsafe VectorReader.read(element, in: bytes.span, into: $0)
        }
        #expect(!isRead)
        #expect(VectorReader.count(element, in: bytes.span) == nil)
    }
}
