internal import SealiteJSON

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
