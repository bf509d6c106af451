/// A disk seen from below: what is safe, and what a power loss may still undo.
///
/// SQLite's model of a power loss: what was synced is there. Of each write that was not, the disk kept all, nothing
/// or a part: some of its sectors of 512 bytes, or garbage in their place. Bytes beside a write are never harmed
/// (SQLITE_IOCAP_POWERSAFE_OVERWRITE). Names become durable with a sync of their folder, or of the file they lead to.
/// Until then the file system's own journal keeps changes of names and truncations in order, so that a power loss
/// undoes the last of them. SQLite counts on that: in DELETE mode with synchronous FULL, VACUUM cuts the file after
/// the journal's deletion without a sync between.
struct Platter {
    private var safe: DiskImage
    private(set) var pending: [DiskEvent] = []

    init(_ image: DiskImage) {
        safe = image
    }

    mutating func record(_ event: DiskEvent) {
        switch event {
        case .sync(let file):
            let names = newNames(of: file)
            settle { $0.concerns(file) || $0.path.map(names.contains) == true }
        case .syncFolder(let folder): settle { $0.path?.folder == folder }
        default: pending.append(event)
        }
    }

    /// Makes the pending events durable that `isDurable` picks.
    private mutating func settle(_ isDurable: (DiskEvent) -> Bool) {
        var rest: [DiskEvent] = []
        for event in pending {
            if isDurable(event) { safe.apply(event) } else { rest.append(event) }
        }
        pending = rest
    }

    /// The names that lead to `file` and aren't durable yet.
    private func newNames(of file: Int) -> [String] {
        pending.compactMap { if case .link(let path, file) = $0 { path } else { nil } }
    }

    /// Returns the content after a power failure, chosen by `seed`.
    func afterPowerLoss(seed: UInt64) -> PowerLoss {
        var chance = SeededRandom(seed: seed)
        var loss = PowerLoss(image: safe)
        let temper = Temper(seed: seed, count: pending.count, chance: &chance)
        var hasLostStructure = false
        for (index, event) in pending.enumerated() {
            var fate = temper.fate(of: index, chance: &chance)
            if event.isStructural {
                hasLostStructure = hasLostStructure || fate != .kept
                fate = hasLostStructure ? .lost : .kept
            }
            loss.suffer(event, fate, chance: &chance)
        }
        loss.image.collect()
        return loss
    }
}

extension DiskEvent {
    func concerns(_ wanted: Int) -> Bool {
        switch self {
        case .write(let file, _, _), .truncate(let file, _): file == wanted
        default: false
        }
    }

    /// A Boolean value that says whether the file system journals the change in order: names and truncations.
    var isStructural: Bool {
        if case .write = self { false } else { true }
    }

    var path: String? {
        switch self {
        case .link(let path, _), .unlink(let path): path
        default: nil
        }
    }
}
