internal import SealiteBase
import SealiteCrypto

/// Test vectors, parsed from the text that `scripts/embed-vectors.py` generates.
struct VectorText {
    /// One test case, with its values by field name.
    struct Case {
        private let fields: [Substring: Substring]

        init(names: [Substring], values: [Substring]) {
            fields = Dictionary(zip(names, values), uniquingKeysWith: { first, _ in first })
        }

        /// The text of the field with a name, in which each `_` is replaced by a space; empty for `-`, nil if the field
        /// is missing.
        subscript(name: String) -> String? {
            fields[name[...]].map { value in
                value == "-"
                    ? "" : String(decoding: value.utf8.map { $0 == UInt8(ascii: "_") ? 0x20 : $0 }, as: UTF8.self)
            }
        }

        /// Returns the bytes of a field of hex digits.
        func bytes(_ name: String) throws(VectorError) -> [UInt8] {
            guard let text = self[name], let bytes = Hexadecimal.bytes(of: text) else { throw VectorError(field: name) }
            return bytes
        }

        /// Returns the bytes of a field of hex digits as a secret, as which production code takes them.
        func secret(_ name: String) throws(VectorError) -> SecretBytes {
            try SecretBytes(copying: bytes(name))
        }

        /// Returns the integer of a field of decimal digits.
        func number(_ name: String) throws(VectorError) -> Int {
            guard let text = self[name], let number = Int(text) else { throw VectorError(field: name) }
            return number
        }

        /// Returns true if the field `expect` says that the tested call must succeed, and false if the field is equal
        /// to `failure`, the only way in which this test expects the call to fail. Throws for any other value.
        func succeeds(or failure: String) throws(VectorError) -> Bool {
            switch self["expect"] {
            case "success": true
            case failure: false
            default: throw VectorError(field: "expect")
            }
        }
    }

    private(set) var source = ""
    private(set) var sourceDigest: String?
    private(set) var parameters = Case(names: [], values: [])
    private(set) var cases: [Case] = []

    init(_ text: String) {
        var names: [Substring] = []
        var parameterNames: [Substring] = []
        var parameterValues: [Substring] = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            switch words.first {
            case "source": source = String(line.dropFirst("source ".count))
            case "sha256": sourceDigest = words.last == "-" ? nil : words.last.map(String.init)
            case "=":
                parameterNames.append(words.count > 1 ? words[1] : "")
                parameterValues.append(words.count > 2 ? words[2] : "")
            case "#": names = Array(words.dropFirst())
            default: cases.append(Case(names: names, values: words))
            }
        }
        parameters = Case(names: parameterNames, values: parameterValues)
    }
}

/// The error for a test vector in which a required field is missing or malformed, or doesn't belong to the others.
struct VectorError: Error, CustomStringConvertible {
    let field: String
    var description: String {
        "the field \"\(field)\" of the test vector is missing or malformed, or contradicts the other fields or a computed value"
    }
}

/// The published test vectors as texts, one for each suite; `scripts/embed-vectors.py` describes their format.
enum Vectors {}
