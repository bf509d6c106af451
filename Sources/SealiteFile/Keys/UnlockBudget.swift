import SealiteCrypto

/// The sum of the costs of the slots that one attempt to unlock has tried, compared with the limits of the attempt.
struct UnlockBudget {
    private var spent = 0
    private let ceiling: Int
    private let limits: UnlockLimits

    init(limits: UnlockLimits) {
        self.limits = limits
        ceiling = 2 * Scrypt.workLimit(memoryLimit: limits.kdfMemoryLimit)
    }

    /// Adds a slot's cost to the sum before the slot is tried. Throws `costRefused` if the slot alone exceeds the
    /// limits on one slot, or if the sum exceeds twice the limit on work.
    mutating func admit(_ slot: KeySlot, number: Int, content: HeaderContent) throws(SealedFileError) {
        guard let cost = slot.cost else { return }
        assert(number >= 1 && number <= HeaderLayout.slotCount)
        do throws(CryptoError) {
            try cost.check(memoryLimit: limits.kdfMemoryLimit)
        } catch {
            throw SealedFileError(
                .costRefused, "key slot \(number): \(error.reason)",
                hint: FileRemedy.raiseKeyMemory.hint)
        }
        let work = cost.work ?? .max
        guard work <= ceiling - spent else {
            let rest = content.slots.dropFirst(number - 1).filter { $0?.kind == slot.kind }.count
            throw SealedFileError(
                .costRefused, "trying every key slot would take too much time: \(rest) not tried",
                hint: FileRemedy.nameSlot.hint)
        }
        spent += work
    }
}
