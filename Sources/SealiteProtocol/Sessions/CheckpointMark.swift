internal import SealiteJSON

/// The mark of one save of a checkpoint in a database of version vectors, by which a database file is detected that was
/// replaced by an older copy of itself: the remote's copy then has a mark that the file hasn't given yet.
///
/// A session stores the mark of each save locally before it sends the checkpoint, so that the local mark is never older
/// than the remote's.
struct CheckpointMark: Sendable, Hashable {
    /// The number of the save: greater than those of all earlier saves of this checkpoint.
    var serial: UInt64
    /// A random text of the session. Two copies of a file that count on from the same number have different ones.
    var token: String
    /// The source id of the versions that the database wrote at the time of the save.
    var source: String

    init(serial: UInt64, token: String, source: String) {
        (self.serial, self.token, self.source) = (serial, token, source)
    }

    /// Reads the mark in the JSON of a checkpoint; nil if it has none, or an invalid one.
    init?(json: [UInt8], limits: MessageLimits) {
        guard json.count <= limits.remoteCheckpointByteCount else { return nil }
        var found: CheckpointMark?
        do throws(MessageError) {
            var reader = JSONReader(json)
            try reader.object { (name, reader) throws(MessageError) in
                switch (name, try reader.peek()) {
                case ("save", .object): found = try Self.read(&reader)
                default: _ = try reader.rawValue()
                }
            }
        } catch {
            return nil
        }
        guard let found else { return nil }
        self = found
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
        guard let serial, serial > 0, let token, let source else { return nil }
        return CheckpointMark(serial: UInt64(serial), token: token, source: source)
    }

    func write(into writer: inout JSONWriter) {
        writer.name("save")
        writer.object { writer in
            writer.name("serial")
            writer.integer(serial)
            writer.name("token")
            writer.string(token)
            writer.name("source")
            writer.string(source)
        }
    }

    /// Returns whether this mark, of the remote's copy, shows that the local file was replaced by an older copy of
    /// itself: it is later than the local mark, or of another save with the same number.
    func isUnknown(to local: CheckpointMark?) -> Bool {
        guard let local else { return true }
        return serial > local.serial || serial == local.serial && token != local.token
    }
}
