internal import SealiteBase

extension SealedFileError {
    static var rotatedMeanwhile: SealedFileError {
        SealedFileError(
            .rotationUnderWay, "another key rotation of the file began meanwhile", hint: "run the rotation again")
    }

    static var slotsChanged: SealedFileError {
        SealedFileError(.refused, "a key slot was added or changed meanwhile", hint: "run the rotation again")
    }

    static func undecidedSlots(_ slots: [SlotInfo]) -> SealedFileError {
        let list = slots.map { "\($0.number)" }.joined(separator: ", ")
        let recovery = slots.compactMap(\.fingerprint)
        guard recovery.count < slots.count else {
            return SealedFileError(
                .invalidArgument,
                "a key rotation keeps only recovery slots for which there is a decision; there is none for slot \(list)",
                hint: FileRemedy.keepRecoverySlot.hint)
        }
        return SealedFileError(
            .invalidArgument, "a key rotation needs a decision about every key slot; there is none for slot \(list)",
            hint: FileRemedy.decideSlots.hint)
    }
}
