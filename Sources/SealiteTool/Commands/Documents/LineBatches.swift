/// The nonblank lines of an input, in batches of the size of one transaction.
final class LineBatches {
    private let input: InputFile
    /// The number of the line that was read last, counted from 1.
    private(set) var lineNumber = 0
    private static let limit = 1000
    private static let byteLimit = 8 << 20

    init(_ input: InputFile) { self.input = input }

    /// The lines of a batch with their numbers, counted from 1, and the line that ended the batch, which isn't one of
    /// `lines`; nil if the batch ended at its maximum size or at the end of the input.
    struct Batch {
        var lines: [(line: Int, bytes: [UInt8])] = []
        var last: (line: Int, bytes: [UInt8])?
    }

    /// Returns the next batch, which ends at its maximum size, at the end of the input, or with a line for which
    /// `isLast` returns true (`Batch.last`); nil after the last line of the input.
    func next(until isLast: (_ bytes: [UInt8], _ line: Int) -> Bool) throws -> Batch? {
        var batch = Batch()
        var byteCount = 0
        while batch.lines.count < Self.limit, byteCount < Self.byteLimit, let line = try line() {
            if isLast(line, lineNumber) {
                batch.last = (lineNumber, line)
                return batch
            }
            batch.lines.append((lineNumber, line))
            byteCount += line.count
        }
        return batch.lines.isEmpty ? nil : batch
    }

    /// Returns the results of `read` for the lines of the next batch, each with its line number; nil after the last
    /// line of the input.
    func next<Item>(
        _ read: (_ line: Int, _ bytes: [UInt8]) throws -> Item
    ) throws -> [(line: Int, item: Item)]? {
        try next { _, _ in false }?.lines.map { ($0.line, try read($0.line, $0.bytes)) }
    }

    /// Returns the next nonblank line of the input; nil after the last one.
    func line() throws -> [UInt8]? {
        while let line = try input.line() {
            lineNumber += 1
            if line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) { return line }
        }
        return nil
    }
}
