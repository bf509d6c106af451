/// A path as filters have it: names, of which some may be places in arrays.
struct FilterPath: Sendable {
    /// A name on the way.
    struct Step: Sendable {
        let name: String
        /// The name's UTF-8.
        let bytes: [UInt8]
        /// The place in an array that the name stands for; nil where it stands for none.
        let index: Int?

        init(_ name: some StringProtocol) {
            self.name = String(name)
            bytes = Array(name.utf8)
            index = FilterPath.index(of: bytes)
        }
    }

    /// The names; none leads to the value itself, and doesn't open it where it is an array.
    let steps: [Step]
    /// True where the path leads to a document's `_id`, or into it.
    let isID: Bool
    /// The path's text.
    let text: String

    /// The number of names that a path may have.
    static let maximumCount = 200
    /// The number of digits of a place in an array.
    private static let maximumDigitCount = 9

    /// The path of a text with points between names.
    init(_ text: String) throws(MongoError) {
        self.text = text
        steps = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
            Step(Substring($0))
        }
        isID = steps.first?.name == "_id"
        guard steps.count <= Self.maximumCount else {
            throw .badValue("A path has more than \(Self.maximumCount) names.")
        }
    }

    private init(_ steps: [Step], _ text: String) { (self.steps, isID, self.text) = (steps, false, text) }

    /// The path to the value itself.
    static let root = FilterPath([], "")

    /// The path without its first name.
    var tail: FilterPath { FilterPath(Array(steps.dropFirst()), text) }

    /// The place in an array that a name stands for: digits without a 0 in front.
    private static func index(of name: [UInt8]) -> Int? {
        guard !name.isEmpty, name.count <= maximumDigitCount, name.count == 1 || name[0] != UInt8(ascii: "0") else {
            return nil
        }
        var index = 0
        for digit in name {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            index = index * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return index
    }
}
