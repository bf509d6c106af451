internal import SealiteCrypto
internal import SealiteJSON

/// The progress of a replication: the local sequences that need no more pushing, and the remote sequence up to which
/// everything was pulled. Each side stores a copy, so that a loss of data on either side is detected.
package struct Checkpoint: Sendable, Hashable {
    /// The local sequences that were pushed, or need not be.
    package var completed = SequenceSet()
    /// The last remote sequence up to which everything was pulled; nil if nothing was.
    var remote: RemoteSequence?
    /// The local sequence up to which documents are offered regardless of what the remote is known to have, since the
    /// remote may have lost documents; nil if none are. The sequence stays in the checkpoint until all of them were
    /// offered, so that the next session continues after an interruption.
    package var reofferedThrough: UInt64?

    package init() {}

    /// Reads the JSON of a checkpoint that this library or Couchbase Lite has written.
    ///
    /// - Throws: `notJSON`, `wrongShape`, `tooLarge`.
    package init(json: [UInt8], limits: MessageLimits) throws(MessageError) {
        var local: Int64 = 0
        var list: [UInt64]?
        var remote: RemoteSequence?
        var reader = JSONReader(json)
        try reader.object { (name, reader) throws(MessageError) in
            switch (name, try reader.peek()) {
            case ("local", .number): local = try reader.integer()
            case ("localCompleted", .array):
                var numbers: [UInt64] = []
                try reader.array(limit: 1 << 20) { (reader) throws(MessageError) in
                    numbers.append(UInt64(clamping: try reader.integer()))
                }
                list = numbers
            case ("reoffer", .number): reofferedThrough = UInt64(clamping: try reader.integer())
            case ("remote", .number), ("remote", .string):
                remote = try RemoteSequence(reading: &reader, limits: limits)
            default: _ = try reader.rawValue()
            }
        }
        try reader.end()
        self.remote = remote
        if let list {
            for index in stride(from: 0, to: list.count - 1, by: 2) {
                let (end, overflow) = list[index].addingReportingOverflow(list[index + 1])
                guard !overflow else { throw MessageError(.wrongShape, "a range of sequences exceeds 64 bits") }
                completed.insert(list[index]..<end)
            }
        } else if local > 0, local < .max {
            completed = SequenceSet(through: UInt64(local))
        }
    }

    /// Reads one side's copy of a checkpoint; nil if it is invalid. An invalid copy counts as missing, so everything is
    /// compared again. The local copy isn't trusted either, since the database may have been made by somebody else.
    ///
    /// A copy larger than `MessageLimits.remoteCheckpointByteCount` is invalid, since the time to process ranges is
    /// quadratic in their number.
    package init?(copy json: [UInt8], limits: MessageLimits) {
        guard json.count <= limits.remoteCheckpointByteCount, let read = try? Checkpoint(json: json, limits: limits)
        else {
            return nil
        }
        self = read
    }

    /// The maximum size of the ranges in the JSON, in bytes. Listeners limit the size of the values that they store for
    /// a peer.
    private static let rangesByteCount = 4_096

    /// Returns the JSON that is stored on both sides, with the marks of its saves, if there are any. The time, in seconds
    /// since 1970, is informative.
    ///
    /// If there are very many ranges of completed sequences, the last ranges are omitted: a later session compares
    /// their documents again.
    func json(time: UInt64, _ marks: CheckpointMarks? = nil) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("time")
            writer.integer(time)
            let local = completed.contiguousThrough
            if local > 0 {
                writer.name("local")
                writer.integer(local)
            }
            // `local` describes only the first range, and only if that begins with the first sequence.
            if let last = completed.ranges.last, last.upperBound - 1 > local {
                writer.name("localCompleted")
                var room = Self.rangesByteCount
                writer.array { writer in
                    for range in completed.ranges {
                        room -= "\(range.lowerBound),\(range.count),".utf8.count
                        guard room >= 0 else { break }
                        writer.integer(range.lowerBound)
                        writer.integer(range.count)
                    }
                }
            }
            if let remote {
                writer.name("remote")
                writer.raw(remote.json.utf8)
            }
            if let reofferedThrough {
                writer.name("reoffer")
                writer.integer(reofferedThrough)
            }
            marks?.write(into: &writer)
        }
        return writer.bytes
    }

    /// Returns whether the remote has lost data: whether its copy shows less progress than this local copy, in either
    /// direction, or, if `remote` is nil because the remote has no copy, whether this copy shows any progress.
    ///
    /// The remote's copy is always saved first, so it shows at least the progress of the local one. Remote sequences
    /// that can't be compared show no loss.
    func isLost(by remote: Checkpoint?) -> Bool {
        guard let remote else { return self != Checkpoint() }
        if completed.intersection(remote.completed) != completed { return true }
        guard let pulled = self.remote else { return false }
        guard let known = remote.remote else { return true }
        return known.precedes(pulled) ?? false
    }

    /// Returns the progress on which both copies of a checkpoint agree: none if either copy is missing.
    ///
    /// A missing remote copy means that the remote has lost its data. `reofferedThrough` is that of the local copy.
    static func reconciled(local: Checkpoint?, remote: Checkpoint?) -> Checkpoint {
        guard let local else { return Checkpoint() }
        let remote = remote ?? Checkpoint()
        var result = local
        if local.completed != remote.completed { result.completed = local.completed.intersection(remote.completed) }
        if local.remote != remote.remote {
            result.remote = nil
            if let ours = local.remote, let theirs = remote.remote, let isEarlier = theirs.precedes(ours) {
                result.remote = isEarlier ? theirs : ours
            }
        }
        return result
    }
}

