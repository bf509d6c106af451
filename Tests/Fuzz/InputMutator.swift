import SealiteTestSupport

/// Changes inputs of a corpus at random, as libFuzzer does, but without knowing what code an input reaches.
struct InputMutator {
    /// No input grows beyond the largest of the corpus and this.
    private static let growth = 256
    /// Bytes at which parsers decide: ends of ranges, and what quotes, nests and separates in texts.
    private static let edges: [UInt8] = [0, 1, 0x0A, 0x20, 0x7F, 0x80, 0xFE, 0xFF] + Array("\"$'(),.-/0:[\\]`{|}".utf8)

    private let corpus: [[UInt8]]
    private let limit: Int
    private var chance: SeededRandom

    /// Takes a corpus that has at least one input.
    init(_ corpus: [[UInt8]], seed: UInt64) {
        self.corpus = corpus
        limit = (corpus.map(\.count).max() ?? 0) + Self.growth
        chance = SeededRandom(seed: seed)
    }

    /// One of the inputs after one to six changes.
    mutating func next() -> [UInt8] {
        var input = corpus[chance.below(corpus.count)]
        for _ in 0...chance.below(6) { change(&input) }
        return Array(input.prefix(limit))
    }

    private mutating func change(_ input: inout [UInt8]) {
        guard !input.isEmpty else {
            input = chance.bytes(1 + chance.below(16))
            return
        }
        let place = chance.below(input.count)
        switch chance.below(8) {
        case 0: input[place] ^= 1 << UInt8(chance.below(8))
        case 1: input[place] = Self.edges[chance.below(Self.edges.count)]
        case 2: input[place] = chance.bytes(1)[0]
        case 3: input[place] &+= UInt8(truncatingIfNeeded: chance.below(33) - 16)
        case 4: input.removeSubrange(range(in: input))
        case 5: input.insert(contentsOf: input[range(in: input)], at: place)
        case 6: input.insert(contentsOf: chance.bytes(1 + chance.below(8)), at: place)
        default:
            // The beginning of this input and a part of another one.
            let other = corpus[chance.below(corpus.count)]
            guard !other.isEmpty else { return }
            input.replaceSubrange(place..., with: other[chance.below(other.count)...])
        }
    }

    /// A range of at least one byte, short ones more often than long ones.
    private mutating func range(in input: [UInt8]) -> Range<Int> {
        let start = chance.below(input.count)
        let longest = min(input.count - start, 1 << chance.below(10))
        return start..<(start + 1 + chance.below(longest))
    }
}
