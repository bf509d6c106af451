import ArgumentParser
import SealiteFile
import Synchronization

extension Key {
    /// The command `sealite key rotate`, which rotates the keys of a database and encrypts every page again, while
    /// other processes use the database.
    struct Rotate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Rotate the keys and reencrypt every page; other processes can use the database meanwhile.",
            discussion: """
                Creates a new master key and a new page key, and encrypts every page again; then the old keys are \
                removed from the header. The rotation can be interrupted at any time, even by a power failure: the \
                next 'sealite key rotate' completes it, and then creates new keys according to its own options. \
                --finish only completes it.

                For each passphrase and raw-key slot, supply the secret (the key option, --also-…), give it a new \
                secret (--new-…, for the slot that the key option unlocks), or name it with --drop-slot. For each \
                recovery slot, decide: --keep-recovery with the fingerprint that 'sealite key list' shows, its key \
                (--also-recovery-key-file), --drop-slot, or an answer on the terminal. If an old header was put back, \
                it can contain a slot that was removed: keep only slots whose fingerprint you know.

                Example: sealite key rotate notes.db --key-file old.key --new-key-file new.key
                """)

        @OptionGroup var place: DatabaseArgument

        @OptionGroup var key: KeyOptions
        @OptionGroup(title: HelpSections.keys) var freshness: FreshnessOptions
        @OptionGroup var new: NewSlotOptions

        @Option("file", help: "A file with the passphrase of another slot that is kept. May be repeated.")
        var alsoPassphraseFile: [String] = []

        @Option("file", help: "A file with the raw key of another slot that is kept. May be repeated.")
        var alsoKeyFile: [String] = []

        @Option("file", help: "A file with the recovery key of another slot that is kept. May be repeated.")
        var alsoRecoveryKeyFile: [String] = []

        @Option(
            "fingerprint",
            help:
                "The fingerprint of a recovery slot's key, as 'sealite key list' shows it: the slot is kept. May be repeated."
        )
        var keepRecovery: [String] = []

        @Option("slot", help: "A slot to remove: its number or its label in 'sealite key list'. May be repeated.")
        var dropSlot: [SlotName] = []

        @Flag(help: "Only finish an interrupted rotation, with the slots that were decided when it began.")
        var finish = false

        @OptionGroup var wait: WaitOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let sealed = try key.unlock(place.database, freshness: freshness)
            let rotation = try KeyRotation(of: sealed)
            try decide(rotation, sealed)
            let stop = StopFlag()
            let progress = ProgressReporter(json: output.json)
            defer { progress.finish() }
            do {
                // A signal stops between two batches. Any other end is equally safe, because the next rotation
                // continues.
                let report = try Signals.handling(by: { stop.raise($0) }) {
                    let step = { (state: RotationProgress) -> KeyRotation.Control in
                        progress.report(
                            state.stage.rawValue, completed: state.pagesDone, total: state.pageCount,
                            pageSize: state.pageSize)
                        return stop.signal == nil ? .proceed : .stop
                    }
                    return finish ? try rotation.finish(progress: step) : try rotation.run(progress: step)
                }
                progress.finish()
                try freshness.recordChange(of: sealed)
                print(report)
            } catch let error as SealedFileError where error.code == .cancelled {
                progress.finish()
                guard let signal = stop.signal else { throw error }
                Console.note(error.reason.withoutControls + "\n")
                throw EndedBySignal(number: signal)
            }
        }

        private func decide(_ rotation: KeyRotation, _ sealed: SealedDatabase) throws {
            guard !finish else {
                let also = alsoPassphraseFile + alsoKeyFile + alsoRecoveryKeyFile
                guard !new.isGiven, also.isEmpty, dropSlot.isEmpty, keepRecovery.isEmpty else {
                    throw ToolError.usage(
                        "--finish can't be given with --new-…, --also-…, --keep-… or --drop-slot: the slots were decided when the rotation of \"\(place.database)\" began",
                        hint: "leave out --finish, or the other options")
                }
                return
            }
            let dropped = try dropSlot.map { try $0.number(in: rotation.slots, of: place.database) }
            let undecided = Set(rotation.undecidedSlots)
            for file in alsoPassphraseFile { try rotation.supply(KeySource(.passphrase, file).key()) }
            for file in alsoKeyFile { try rotation.supply(KeySource(.rawKey, file).key()) }
            for file in alsoRecoveryKeyFile { try rotation.supply(KeySource(.recovery, file).key()) }
            for fingerprint in keepRecovery { try rotation.keepRecoverySlot(fingerprint: fingerprint) }
            try requireNoContradiction(rotation, dropped, undecidedBefore: undecided)
            for number in dropped { try rotation.dropSlot(number) }
            if new.isGiven {
                let number = try sealed.openedSlot().number
                try new.withSecret(for: place.database, asking: key.asking.permission) {
                    try rotation.replaceSlot(number, with: $0)
                }
            }
            try decideRecoverySlots(rotation)
            try requireSuppliedSlots(rotation)
        }

        /// Refuses a slot that is both kept, by its fingerprint or its secret, and dropped.
        private func requireNoContradiction(
            _ rotation: KeyRotation, _ dropped: [Int], undecidedBefore: Set<Int>
        ) throws {
            let fingerprints = Set(keepRecovery.map { $0.lowercased() })
            let named = rotation.slots.filter { slot in slot.fingerprint.map(fingerprints.contains) ?? false }
            let kept = undecidedBefore.subtracting(rotation.undecidedSlots).union(named.map(\.number))
            let both = kept.intersection(dropped).sorted()
            guard !both.isEmpty else { return }
            throw ToolError.usage(
                "key slot \(both.map(String.init).joined(separator: ", ")) is both to be kept and to be dropped",
                hint: "leave out --drop-slot, or the option that keeps the slot")
        }

        /// Asks whether each undecided recovery slot is kept or dropped. If the user can't be asked, or gives another
        /// answer, throws an error that names the options to use.
        private func decideRecoverySlots(_ rotation: KeyRotation) throws {
            let undecided = rotation.slots.filter {
                $0.kind == .recovery && rotation.undecidedSlots.contains($0.number)
            }
            guard !undecided.isEmpty else { return }
            guard key.asking.permission.isGiven else { throw recoverySlotsNotNamed(undecided) }
            for slot in undecided {
                // Only these two words decide, because a slot that is dropped by mistake can't be recreated without its
                // recovery key.
                switch try Console.answer("\(slot.line)\nKeep or drop this recovery slot? [keep/drop]") {
                case "keep": try rotation.keepRecoverySlot(fingerprint: slot.fingerprint ?? "")
                case "drop": try rotation.dropSlot(slot.number)
                default: throw recoverySlotsNotNamed(undecided)
                }
            }
        }

        /// If the rotation needs secrets of slots that weren't given, throws an error that names the option for each of
        /// these slots.
        private func requireSuppliedSlots(_ rotation: KeyRotation) throws {
            let missing = rotation.slots.filter { rotation.undecidedSlots.contains($0.number) }
            guard !missing.isEmpty else { return }
            let options = missing.map { slot in
                switch slot.kind {
                case .passphrase: "--also-passphrase-file FILE"
                case .rawKey: "--also-key-file FILE"
                case .recovery: "--also-recovery-key-file FILE"
                }
            }
            var error = ToolError.usage(
                "the rotation needs the secret of slot \(missing.map { "\($0.number)" }.joined(separator: ", "))",
                hint: "give \(options.joined(separator: " ")), or remove the slot with --drop-slot and its number")
            error.remarks = missing.map(\.line)
            error.details = [("slots", missing.map(\.number).json)]
            throw error
        }

        private func recoverySlotsNotNamed(_ slots: [SlotInfo]) -> ToolError {
            let options = slots.compactMap(\.fingerprint).map { "--keep-recovery \($0)" }.joined(separator: " ")
            var error = ToolError.usage(
                "the rotation needs a decision to keep or drop these recovery slots: \(slots.map(\.line).joined(separator: "; "))",
                hint: "to keep the slots whose keys you know, add \(options);"
                    + " drop each other slot with --drop-slot and its number")
            error.details = [("slots", slots.map(\.number).json)]
            return error
        }

        private func print(_ report: RotationReport) {
            let rotated = "rotated the keys of"
            let finished = "finished an interrupted rotation"
            let how = finish ? "\(finished) of" : report.wasResumed ? "\(finished), and \(rotated)" : rotated
            output.confirm(
                "\(how) \"\(place.database)\": \(counted(report.pageCount, "page")), epoch \(report.epoch)",
                json: [
                    "resealed": report.pagesResealed, "pages": report.pageCount, "epoch": report.epoch,
                    "resumed": report.wasResumed,
                ])
        }
    }
}

/// A flag that a signal sets to stop the work.
private final class StopFlag: Sendable {
    private let number = Mutex<CInt?>(nil)

    var signal: CInt? { number.withLock { $0 } }

    /// Sets the flag, and returns true: the signal doesn't end the process.
    func raise(_ signal: CInt) -> Bool {
        number.withLock { $0 = signal }
        return true
    }
}
