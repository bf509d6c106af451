import CSQLite
import SealiteMaintenance

@testable import SealiteFile

/// A rollback journal. As a key holder's it is a preamble, then units, each a header of 48 bytes, a length in two, and so
/// many bytes of payload; what follows a length of 0xFFFF lies in clear behind the units.
final class JournalFuzz: FuzzTarget {
    private let stage: FuzzStage
    private let journal: [UInt8]
    /// The content before the transaction that the journal belongs to.
    private let before: FuzzStage.Reading
    /// The last unit that says that others were synced.
    private let lastMark: Int

    init() throws {
        stage = try FuzzStage("journal")
        journal = stage.files["-journal"] ?? []
        stage.lay(journal, as: "-journal")
        before = stage.read()
        let headers = Self.headers(of: journal, stage)
        lastMark = headers.lastIndex { ($0?.synced ?? 0) > 0 } ?? -1
        guard lastMark >= 1, case .content = before else { throw BrokenProperty("the committed journal isn't hot") }
    }

    private static func unitCount(_ bytes: [UInt8]) -> Int {
        JournalLayout.unitCount(fileByteCount: Int64(bytes.count))
    }

    private static func unit(_ index: Int, of bytes: [UInt8]) -> [UInt8] {
        bytes.slice(Int(JournalLayout.offset(ofUnit: index)), JournalLayout.unitByteCount)
    }

    private static func headers(of bytes: [UInt8], _ stage: FuzzStage) -> [JournalUnitHeader?] {
        (0..<unitCount(bytes)).map { index in
            stage.open(unit(index, of: bytes), .journal, number: UInt32(index))
                .flatMap { JournalUnitHeader.parse($0.slice(0, JournalLayout.unitHeaderByteCount)) }
        }
    }

    func seeds() -> [[UInt8]] {
        var plain = journal.slice(0, JournalLayout.preambleByteCount)
        for index in 0..<Self.unitCount(journal) {
            guard let text = stage.open(Self.unit(index, of: journal), .journal, number: UInt32(index)),
                let header = JournalUnitHeader.parse(text.slice(0, JournalLayout.unitHeaderByteCount))
            else { continue }
            let length = header.payloadByteCount
            plain += text.slice(0, JournalLayout.unitHeaderByteCount) + [UInt8(length & 0xFF), UInt8(length >> 8)]
            plain += text.slice(JournalLayout.unitHeaderByteCount, length)
        }
        let torn = journal.prefix(Int(JournalLayout.offset(ofUnit: lastMark)))
        return [[0] + journal, [0] + torn, [0] + journal.prefix(32), [1] + plain, [3] + plain]
    }

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard let first = input.first else { return }
        let mode = FuzzMode(rawValue: first)
        let given = Array(input.dropFirst())
        let bytes = mode.contains(.sealed) ? forge(given, mode) : given
        let preamble = Array(bytes.prefix(JournalLayout.preambleByteCount))
        if case .whole(let parsed) = JournalPreamble.read(preamble) {
            try BrokenProperty.unless((try? parsed.encoded()) == preamble, "a preamble re-encodes to other bytes")
        }
        try checkUnits(bytes)
        stage.lay(bytes, as: "-journal")
        _ = try? stage.database.verify()
        stage.lay(bytes, as: "-journal")
        let reading = stage.read()
        guard !mode.contains(.sealed), staysHot(bytes) else { return }
        if case .content = reading {
            try BrokenProperty.unless(reading == before, "a half-done transaction was handed out")
        }
    }

    /// Whether the last unit that speaks of a sync is there, and the preamble doesn't say that there is no journal.
    private func staysHot(_ bytes: [UInt8]) -> Bool {
        guard Self.unitCount(bytes) > lastMark, Self.unit(lastMark, of: bytes) == Self.unit(lastMark, of: journal)
        else { return false }
        let preamble = JournalPreamble.read(Array(bytes.prefix(JournalLayout.preambleByteCount)))
        guard case .whole(let parsed) = preamble else {
            return preamble == .broken && Self.unit(0, of: bytes) == Self.unit(0, of: journal)
        }
        return parsed.id == journal.slice(8, JournalLayout.idByteCount)
    }

    private func checkUnits(_ bytes: [UInt8]) throws(BrokenProperty) {
        var map = JournalMap()
        var model = JournalModel()
        for index in 0..<Self.unitCount(bytes) {
            let sealed = Self.unit(index, of: bytes)
            try stage.requireSameBytes(sealed, .journal, number: UInt32(index))
            guard let text = stage.open(sealed, .journal, number: UInt32(index)) else { continue }
            let bytes = text.slice(0, JournalLayout.unitHeaderByteCount)
            guard let header = JournalUnitHeader.parse(bytes) else { continue }
            try BrokenProperty.unless(header.encoded() == bytes, "a unit's header re-encodes to other bytes")
            map.add(unit: index, header)
            model.add(unit: index, header)
        }
        try model.check(map)
    }

    private func forge(_ given: [UInt8], _ mode: FuzzMode) -> [UInt8] {
        var preamble = Array(given.prefix(JournalLayout.preambleByteCount))
        if mode.contains(.checksums), preamble.count == JournalLayout.preambleByteCount {
            let parsed = JournalPreamble(id: preamble.slice(8, 16), serial: preamble.readUInt32(at: 24))
            preamble = (try? parsed.encoded()) ?? preamble
        }
        var bytes = preamble + [UInt8](repeating: 0, count: JournalLayout.unitByteCount - preamble.count)
        var rest = given.dropFirst(JournalLayout.preambleByteCount)
        let headerByteCount = JournalLayout.unitHeaderByteCount
        while rest.count >= headerByteCount + 2, bytes.count < 64 * JournalLayout.unitByteCount {
            let header = Array(rest.prefix(headerByteCount))
            let length =
                Int(rest[rest.startIndex + headerByteCount]) | Int(rest[rest.startIndex + headerByteCount + 1]) << 8
            rest = rest.dropFirst(headerByteCount + 2)
            if length == 0xFFFF { break }
            let payload = rest.prefix(min(length, JournalLayout.payloadByteCount))
            rest = rest.dropFirst(payload.count)
            let text = header + payload + [UInt8](repeating: 0, count: JournalLayout.payloadByteCount - payload.count)
            let index = bytes.count / JournalLayout.unitByteCount - 1
            bytes += stage.seal(text, .journal, number: UInt32(index))
        }
        return bytes + rest
    }
}

