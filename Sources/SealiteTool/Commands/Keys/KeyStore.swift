import ArgumentParser
import SealiteCredentials
import SealiteFile
import SealiteMaintenance

extension Key {
    /// The command `sealite key store`, which adds a key slot whose random key is kept in the credential store.
    struct Store: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "store",
            abstract: "Add a slot whose random key is kept in the credential store.",
            discussion: """
                Afterwards the database opens without a key option, as long as the store is unlocked.

                Example: sealite key store notes.db --passphrase-file secret.txt
                """)

        @OptionGroup var place: DatabaseArgument

        @OptionGroup var key: KeyOptions
        @OptionGroup(title: HelpSections.keys) var freshness: FreshnessOptions

        @Option(help: "A name for the slot, at most 32 bytes of UTF-8.")
        var label = ""

        @OptionGroup var wait: WaitOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let sealed = try key.unlock(place.database, freshness: freshness)
            let stored = try NewStoredKey(for: place.database, key.store, key.asking.permission)
            let number: Int
            do {
                number = try sealed.addSlot(stored.secret, label: label, id: stored.slotID)
            } catch {
                stored.withdraw()
                throw error
            }
            stored.note(place.database, databaseID: sealed.databaseID)
            try freshness.recordChange(of: sealed)
            output.confirm(
                "added key slot \(number); its key is in \(stored.storeName)",
                json: ["slot": number, "done": "stored", "store": stored.storeName])
        }
    }

    /// The command `sealite key forget`, which removes a database's key from the credential store, and its key slot.
    struct Forget: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget",
            abstract: "Remove the key from the credential store, and its slot.",
            discussion: """
                Asks for confirmation, and lists the remaining slots. Copies and backups have the same slot, so the \
                store no longer opens them either. The command is refused if no other slot is left. With --force the \
                key is removed nevertheless and the slot stays: the database is then lost, unless the key is kept \
                elsewhere.

                Example: sealite key forget notes.db --yes
                """)

        @OptionGroup var place: DatabaseArgument

        @OptionGroup var key: KeyOptions
        @OptionGroup(title: HelpSections.keys) var freshness: FreshnessOptions

        @Flag(help: "Forget the key even if the database can't be opened without it.")
        var force = false

        @OptionGroup var confirmation: ConfirmationOptions

        @OptionGroup var wait: WaitOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let slots = try SealedDatabase.publicHeader(of: place.database).slots
            let (store, access) = (key.store, key.store.access(key.asking.permission))
            let permission = key.asking.permission
            let storable = slots.filter { $0.kind == .rawKey }
                .map { (slot: $0, reference: CredentialReference.slotKey(hexBytes($0.id))) }
            let opened = try waiting { try await store.open(permission).store }
            let kept = try waiting {
                let listing = try await opened.list(service: nil, access: access)
                let found = storable.filter { one in listing.items.contains { $0.reference == one.reference } }
                guard !found.isEmpty || listing.isComplete else {
                    throw CredentialError(
                        .locked, "a part of \(opened.name) is locked and may hold the key",
                        hint: "unlock it, and try again")
                }
                return found
            }
            guard !kept.isEmpty else {
                throw ToolError(
                    .noInput, code: CredentialError.Code.notFound.rawValue,
                    "\(opened.name) holds no key of \"\(place.database)\"")
            }
            let left = slots.filter { slot in !kept.contains { $0.slot.id == slot.id } }
            var (forgotten, failure) = (kept, nil as (any Error)?)
            if left.isEmpty {
                guard force else {
                    throw ToolError.usage(
                        "only keys in \(opened.name) open \"\(place.database)\", which would be lost without them",
                        hint: "add another slot with 'sealite key add', or give --force, which loses the database")
                }
                try confirm("Forget the only key of \(place.database)? Its content is lost then.")
            } else {
                let list = left.map(\.line).joined(separator: "; ")
                try confirm("Forget the key of \(place.database) in \(opened.name)? What is left: \(list).")
                let sealed = try key.unlock(place.database, freshness: freshness)
                // If a slot can't be removed, the keys of the slots removed before it are deleted nevertheless.
                let removed = Self.remove(kept.map(\.slot), from: sealed)
                (forgotten, failure) = (Array(kept.prefix(removed.count)), removed.failure)
                if removed.count > 0 { try freshness.recordChange(of: sealed) }
            }
            let references = forgotten.map(\.reference)
            try waiting {
                for reference in references { try await opened.remove(reference, access: access) }
            }
            if let failure { throw failure }
            let numbers = kept.map(\.slot.number)
            let list = numbers.map(String.init).joined(separator: ", ")
            let words = numbers.count == 1 ? "key of slot" : "keys of slots"
            let rest =
                left.isEmpty ? ["no key of it is left in this store"] : ["what is left:"] + left.map { "  \($0.line)" }
            guard !output.json else { return Console.print(["slots": numbers, "done": "forgotten"]) }
            for line in ["forgot the \(words) \(list) of \"\(place.database)\""] + rest { Console.confirm(line) }
        }

        /// Removes key slots one after the other until one can't be removed, for example because another process has
        /// given its number to another slot. Returns the number of removed slots, and the error of the one that
        /// remained; nil if all were removed.
        private static func remove(
            _ slots: [SlotInfo], from sealed: SealedDatabase
        ) -> (count: Int, failure: (any Error)?) {
            for (count, slot) in slots.enumerated() {
                do {
                    try sealed.removeSlot(slot.number, id: slot.id)
                } catch {
                    return (count, error)
                }
            }
            return (slots.count, nil)
        }

        /// Asks for confirmation on the terminal, unless `--yes` is given. Throws an error if the confirmation is
        /// declined, or can't be asked for.
        private func confirm(_ question: String) throws {
            try confirmation.require(
                question, key.asking.permission, act: "forgetting the key of \"\(place.database)\"",
                refusal: "no key was forgotten")
        }
    }
}
