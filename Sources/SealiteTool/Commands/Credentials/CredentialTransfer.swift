import ArgumentParser
import SealiteCredentials
import SealiteCrypto
import SealiteFile

extension CredentialCommand {
    /// The command `sealite credential move`, which moves credentials between the Secret Service and a vault.
    struct Move: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "move",
            abstract: "Move credentials between the Secret Service and a vault.",
            discussion: """
                Each credential is saved in the store of --to, read back and compared, and only then removed from the other store.

                Example: sealite credential move --all --to vault --vault-passphrase-file vault.txt
                """)

        @Argument(help: "The service of the credentials: an endpoint, as https://host/database, or a name.")
        var service: String?

        @Option("name", help: "The user of the credential.")
        var user: String?

        @Option(help: "The kind of the credential.")
        var kind: CredentialKind?

        @Flag(help: "Move all credentials.")
        var all = false

        @Option(help: ArgumentHelp("The store to which they are moved.", valueName: "store"))
        var to: StoreChoice

        @Flag(help: "Replace existing credentials of the destination.")
        var replace = false

        @OptionGroup var options: CredentialOptions
        func validate() throws {
            guard (service != nil) != all else { throw ValidationError("Give either a service or --all.") }
            guard !all || (user == nil && kind == nil) else {
                throw ValidationError("--all can't be given with --user or --kind.")
            }
            guard options.store.store == nil else {
                throw ValidationError(
                    "--store can't be given: --to names the destination store, and the other store is the source.")
            }
        }

        func run() throws {
            let access = options.access
            let moved = try waiting { () -> Int in
                let source = try await options.open(to == .vault ? .secretService : .vault)
                let destination = try await options.open(to, makesVault: true)
                var count = 0
                for reference in try await references(in: source, access) {
                    try await source.move(reference, to: destination, replacing: replace, access: access)
                    count += 1
                }
                return count
            }
            options.output.confirm("moved \(moved) to the \(to.rawValue)", json: ["moved": moved, "to": to.rawValue])
        }

        private func references(
            in source: any CredentialStore, _ access: CredentialAccess
        ) async throws -> [CredentialReference] {
            if let service {
                let wanted = try CredentialService(service)
                let kinds = kind.map { [$0] } ?? CredentialKind.endpointKinds + [.slotKey]
                return [try await source.find(service: wanted, account: user, kinds: kinds, access: access)]
            }
            let listing = try await source.list(service: nil, access: access)
            guard listing.isComplete else {
                throw CredentialError(
                    .locked, "a part of \(source.name) is locked and may hold more credentials", hint: "unlock it first"
                )
            }
            return Swift.Set(listing.items.map(\.reference)).sorted { $0.description < $1.description }
        }
    }

    /// The command `sealite credential export`, which writes all stored credentials to a new sealed file.
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Write everything that is stored into a new sealed file.",
            discussion: "Example: sealite credential export keys.sealed --new-passphrase-file export.txt")

        @Argument(help: "The file to make.", completion: .file())
        var file: String

        @OptionGroup var new: NewSlotOptions
        @OptionGroup var options: CredentialOptions

        func validate() throws {
            guard new.newRecoveryKeyFile == nil, !new.newRecoveryKey else {
                throw ValidationError(
                    "An export of credentials can't have a recovery key: give --new-passphrase-file, --new-passphrase-fd or --new-key-file."
                )
            }
        }

        func run() throws {
            try NewFile.requireFree(file)
            let secret = SecretBox(try new.secret(for: file, asking: options.permission))
            let count = try waiting {
                try await options.open().export(to: file, secret: try secret.taken(), access: options.access)
            }
            options.output.confirm("exported \(count) to \"\(file)\"", json: ["path": file, "exported": count])
        }
    }
}

extension CredentialCommand {
    /// The command `sealite credential rename`, which stores the credentials of a service under another service.
    struct Rename: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename",
            abstract: "Store credentials under another service.",
            discussion: """
                Moves all credentials of a service, for all users and of all kinds, to another service in the same \
                store. Each credential is saved under the new service before it is removed from the old one.

                Example: sealite credential rename https://old.example.com/notes https://new.example.com/notes
                """)

        @Argument(help: "The current service of the credentials.")
        var service: String

        @Argument(help: "The new service of the credentials.")
        var newService: String

        @Flag(help: "Replace existing credentials of the new service.")
        var replace = false

        @OptionGroup var options: CredentialOptions
        func run() throws {
            let access = options.access
            let (old, new) = (try CredentialService(service), try CredentialService(newService))
            guard old != new else { throw ToolError.usage("the current and the new service are the same: \"\(old)\"") }
            let count = try waiting { () -> Int in
                let store = try await options.open()
                let items = try await items(of: old, in: store, access)
                if !replace { try await requireFree(new, items.map(\.reference), in: store, access) }
                for item in items {
                    let reference = item.reference
                    let renamed = try CredentialReference(
                        service: new, account: reference.account, kind: reference.kind)
                    try await store.save(
                        try await store.read(reference, access: access), service: new, account: reference.account,
                        label: item.ownLabel ?? renamed.label(given: newService), access: access)
                    try await store.remove(reference, access: access)
                }
                return items.count
            }
            options.output.confirm("renamed \(count) to \(new)", json: ["renamed": count, "service": new.canonical])
        }

        /// Returns what is stored for a service, one item for each reference.
        private func items(
            of service: CredentialService, in store: any CredentialStore, _ access: CredentialAccess
        ) async throws -> [CredentialMetadata] {
            let listing = try await store.list(service: service, access: access)
            guard listing.isComplete else {
                throw CredentialError(
                    .locked, "a part of \(store.name) is locked and may hold more credentials for \"\(service)\"",
                    hint: "unlock it first")
            }
            var seen: Swift.Set<CredentialReference> = []
            let found = listing.items.filter { seen.insert($0.reference).inserted }
            guard !found.isEmpty else {
                throw CredentialError(.notFound, "\(store.name) holds no credential for \"\(service)\"")
            }
            guard !found.contains(where: { $0.reference.kind == .slotKey }) else {
                throw CredentialError(
                    .invalidArgument,
                    "\"\(service)\" has the key of a database's key slot, which can't be renamed: it is found by the slot's id"
                )
            }
            return found
        }

        private func requireFree(
            _ service: CredentialService, _ references: [CredentialReference], in store: any CredentialStore,
            _ access: CredentialAccess
        ) async throws {
            let taken = try await store.list(service: service, access: access).items.map(\.reference)
            for reference in references {
                let target = try CredentialReference(
                    service: service, account: reference.account, kind: reference.kind)
                guard !taken.contains(target) else {
                    throw CredentialError(
                        .exists, "\(store.name) already holds the credential \(target)",
                        hint: "give --replace to replace it")
                }
            }
        }
    }
}