/// What a map of a journal must say, byte by byte, as far as it is small.
private struct JournalModel {
    private static let byteLimit = 1 << 16
    private var bytes: [(unit: Int, payloadOffset: Int)?]? = []

    mutating func add(unit: Int, _ header: JournalUnitHeader) {
        guard var known = bytes else { return }
        bytes = nil
        let end = header.logicalOffset + (header.kind == .data ? Int64(header.payloadByteCount) : 0)
        guard end <= Int64(Self.byteLimit) else { return }
        let start = Int(header.logicalOffset)
        switch header.kind {
        case .mark: break
        case .cut: Self.resize(&known, to: start)
        case .data where header.payloadByteCount > 0:
            Self.resize(&known, to: max(known.count, Int(end)))
            for offset in 0..<header.payloadByteCount { known[start + offset] = (unit, offset) }
        case .data: break
        }
        bytes = known
    }

    private static func resize(_ known: inout [(unit: Int, payloadOffset: Int)?], to count: Int) {
        if count < known.count { known.removeLast(known.count - count) }
        known.append(contentsOf: repeatElement(nil, count: count - known.count))
    }

    func check(_ map: JournalMap) throws(BrokenProperty) {
        guard let bytes else { return }
        try BrokenProperty.unless(map.byteCount == Int64(bytes.count), "the map of a journal has another length")
        var place = 0
        while place < bytes.count {
            let found = map.find(Int64(place))
            try BrokenProperty.unless(found.byteCount > 0, "the map of a journal stands still at \(place)")
            for step in 0..<min(found.byteCount, bytes.count - place) {
                let expected = bytes[place + step]
                let isSame =
                    found.unit == expected?.unit
                    && (found.unit == nil || found.payloadOffset + step == expected?.payloadOffset)
                try BrokenProperty.unless(isSame, "the map of a journal is wrong at \(place + step)")
            }
            place += found.byteCount
        }
    }
}