/// The mark of one save of a checkpoint in a database of version vectors, by which a database file is detected that was
/// replaced by an older copy of itself: the remote's copy then has a mark that the file hasn't given yet.
struct CheckpointMark: Sendable, Hashable {
    /// The number of the save: greater than those of all earlier saves of this checkpoint.
    var serial: UInt64
    /// A random text of the session. Two copies of a file that count on from the same number have different ones.
    var token: String
    /// The source id of the versions that the database wrote at the time of the save.
    var source: String
}

/// The mark of the last save of a checkpoint under each of the database's source ids, latest first.
///
/// A session stores the mark of each save locally before it sends the checkpoint, so that the local marks are never
/// older than the remote's. A file that is replaced by the same copy for a second time has the source id of that copy
/// again, under which it had saved checkpoints before it was replaced for the first time; therefore the marks of former
/// source ids are kept.
struct CheckpointMarks: Sendable, Hashable {
    /// The maximum number of marks.
    static let limit = 20

    private(set) var all: [CheckpointMark] = []

    init() {}

    /// Reads the marks in the JSON of a checkpoint: none if it has none, or invalid ones.
    init(json: [UInt8], limits: MessageLimits) {
        guard json.count <= limits.remoteCheckpointByteCount else { return }
        var found: [CheckpointMark] = []
        do throws(MessageError) {
            var reader = JSONReader(json)
            try reader.object { (name, reader) throws(MessageError) in
                switch (name, try reader.peek()) {
                case ("saves", .array):
                    try reader.array(limit: Self.limit) { (reader) throws(MessageError) in
                        if let mark = try Self.read(&reader) { found.append(mark) }
                    }
                default: _ = try reader.rawValue()
                }
            }
        } catch {
            return
        }
        for mark in found { add(mark) }
    }

    private static func read(_ reader: inout JSONReader) throws(MessageError) -> CheckpointMark? {
        var serial: Int64?
        var (token, source): (String?, String?) = (nil, nil)
        try reader.object { (name, reader) throws(MessageError) in
            switch (name, try reader.peek()) {
            case ("serial", .number): serial = try reader.integer()
            case ("token", .string): token = try reader.string()
            case ("source", .string): source = try reader.string()
            default: _ = try reader.rawValue()
            }
        }
        guard let serial, serial > 0, let token, let source, token.utf8.count <= 64, source.utf8.count <= 64 else {
            return nil
        }
        return CheckpointMark(serial: UInt64(serial), token: token, source: source)
    }

    func write(into writer: inout JSONWriter) {
        guard !all.isEmpty else { return }
        writer.name("saves")
        writer.array { writer in
            for mark in all {
                writer.object { writer in
                    writer.name("serial")
                    writer.integer(mark.serial)
                    writer.name("token")
                    writer.string(mark.token)
                    writer.name("source")
                    writer.string(mark.source)
                }
            }
        }
    }

    /// Adds a mark, unless there is a later one of its source id.
    mutating func add(_ mark: CheckpointMark) {
        if let known = all.first(where: { $0.source == mark.source }), known.serial > mark.serial { return }
        all.removeAll { $0.source == mark.source }
        all.insert(mark, at: all.firstIndex { $0.serial < mark.serial } ?? all.endIndex)
        assert(all.count <= Self.limit + 1, "a source has one mark")
        all = Array(all.prefix(Self.limit))
    }

    /// Returns the marks of both, for each source id the later one, and that of the next save.
    func next(after other: CheckpointMarks, token: String, source: String) -> CheckpointMarks {
        var next = self
        for mark in other.all { next.add(mark) }
        next.add(CheckpointMark(serial: (next.all.first?.serial ?? 0) + 1, token: token, source: source))
        assert(next.all.first?.source == source, "the mark of the next save is the latest")
        return next
    }

    /// Returns whether these marks, those of the remote's copy, show that the local file, which writes versions with the
    /// source id, was replaced by an older copy of itself: the mark of this source id is later than the local one, or of
    /// another save with the same number.
    func areUnknown(to local: CheckpointMarks, of source: String) -> Bool {
        guard let mark = all.first(where: { $0.source == source }) else { return false }
        guard let known = local.all.first(where: { $0.source == source }) else { return true }
        return mark.serial > known.serial || mark.serial == known.serial && mark.token != known.token
    }
}
