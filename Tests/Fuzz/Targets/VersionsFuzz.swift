@testable import SealiteRevisions

/// Versions, vectors and histories: as texts of messages, and stored. The first byte says which; two texts are separated by a zero byte.
final class VersionsFuzz: FuzzTarget {
    private static let me = SourceID(bytes: Array(1...16))
    private static let now: UInt64 = 0x18E9_F04B_267A_0000

    init() throws {}

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard let kind = input.first else { return }
        let rest = Array(input.dropFirst())
        if kind & 1 == 0 { try checkTexts(rest) } else { try checkStored(rest) }
    }

    private func checkTexts(_ input: [UInt8]) throws(BrokenProperty) {
        let parts = input.split(separator: 0, maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
        guard let first = parts.first else { return }
        let second = parts.dropFirst().first ?? ""
        if let vector = try? VersionVector(first, me: Self.me) { try check(vector) }
        if let joined = try? VersionHistory(version: first, history: second) {
            try check(joined)
            let again = try? VersionHistory(version: joined.versionText, history: joined.historyText)
            try BrokenProperty.unless(again == joined, "\(joined.text) is another history in two texts")
            // As Sync Gateway writes it.
            let gateways = joined.historyText.replacing("; ", with: joined.hasOnlyMerged ? ";," : ";")
            let third = try? VersionHistory(version: joined.versionText, history: gateways)
            try BrokenProperty.unless(third == joined, "\(gateways) is another history than \(joined.text)")
        }
        guard let left = try? VersionHistory(first), let right = try? VersionHistory(second) else { return }
        try check(left)
        try checkPair(left, right)
    }

    private func checkStored(_ input: [UInt8]) throws(BrokenProperty) {
        guard let count = input.first.map(Int.init), input.count > count else { return }
        let current = Array(input.dropFirst().prefix(count))
        let stored = Array(input.dropFirst(count + 1))
        var position = 0
        guard let history = VersionHistory(current: current, stored: stored.span, &position) else { return }
        var again: [UInt8] = []
        history.appendStored(to: &again)
        position = 0
        guard let read = VersionHistory(current: current, stored: again.span, &position) else {
            throw BrokenProperty("a history that was read and written can't be read")
        }
        try BrokenProperty.unless(read == history && position == again.count, "a history is stored as another one")
        if let vector = history.vector { try check(vector) }
    }

    private func check(_ history: VersionHistory) throws(BrokenProperty) {
        try BrokenProperty.unless(
            (try? VersionHistory(history.text)) == history, "\(history.text) reads as another one")
        try BrokenProperty.unless(history.order(to: history) == .same, "\(history.text) isn't the same as itself")
        if let vector = history.vector { try check(vector) }
    }

    private func check(_ vector: VersionVector) throws(BrokenProperty) {
        let relative = vector.text(me: Self.me)
        try BrokenProperty.unless((try? VersionVector(vector.text())) == vector, "\(relative) reads as another one")
        try BrokenProperty.unless((try? VersionVector(relative, me: Self.me)) == vector, "\(relative) reads otherwise")
        let bounded = vector.bounded()
        try BrokenProperty.unless(
            bounded.previous.count <= VersionVector.maximumPreviousCount
                && bounded.merged.count <= VersionVector.maximumMergedCount, "\(relative) isn't bounded")
        try BrokenProperty.unless(bounded.order(to: vector) == .same, "\(relative) becomes another state")
        try BrokenProperty.unless(vector.absorbing(vector) == bounded, "\(relative) isn't kept over itself")
        var clock = HybridClock()
        guard (try? clock.observe(vector, at: Self.now)) != nil, let me = Self.me else { return }
        guard let time = try? clock.next(after: vector.latestTime, at: 0) else {
            throw BrokenProperty("\(relative) uses up the clock")
        }
        let changed = vector.changed(to: SourceVersion(time: time, source: me))
        try BrokenProperty.unless(changed.order(to: bounded) == .newer, "a change of \(relative) isn't newer")
    }

    private func checkPair(_ left: VersionHistory, _ right: VersionHistory) throws(BrokenProperty) {
        let words = "\(left.text) and \(right.text)"
        try BrokenProperty.unless(left.order(to: right) == right.order(to: left).reversed, "\(words) disagree")
        guard let vector = left.vector, let other = right.vector, let me = Self.me else { return }
        let merged = vector.merged(with: other, to: SourceVersion(time: .latest, source: me))
        guard vector.time(of: me) ?? .earliest < .latest, other.time(of: me) ?? .earliest < .latest else { return }
        try BrokenProperty.unless(
            merged.order(to: vector) == .newer && merged.order(to: other) == .newer, "a merge of \(words) isn't newer")
        guard let kept = vector.absorbing(other), !other.knows(vector.current) else { return }
        try BrokenProperty.unless(kept.order(to: other) == .newer, "one of \(words) isn't newer when it is kept")
    }

    /// First inputs: what peers sent, and what is stored.
    static func seeds() throws -> [[UInt8]] {
        let texts = [
            "18e9f04b38b20001@6bw8pLHeSIyWFNJrbS5LmQ, 18e9f04b27980000@6bw8pLHeSIyWFNJrbS5LmQ, 18e9f04b07890000@59tjWKImQmyJwgGr9tEXWg;",
            "18e9f04b65380001@6bw8pLHeSIyWFNJrbS5LmQ; 18e9f04b06d00000@59tjWKImQmyJwgGr9tEXWg\0"
                + "18e9f04b55860001@59tjWKImQmyJwgGr9tEXWg",
            "18e9f0c2e7560000@AQIDBAUGBwgJCgsMDQ4PEA\u{0}2-abcd,1-ef01",
            "18b000000000000c@kGnDKXCDRQmm0FZHoV5TKg\u{0}18b0000000000009@kGnDKXCDRQmm0FZHoV5TKg,18b0000000000008@Zq2mVZ8SS3q7F6x1b4cYgA;",
            "18b000000000000c@kGnDKXCDRQmm0FZHoV5TKg\u{0}18b0000000000009@kGnDKXCDRQmm0FZHoV5TKg,18b0000000000008@Zq2mVZ8SS3q7F6x1b4cYgA;,3-cc,2-bb,1-aa",
            "18b000000000000c@kGnDKXCDRQmm0FZHoV5TKg\u{0}18b0000000000008@Zq2mVZ8SS3q7F6x1b4cYgA,4-dd,3-cc,2-bb,1-aa",
            "3-abc,2-abd,1-a\u{0}25717cf7f71@Revision+Tree+Encoding", "7@*, 6@*; 2@Zq2mVZ8SS3q7F6x1b4cYgA, 2-abc",
        ]
        var seeds = texts.map { [0] + Array($0.utf8) }
        for text in texts {
            let parts = text.split(separator: "\0").map(String.init)
            guard let history = try? VersionHistory(version: parts[0], history: parts.dropFirst().first ?? "") else {
                continue
            }
            let current = history.vector?.current.storedCurrent ?? history.revisions.first?.stored ?? []
            var seed: [UInt8] = [1, UInt8(current.count)] + current
            history.appendStored(to: &seed)
            seeds.append(seed)
        }
        return seeds
    }
}

extension VersionHistory {
    /// A Boolean value that says whether the history has merged versions, and tree ids directly after them.
    fileprivate var hasOnlyMerged: Bool {
        vector.map { !$0.merged.isEmpty && $0.previous.isEmpty && !revisions.isEmpty } ?? false
    }
}
