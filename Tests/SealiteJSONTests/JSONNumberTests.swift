import Foundation
import SealiteTestSupport
import Testing

@testable import SealiteJSON

@Suite("numbers by their exact value")
struct JSONNumberTests {
    private func number(_ text: String) throws -> JSONNumber {
        try #require(JSONNumber(json: Array(text.utf8)), "\(text)")
    }

    @Test("numbers that no double tells apart have their order")
    func ascending() throws {
        let texts = [
            "-1e99999999999999999999", "-1e400", "-9223372036854775809", "-9223372036854775808",
            "-9223372036854775807.5", "-2",
            "-1.0000000000000000000001", "-1", "-0.1", "-1e-400", "0", "1e-99999999999999999999", "1e-400", "0.1",
            "0.10000000000000000000001", "1", "9007199254740992", "9007199254740992.5", "9007199254740993",
            "9223372036854775807",
            "9223372036854775807.1", "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e400",
            "1e401",
            "9e401", "1e99999999999999999999", "10.1e99999999999999999999", "1e100000000000000000001",
        ]
        let numbers = try texts.map(number)
        for (left, a) in numbers.enumerated() {
            for (right, b) in numbers.enumerated() {
                #expect((a < b) == (left < right) && (a == b) == (left == right), "\(texts[left]) \(texts[right])")
            }
        }
    }

    @Test(
        "different texts of one value are equal",
        arguments: [
            ["1", "1.0", "1e0", "10e-1", "0.1E1", "1.000000000000000000000000000000"],
            ["0", "-0", "0.0", "-0.0e5", "0e99999999999999999999"], ["-1500", "-1.5e3", "-15E+2"],
            ["10e99999999999999999999", "1e100000000000000000000", "0.1e100000000000000000001"],
            ["1e-100000000000000000000", "10e-100000000000000000001", "0.1e-99999999999999999999"],
            ["9223372036854775807", "9223372036854775807.0", "9.223372036854775807e18"],
        ])
    func equal(texts: [String]) throws {
        for left in texts { for right in texts { #expect(try number(left) == number(right), "\(left) \(right)") } }
    }

    @Test("a double is compared by its binary value, not by its shortest text")
    func doubles() throws {
        let tenth = try #require(JSONNumber(0.1))
        #expect(try number("0.1") < tenth)
        #expect(try number("0.1000000000000000055511151231257827021181583404541015625") == tenth)
        #expect(try number("0.1000000000000000055511151231257827021181583404541015624") < tenth)
        let large = try #require(JSONNumber(0x1p53))
        #expect(JSONNumber(9_007_199_254_740_992) == large && large < JSONNumber(9_007_199_254_740_993))
        #expect(try #require(JSONNumber(1e300)) != number("1e300"))
        let least = try #require(JSONNumber(Double.leastNonzeroMagnitude))
        #expect(try number("4.940656458412465e-324") < least && least < number("4.940656458412466e-324"))
        let leastNormal = try #require(JSONNumber(Double.leastNormalMagnitude))
        #expect(try number("2.2250738585072013e-308") < leastNormal && leastNormal < number("2.2250738585072014e-308"))
        let greatest = try #require(JSONNumber(Double.greatestFiniteMagnitude))
        #expect(try number("1.7976931348623157e308") < greatest && greatest < number("1.7976931348623158e308"))
        #expect(JSONNumber(Double.nan) == nil && JSONNumber(Double.infinity) == nil)
    }

    @Test("doubles have among their exact values the order that they have as doubles")
    func randomDoubles() throws {
        var random = SeededRandom()
        var all: [Double] = [
            0, -0.0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude,
            -.greatestFiniteMagnitude,
        ]
        // Each is compared with each other.
        for _ in 0..<(ProcessInfo.processInfo.environment["SEALITE_SOAK"] == "1" ? 60 : 25) {
            let value = Double(bitPattern: random.next())
            if value.isFinite { all.append(contentsOf: [value, value.nextUp, -value]) }
        }
        let exacts = try all.map { try #require(JSONNumber($0)) }
        // Texts on one side, so that both ways of making a number are compared.
        let texts = try all.map { try number("\($0)") }
        for (left, a) in zip(all, exacts) {
            for (right, (exact, text)) in zip(all, zip(exacts, texts)) {
                #expect((a < exact) == (left < right) && (a == exact) == (left == right), "seed \(random.seed)")
                if left.nextUp < right { #expect(a < text, "seed \(random.seed)") }
                if left.nextDown > right { #expect(a > text, "seed \(random.seed)") }
            }
        }
    }

    @Test("what is no number has none", arguments: ["", "-", "01", "1.", ".5", "1e", "+1", "NaN", "0x1", "1 ", "1e+"])
    func refused(text: String) { #expect(JSONNumber(json: Array(text.utf8)) == nil) }
}
