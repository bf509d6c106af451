/// The announced remote sequences in the order of their arrival, until they are finished.
///
/// A replication checkpoint may name only a sequence up to which all announced ones are finished.
struct RemoteSequenceSet: Sendable {
    /// Identifies an announced sequence by its position in the order of arrival.
    struct Entry: Hashable, Sendable {
        fileprivate let index: Int
    }

    /// The last sequence before the first unfinished one, after which a later session begins; nil if there is none.
    private(set) var checkpoint: RemoteSequence?
    private var sequences: [RemoteSequence] = []
    private var isFinished: [Bool] = []
    private var head = 0
    /// The number of finished entries that were removed from the beginning of `sequences`.
    private var base = 0
    private(set) var unfinishedCount = 0

    init(since checkpoint: RemoteSequence?) { self.checkpoint = checkpoint }

    /// Adds a sequence that was announced, and returns the entry by which to finish it.
    mutating func add(_ sequence: RemoteSequence) -> Entry {
        assert(sequences.count == isFinished.count)
        sequences.append(sequence)
        isFinished.append(false)
        unfinishedCount += 1
        return Entry(index: base + sequences.count - 1)
    }

    /// Finishes a sequence, and returns whether the checkpoint moved. Does nothing if the sequence is finished already.
    mutating func finish(_ entry: Entry) -> Bool {
        let index = entry.index - base
        guard isFinished.indices.contains(index), index >= head, !isFinished[index] else { return false }
        isFinished[index] = true
        unfinishedCount -= 1
        assert(unfinishedCount >= 0, "a sequence is finished once")
        let before = head
        while head < sequences.count, isFinished[head] {
            checkpoint = sequences[head]
            head += 1
        }
        assert(head <= sequences.count && (head == sequences.count || !isFinished[head]))
        let hasMoved = head > before
        compact()
        return hasMoved
    }

    private mutating func compact() {
        guard head > 1_024, head * 2 > sequences.count else { return }
        sequences.removeSubrange(..<head)
        isFinished.removeSubrange(..<head)
        base += head
        head = 0
    }
}
