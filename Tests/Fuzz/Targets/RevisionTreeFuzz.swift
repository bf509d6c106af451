@testable import SealiteDatabase
import SealiteRevisions

/// The stored form of revision trees. The first byte says whether the current revision is deleted, and whether it is a version, the
/// second and third its generation or time.
final class RevisionTreeFuzz: FuzzTarget {
    init() throws {}

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard input.count >= 3 else { return }
        let isDeleted = input[0] & 1 == 1
        let generation = max(1, Int(input[1]) | Int(input[2]) << 8)
        let text =
            input[0] & 2 == 0
            ? "\(generation)-0123456789abcdef0123456789abcdef01234567"
            : "\(String(generation, radix: 16))@AQIDBAUGBwgJCgsMDQ4PEA"
        guard let current = RevisionID(text) else { return }
        guard let tree = Self.read(Array(input.dropFirst(3)), current, isDeleted) else { return }
        let stored = tree.stored
        guard let again = Self.read(stored, current, isDeleted) else {
            throw BrokenProperty("a tree that was read and written can't be read")
        }
        try BrokenProperty.unless(again.stored == stored, "a tree is written otherwise the second time")
        try BrokenProperty.unless(again.current.id == current, "a tree has another current revision")
        try Self.checkBases(tree)
        for node in again.nodes {
            let id = node.id
            try BrokenProperty.unless(RevisionID(stored: id.stored) == id, "a revision's id reads as another")
            try BrokenProperty.unless(id.generation > 0 || id.version != nil, "a revision is of no generation")
        }
    }

    /// The document's body, from which bases may be deltas: `{"n":1,"t":"aaa…"}` with a text of 60 letters, and another one.
    private static let body = body(0x31)
    private static let otherBody = body(0x32)

    private static func body(_ digit: UInt8) -> [UInt8] {
        [0xCC, 68, 0x17, 0x6E, 0x13, digit, 0x17, 0x74, 0xC7, 60] + [UInt8](repeating: 0x61, count: 60)
    }

    /// Reads the bases of deltas, replaces the body, and reads those that are left again.
    private static func checkBases(_ tree: RevisionTree) throws(BrokenProperty) {
        let bodies = tree.bases.bodies(current: body)
        try BrokenProperty.unless(bodies.count <= tree.bases.list.count, "there are more bodies than bases")
        var bases = tree.bases
        bases.replace(body, by: otherBody, keeping: .init(id: tree.current.id, isServed: true)) { _ in true }
        try BrokenProperty.unless(bases.list.count <= DeltaBases.maximumCount, "there are too many bases")
        try BrokenProperty.unless(
            bases.body(of: tree.current.id, current: otherBody) == body, "the replaced body is lost")
        let kept = bases.bodies(current: otherBody)
        for (base, old) in zip(tree.bases.list, bodies) where base.id != tree.current.id {
            guard let index = bases.list.firstIndex(where: { $0.id == base.id }), index < kept.count else { continue }
            let isFirst = tree.bases.list.first { $0.id == base.id } == base
            try BrokenProperty.unless(!isFirst || kept[index] == old, "a base has another body after a change")
        }
    }

    private static func read(_ stored: [UInt8]?, _ current: RevisionID, _ isDeleted: Bool) -> RevisionTree? {
        try? RevisionTree(stored: stored, current: current, isDeleted: isDeleted)
    }

    /// First inputs: lines and branches, with bodies, peers and bases of deltas.
    static func seeds() throws -> [[UInt8]] {
        func id(_ text: String) throws -> [UInt8] {
            guard let id = RevisionID(text) else { throw BrokenProperty("\(text) is no revision") }
            return [UInt8(id.stored.count)] + id.stored
        }
        let digest = "-0123456789abcdef0123456789abcdef01234567"
        let (second, first) = (try id("2" + digest), try id("1" + digest))
        let version = try id("5@ABEiM0RVZneImaq7zN3u/w")
        let previous = Array(version.dropFirst(2))
        let sum = DeltaBases.checksum(of: body).bigEndianBytes
        let (branch, other) = (try id("2-00"), try id("1-text that is no hex"))
        return [
            [0, 3, 0, 1] + second + first, [1, 2, 0, 1] + other, [0, 3, 0, 1],
            // Current, its parent, a branch with a body in conflict; one peer.
            [0, 3, 0, 2, 3, 0, 2, 0, 0, 3] + second + [6, 3] + branch + [1, 12] + [1, 5, 2],
            [0, 3, 0, 2, 2, 0, 2, 0, 8, 0] + first + [0], [0, 0, 1, 2, 1, 1, 0, 0, 0],
            // A vector with a previous version and an id of a tree, and a version in conflict with a body; one peer.
            [2, 9, 0, 3, 0, 1] + previous + [1] + second + [1, 6] + version + [0, 0, 0, 1, 12, 1, 5, 1],
            // The same id of a tree at the end of one peer's histories, and none at another's.
            [2, 9, 0, 3, 0, 0, 1] + second + [0, 2, 5, 0, 6, 0, 2, 5] + second + [6, 0],
            // Bases: with another number; served, without the text, and one with another number from that; before a line.
            [0, 3, 0, 4, 0] + sum + [0] + second + [70, 7] + Array(#"{"n":2}"#.utf8),
            [0, 3, 0, 4, 22, 1] + first + sum + [1] + second + [10, 8] + Array(#"{"t":[]}"#.utf8) + [0] + first + [
                10, 7,
            ]
                + Array(#"{"n":3}"#.utf8),
            [2, 9, 0, 4, 0] + sum + [1] + version + [70, 2] + Array("{}".utf8),
            [2, 9, 0, 3, 0, 0, 0, 0, 0], [0, 3, 0, 3, 0, 0, 1] + second + [1, 0] + version + [0, 0, 0, 1, 5, 1],
        ]
    }
}
