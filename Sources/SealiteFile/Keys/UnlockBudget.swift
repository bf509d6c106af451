import SealiteCrypto

/// The accumulated cost of the slots tried, checked against the limits of one attempt.
struct UnlockBudget {
    private var spent = 0
    private let ceiling: Int
    private let limits: UnlockLimits

    init(limits: UnlockLimits) {
        self.limits = limits
        let ratio = max(1, limits.kdfMemoryLimit / Scrypt.defaultMemoryLimit)
        ceiling = 2 * ratio * Scrypt.workLimit
    }

    /// Refuses a slot whose cost exceeds the bound, and stops when the slots together exceed theirs.
    mutating func admit(_ slot: KeySlot, number: Int, content: HeaderContent) throws(SealedFileError) {
        guard let cost = slot.cost else { return }
        do throws(CryptoError) {
            try cost.check(memoryLimit: limits.kdfMemoryLimit)
        } catch {
            throw SealedFileError(
                .costRefused, "key slot \(number): \(error.reason)",
                hint: Remedy.raiseKeyMemory.hint)
        }
        let work = cost.work ?? .max
        guard work <= ceiling - spent else {
            let rest = content.slots.dropFirst(number - 1).filter { $0?.kind == slot.kind }.count
            throw SealedFileError(
                .costRefused, "trying every key slot would cost too much: \(rest) not tried",
                hint: Remedy.nameSlot.hint)
        }
        spent += work
    }
}
