/// The disk that a power loss left, and what it cost.
struct PowerLoss {
    var image: DiskImage
    /// Writes that were dropped or harmed.
    private(set) var lostWrites = 0
    /// Files that were deleted and are there again.
    private(set) var lostDeletions = 0

    init(image: DiskImage) {
        self.image = image
    }

    /// Counts what an earlier power loss cost.
    mutating func add(_ earlier: PowerLoss) {
        lostWrites += earlier.lostWrites
        lostDeletions += earlier.lostDeletions
    }

    mutating func suffer(_ event: DiskEvent, _ fate: Fate, chance: inout SeededRandom) {
        switch (event, fate) {
        case (_, .kept): image.apply(event)
        case (.write(let file, let offset, let bytes), .torn):
            lostWrites += 1
            tear(file, offset, bytes, chance: &chance)
        case (.write, _): lostWrites += 1
        case (.unlink, _): lostDeletions += 1
        default: break
        }
    }

    /// Writes the sectors that the disk got round to: each whole, not at all, as zeros or as garbage.
    private mutating func tear(_ file: Int, _ offset: Int, _ bytes: [UInt8], chance: inout SeededRandom) {
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, (offset + start) / 512 * 512 + 512 - offset)
            let sector =
                switch chance.below(4) {
                case 0: [UInt8](bytes[start..<end])
                case 1: chance.bytes(end - start)
                case 2 where offset + end > image.contents[file, default: []].count:
                    [UInt8](repeating: 0, count: end - start)
                default: [UInt8]()
                }
            if !sector.isEmpty { image.apply(.write(file: file, offset: offset + start, bytes: sector)) }
            start = end
        }
    }
}

/// The outcome of a change that was not synced.
enum Fate {
    case kept, lost, torn
}

/// The behaviour of a disk at a power failure, chosen by the seed.
enum Temper {
    case keepsAll
    case losesAll
    /// In order up to a change that is torn; nothing after it.
    case keepsFirst(Int)
    /// The reverse: only changes after the torn one.
    case keepsLast(Int)
    case losesOne(Int)
    case tearsAll
    case loses(percent: Int)
    case any

    init(seed: UInt64, count: Int, chance: inout SeededRandom) {
        let cut = chance.below(max(count, 1))
        switch seed % 8 {
        case 0: self = .losesAll
        case 1: self = .any
        case 2: self = .keepsFirst(cut)
        case 3: self = .losesOne(cut)
        case 4: self = .tearsAll
        case 5: self = .keepsLast(cut)
        case 6: self = .loses(percent: 10 + chance.below(80))
        default: self = .keepsAll
        }
    }

    func fate(of index: Int, chance: inout SeededRandom) -> Fate {
        switch self {
        case .keepsAll: .kept
        case .losesAll: .lost
        case .keepsFirst(let cut): index < cut ? .kept : index == cut ? .torn : .lost
        case .keepsLast(let cut): index > cut ? .kept : index == cut ? .torn : .lost
        case .losesOne(let cut): index == cut ? .lost : .kept
        case .tearsAll: .torn
        case .loses(let percent): chance.below(100) < percent ? .lost : .kept
        case .any: [.kept, .lost, .torn][chance.below(3)]
        }
    }
}
