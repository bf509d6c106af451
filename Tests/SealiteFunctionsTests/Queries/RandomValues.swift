import SealiteTestSupport

/// Random JSON texts.
extension SeededRandom {
    /// Any value; containers down to a depth.
    mutating func json(depth: Int) -> String {
        switch below(depth > 0 ? 9 : 6) {
        case 0: ["null", "true", "false"][below(3)]
        case 1...3: number()
        case 4, 5: text()
        case 6, 7: "[" + (0..<below(4)).map { _ in json(depth: depth - 1) }.joined(separator: ",") + "]"
        default: object(depth: depth)
        }
    }

    mutating func object(depth: Int) -> String {
        let names = ["a", "b", "é", "", "\\u0001"].filter { _ in below(2) == 0 }
        return "{" + names.map { "\"\($0)\":\(json(depth: depth - 1))" }.joined(separator: ",") + "}"
    }

    /// A number of any kind, near to others.
    mutating func number() -> String {
        switch below(10) {
        case 0...3: "\(below(7) - 3)"
        case 4: "\(below(7) - 3).\(["0", "5", "50", "25"][below(4)])"
        case 5: "\(below(30) - 15)e\(below(60) - 30)"
        case 6:
            [
                "9007199254740992", "9007199254740993", "9007199254740992.0", "9007199254740994.0",
                "9.007199254740993e15",
            ][below(5)]
        case 7:
            [
                "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "1e19",
                "9.223372036854775807e18", "9223372036854776000", "1e18", "1000000000000000000",
                "4611686018427387904.0",
            ][below(10)]
        case 8:
            [
                "1e400", "10e399", "-1e400", "1e-400", "0.1", "0.10000000000000001",
                "0.1000000000000000055511151231257827",
            ][below(7)]
        default: "\(Double(bitPattern: UInt64.random(in: 0..<0x7FF0_0000_0000_0000, using: &self)))"
        }
    }

    mutating func text() -> String {
        "\"" + (0..<below(4)).map { _ in ["a", "A", "b", "é", "1", "\\u0000", "😀", " "][below(8)] }.joined() + "\""
    }
}
