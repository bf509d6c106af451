import CSQLite

@testable import SealiteFile
@testable import SealiteMaintenance

/// A write-ahead log: its 32 bytes and its frames.
final class WALFuzz: FuzzTarget {
    private let stage: FuzzStage
    private let log: [UInt8]
    /// What a reader sees when this many frames of the committed log count.
    private var contents: [FuzzStage.Reading] = []

    init() throws {
        stage = try FuzzStage("wal")
        log = stage.files["-wal"] ?? []
        for count in 0...frameCount(log) {
            stage.lay(Array(log.prefix(WALHeader.byteCount + count * frameByteCount)), as: "-wal")
            contents.append(stage.read())
        }
        guard Set(contents.map { "\($0)" }).count >= 3,
            contents.allSatisfy({ if case .content = $0 { true } else { false } })
        else { throw BrokenProperty("the committed log doesn't read: \(contents)") }
    }

    private var frameByteCount: Int { stage.pageSize + WALHeader.frameHeaderByteCount }
    private var textByteCount: Int { frameByteCount - PageTrailer.byteCount }

    private func frameCount(_ log: [UInt8]) -> Int { max(0, log.count - WALHeader.byteCount) / frameByteCount }

    private func frame(_ index: Int, of log: [UInt8]) -> [UInt8] {
        log.slice(WALHeader.byteCount + index * frameByteCount, frameByteCount)
    }

    func seeds() -> [[UInt8]] {
        let header = log.slice(0, WALHeader.byteCount)
        let plain = (0..<frameCount(log)).map { index in
            let opened = stage.open(frame(index, of: log), .wal, number: UInt32(index), walHeader: header) ?? []
            return Array(opened.dropLast(PageTrailer.byteCount))
        }
        var seeds = [[0] + log, [FuzzMode.sealed.rawValue] + header + plain.joined()]
        for count in 1...3 {
            seeds.append([0] + log.prefix(WALHeader.byteCount + count * frameByteCount))
            seeds.append([3] + header + plain.prefix(count).joined())
        }
        return seeds
    }

    /// A log that only who has the key can make: the committed one with other words in it, every checksum right.
    func forgery() throws -> [UInt8] {
        guard var seed = seeds().first(where: { $0.first == 3 && $0.count > 1000 }) else { return [] }
        let word = Array("commit".utf8)
        guard let place = seed.indices.first(where: { seed[$0...].starts(with: word) }) else { return [] }
        seed.replaceSubrange(place..<place + word.count, with: Array("forged".utf8))
        return forge(Array(seed.dropFirst()), [.sealed, .checksums])
    }

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard let first = input.first else { return }
        let mode = FuzzMode(rawValue: first)
        let given = Array(input.dropFirst())
        try checkHeader(Array(given.prefix(WALHeader.byteCount)))
        let bytes = mode.contains(.sealed) ? forge(given, mode) : given
        let header = Array(bytes.prefix(WALHeader.byteCount))
        for index in 0..<frameCount(bytes) {
            try stage.requireSameBytes(frame(index, of: bytes), .wal, number: UInt32(index), walHeader: header)
        }
        stage.lay(bytes, as: "-wal")
        let report = try? stage.database.verify()
        stage.lay(bytes, as: "-wal")
        let reading = stage.read()
        salvage(bytes)
        guard !mode.contains(.sealed) else { return }
        try BrokenProperty.unless(reading == expected(bytes), "a log made without the key reads as \(reading)")
        let committed = report?.wal?.committedFrameCount ?? 0
        try BrokenProperty.unless(
            contents[min(committed, contents.count - 1)] == reading, "verify counts \(committed) frames, SQLite others")
    }

    private func checkHeader(_ header: [UInt8]) throws(BrokenProperty) {
        guard header.count == WALHeader.byteCount, WALHeader.isSealed(header),
            let plain = try? WALHeader.plain(fromSealed: header, pageSize: stage.pageSize),
            plain.contains(where: { $0 != 0 })
        else { return }
        try BrokenProperty.unless(WALHeader.sealed(fromPlain: plain) == header, "a log's header becomes another")
    }

    /// Seals plain frames, as many as there are, and makes the running checksums fit where asked.
    private func forge(_ given: [UInt8], _ mode: FuzzMode) -> [UInt8] {
        guard given.count >= WALHeader.byteCount else { return given }
        let header = WALHeader.sealed(fromPlain: given.slice(0, WALHeader.byteCount))
        guard let plainHeader = try? WALHeader.plain(fromSealed: header, pageSize: stage.pageSize) else { return given }
        var sums = (WALHeader.readUInt32(plainHeader, at: 24), WALHeader.readUInt32(plainHeader, at: 28))
        var log = header
        for (index, start) in stride(from: WALHeader.byteCount, to: given.count, by: textByteCount).enumerated() {
            var text = Array(given.dropFirst(start).prefix(textByteCount))
            text += [UInt8](repeating: 0, count: textByteCount - text.count)
            if mode.contains(.checksums) {
                text.write(header.slice(16, 8), at: 8)
                let isBigEndian = header[3] & 1 == 1
                let page = text.dropFirst(WALHeader.frameHeaderByteCount) + [UInt8](repeating: 0, count: 48)
                sums = WALChecksum.sums(text[0..<8], from: sums, bigEndian: isBigEndian)
                sums = WALChecksum.sums(page, from: sums, bigEndian: isBigEndian)
                text.write([sums.0, sums.1].flatMap { [UInt8].littleEndian($0.byteSwapped) }, at: 16)
            }
            log += stage.seal(text, .wal, number: UInt32(index), walHeader: header)
        }
        return log
    }

    /// Frames count as far as they are those that were written, behind the header that was written.
    private func expected(_ bytes: [UInt8]) -> FuzzStage.Reading {
        guard bytes.starts(with: log.prefix(WALHeader.byteCount)) else { return contents[0] }
        let same = (0..<min(frameCount(bytes), frameCount(log))).prefix { frame($0, of: bytes) == frame($0, of: log) }
        return contents[same.count]
    }

    private func salvage(_ bytes: [UInt8]) {
        stage.lay(bytes, as: "-wal")
        guard let handle = try? stage.database.sidecar("-wal", kind: SQLITE_OPEN_WAL),
            let salvaged = try? SalvagedLog(handle, ring: stage.database.ring)
        else { return }
        for number in 1...UInt32(16) { _ = salvaged.page(number) }
    }
}
