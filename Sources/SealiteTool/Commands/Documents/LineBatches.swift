/// The nonblank lines of an input, in batches of the size of one transaction.
final class LineBatches {
    private let input: InputFile
    private var lineNumber = 0
    private static let limit = 1000
    private static let byteLimit = 8 << 20

    init(_ input: InputFile) { self.input = input }

    /// Returns the results of `read` for the next lines, each with its line number; nil after the last line.
    func next<Item>(
        _ read: (_ line: Int, _ bytes: [UInt8]) throws -> Item
    ) throws -> [(line: Int, item: Item)]? {
        var batch: [(Int, Item)] = []
        var byteCount = 0
        while batch.count < Self.limit, byteCount < Self.byteLimit, let line = try input.line() {
            lineNumber += 1
            guard line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { continue }
            batch.append((lineNumber, try read(lineNumber, line)))
            byteCount += line.count
        }
        return batch.isEmpty ? nil : batch
    }
}
