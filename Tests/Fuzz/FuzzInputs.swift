import Foundation

/// The committed inputs of a fuzz target, which `scripts/pack-fixtures.py` packs into one file of `Fixtures/Fuzz`.
struct FuzzInput {
    let name: String
    let bytes: [UInt8]

    struct Malformed: Error {
        let line: String
    }

    /// Returns a target's inputs in the order of their names.
    static func all(_ target: FuzzTargetName) throws -> [FuzzInput] {
        let pack = FuzzStage.folder.appending(path: target.rawValue + ".jsonl")
        return try String(contentsOf: pack, encoding: .utf8).split(separator: "\n").map { try FuzzInput(line: $0) }
    }

    private init(line: Substring) throws {
        let entry = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
        guard let entry, let name = entry["name"] else { throw Malformed(line: String(line)) }
        self.name = name
        if let text = entry["text"] {
            bytes = Array(text.utf8)
        } else {
            guard let bytes = entry["hex"].flatMap(Self.bytes) else { throw Malformed(line: String(line)) }
            self.bytes = bytes
        }
    }

    private static func bytes(hex: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(hex.utf8.count / 2)
        var high: UInt8?
        for digit in hex.utf8 {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            guard let first = high else {
                high = value
                continue
            }
            bytes.append(first << 4 | value)
            high = nil
        }
        return high == nil ? bytes : nil
    }
}
