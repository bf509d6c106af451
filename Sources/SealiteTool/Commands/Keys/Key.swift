import ArgumentParser
import SealiteFile
import SealiteMaintenance

/// The command `sealite key`, whose subcommands list, add, remove, change and check key slots, and rotate keys.
struct Key: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "List, add, remove, change and check key slots, and rotate keys.",
        discussion: """
            Changing slots rewrites the header only. Whoever has an old copy of the file and the old secret can still read that \
            copy. With --freshness the record is moved to the changed header, so that an old header that is put back is noticed.

            Example: sealite key list notes.db
            """,
        subcommands: [
            List.self, Add.self, Remove.self, Change.self, Check.self, Rotate.self, Store.self, Forget.self,
        ])

    /// The command `sealite key list`, which lists the key slots of a database.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the key slots. Needs no key.", discussion: "Example: sealite key list notes.db")

        @OptionGroup var place: DatabaseArgument

        @OptionGroup var output: OutputOptions

        func run() throws {
            let slots = try SealedDatabase.publicHeader(of: place.database).slots
            if output.json { try Report.printJSON(slots) } else { for slot in slots { Console.print(slot.line) } }
        }
    }

    /// The command `sealite key add`, which adds a key slot for another secret.
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add a slot for another secret.",
            discussion:
                "Example: sealite key add notes.db --key-file notes.key --new-passphrase-file new.txt --label ana")

        @OptionGroup var place: DatabaseArgument

        @OptionGroup var key: KeyOptions
        @OptionGroup(title: HelpSections.keys) var freshness: FreshnessOptions
        @OptionGroup var new: NewSlotOptions

        @Option(help: "A name for the slot, at most 32 bytes of UTF-8.")
        var label = ""

        @OptionGroup var wait: WaitOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let sealed = try key.unlock(place.database, freshness: freshness)
            var number = 0
            try new.withSecret(for: place.database, asking: key.asking.permission) {
                number = try sealed.addSlot($0, label: label)
            }
            try freshness.recordChange(of: sealed)
            report("added", number, output)
        }
    }

    /// The command `sealite key remove`, which removes a key slot.
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a slot. The last one can't be removed.",
            discussion: "Example: sealite key remove notes.db --slot 2 --key-file notes.key")

        @OptionGroup var place: DatabaseArgument

        @Option(help: "The slot to remove: its number or its label in 'sealite key list'.")
        var slot: SlotName

        @OptionGroup var options: DocumentOptions
        func run() throws {
            let sealed = try options.unlock(place.database)
            let slot = try slot.slot(in: sealed.slots(), of: place.database)
            try sealed.removeSlot(slot.number, id: slot.id)
            try options.freshness.recordChange(of: sealed)
            report("removed", slot.number, options.output)
        }
    }

    /// The command `sealite key change`, which changes the secret of a key slot.
    struct Change: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "change",
            abstract: "Change the secret of a slot.",
            discussion: """
                Without --slot the slot that the given key unlocks is changed, provided that the new secret is of \
                the same kind: a recovery key, for example, isn't replaced by a passphrase.

                Example: sealite key change notes.db --passphrase-file old.txt --new-passphrase-file new.txt

                If the passphrase is forgotten: sealite key change notes.db --slot 1 --recovery-key-file notes.recovery --new-passphrase-file new.txt
                """)

        @OptionGroup var place: DatabaseArgument

        @Option(help: "The slot to change: its number or its label in 'sealite key list'.")
        var slot: SlotName?

        @OptionGroup var key: KeyOptions
        @OptionGroup(title: HelpSections.keys) var freshness: FreshnessOptions
        @OptionGroup var new: NewSlotOptions

        @Option(help: "Another name for the slot, at most 32 bytes of UTF-8.")
        var label: String?

        @OptionGroup var wait: WaitOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let sealed = try key.unlock(place.database, freshness: freshness)
            let slot = try slot?.slot(in: sealed.slots(), of: place.database) ?? slotOfTheSameKind(sealed)
            try new.withSecret(for: place.database, asking: key.asking.permission) {
                try sealed.changeSlot(slot.number, to: $0, label: label, id: slot.id)
            }
            try freshness.recordChange(of: sealed)
            report("changed", slot.number, output, kind: new.kind)
        }

        /// Returns the slot that the given key opens. Throws an error if the new secret is of another kind.
        private func slotOfTheSameKind(_ sealed: SealedDatabase) throws -> SlotInfo {
            let opened = try sealed.openedSlot()
            guard opened.kind != new.kind else { return opened }
            let likely = try sealed.slots().first { $0.kind == new.kind }
            throw ToolError.usage(
                "the given \(opened.kind.secretName) opens slot \(opened.number), whose secret would become a \(new.kind.secretName)",
                hint: likely.map {
                    "--slot \($0.number) changes the \(new.kind.secretName); give --slot \(opened.number) if that is meant"
                } ?? "give --slot \(opened.number) if that is meant; 'sealite key add' adds a slot and keeps this one")
        }
    }

    /// The command `sealite key check`, which checks whether a key unlocks a database.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Check whether a key unlocks the database.",
            discussion: "Example: sealite key check notes.db --recovery-key-file notes.recovery")

        @OptionGroup var place: DatabaseArgument

        @OptionGroup var key: KeyOptions
        @OptionGroup(title: HelpSections.keys) var freshness: FreshnessOptions

        @OptionGroup var output: OutputOptions

        func run() throws {
            let opened = try key.unlock(place.database, freshness: freshness).openedSlot()
            if output.json { try Report.printJSON(opened) } else { Console.print("opens " + opened.line) }
        }
    }
}

extension SealedDatabase {
    /// Returns the key slot with which the database was unlocked. Throws `busy` if the slot no longer exists.
    func openedSlot() throws(SealedFileError) -> SlotInfo {
        let id = ring.slotID.hex
        guard let slot = try slots().first(where: { $0.id == id }) else {
            throw SealedFileError(
                .busy, "the key slot that unlocked \"\(path)\" was removed or changed meanwhile", hint: "try again")
        }
        return slot
    }
}

/// Reports the change of a slot. `kind` is the kind of the slot's new secret, if the former secret still opens old
/// copies of the file; otherwise nil.
private func report(_ verb: String, _ slot: Int, _ output: OutputOptions, kind: SlotKind? = nil) {
    let note =
        kind.map { " (\($0.secretName)); copies of the file made before still open with the former secret" } ?? ""
    output.confirm("\(verb) key slot \(slot)\(note)", json: ["slot": slot, "done": verb])
}
