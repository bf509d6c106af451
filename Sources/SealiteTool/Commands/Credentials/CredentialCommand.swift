import ArgumentParser
import Foundation
import SealiteCredentials
import SealiteCrypto

/// The command `sealite credential`, whose subcommands manage passwords, sessions, certificates and keys in the
/// credential store.
struct CredentialCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credential",
        abstract: "Manage passwords, sessions, certificates and keys in the credential store.",
        discussion: """
            The store is the desktop's Secret Service or a vault, a sealed file, which is used only if its key is \
            given or the vault is requested. 'sealite credential status' shows the store that is used, and how to \
            fix problems.

            Example: sealite credential set https://sync.example.com/notes --user ana
            """,
        subcommands: [
            Set.self, Get.self, List.self, Remove.self, Move.self, Rename.self, Export.self, Import.self, Use.self,
            Status.self,
        ])

    /// The command `sealite credential set`, which stores a credential, replacing one of the same service, user and
    /// kind.
    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Store a credential; an existing one of the same service, user and kind is replaced.",
            discussion: """
                The password is read from the terminal, --password-file, --password-fd or standard input.

                Example: sealite credential set https://sync.example.com/notes --user ana
                """)

        @Argument(help: "The service of the credential: an endpoint, as https://host/database, or a name.")
        var service: String

        @Option("name", help: "The user of the credential.")
        var user: String?

        @Option(help: "The label shown by password managers. It isn't secret.")
        var label: String?

        @OptionGroup var new: NewCredentialOptions
        @OptionGroup var options: CredentialOptions
        func run() throws {
            guard new.kind != .password || user?.isEmpty == false else {
                throw ToolError.usage("no user was given for the password", hint: "name the user with --user")
            }
            let reference = try CredentialReference(
                service: try CredentialService(service), account: user ?? "", kind: new.kind)
            let name = try waiting {
                // The secret is read first, because opening the store may create a vault.
                let credential = try new.credential(options.permission, for: reference.description)
                let store = try await options.open(makesVault: true)
                try await store.save(
                    credential, service: reference.service, account: reference.account,
                    label: label ?? reference.label(given: service), access: options.access)
                return store.name
            }
            options.output.report("stored", reference, in: name, given: service)
        }
    }

    /// The command `sealite credential get`, which shows a stored credential, without its secret unless `--reveal` is
    /// given.
    struct Get: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get",
            abstract: "Show a credential, without its secret unless --reveal is given.",
            discussion: """
                If standard output isn't a terminal, the secret is written to it byte for byte; otherwise it is \
                shown after a confirmation. A client identity or database key is written as its stored record.

                Example: sealite credential get https://sync.example.com/notes --reveal > password
                """)

        @OptionGroup var target: CredentialTarget

        @Flag(help: "Write the secret.")
        var reveal = false

        @OptionGroup var options: CredentialOptions

        func validate() throws { try ValidationError.requireOne(("--reveal", reveal), ("--json", options.output.json)) }

        func run() throws {
            let access = options.access
            let (metadata, box) = try waiting { () -> (CredentialMetadata, SecretBox<SecretBytes>?) in
                let opened = try await options.open()
                let reference = try await target.find(in: opened, access)
                let box =
                    reveal ? SecretBox(try await opened.read(reference, access: access).shown(for: reference)) : nil
                let items = try await opened.list(service: reference.service, access: access).items
                guard let found = items.first(where: { $0.reference == reference }) else {
                    _ = try await opened.read(reference, access: access)
                    throw CredentialError(
                        .providerFailed,
                        "\(opened.name) returned the credential, but its list for the service doesn't contain it",
                        hint:
                            "run the command again; if the error stays, restart the program that provides the Secret Service"
                    )
                }
                return (found, box)
            }
            if let secret = box?.take() { return try write(secret, metadata.reference) }
            if options.output.json { return Console.print(metadata.json) }
            Report.print([
                ("service", metadata.given), ("user", metadata.reference.account),
                ("kind", metadata.reference.kind.rawValue), ("label", metadata.label),
                ("created", metadata.created?.ISO8601Format() ?? "not known"),
                ("changed", metadata.modified?.ISO8601Format() ?? "not known"),
            ])
        }

        private func write(_ secret: consuming SecretBytes, _ reference: CredentialReference) throws {
            guard Console.outputIsTerminal else { return Console.write(secret) }
            guard try options.permission.isGiven && Console.confirms("Show the secret of \(reference)?".withoutControls)
            else {
                throw ToolError.usage(
                    "the secret wasn't shown, because showing it on the terminal wasn't confirmed",
                    hint: "redirect standard output to a file or a pipe, or confirm the question")
            }
            try Console.show(secret, before: "", after: "\n")
        }
    }

    /// The command `sealite credential list`, which lists the stored credentials, without secrets.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List what is stored, without secrets.", discussion: "Example: sealite credential list --json")

        @Argument(help: "List only the credentials of this endpoint or name.")
        var service: String?

        @OptionGroup var options: CredentialOptions
        func run() throws {
            let wanted = try service.map { try CredentialService($0) }
            let listing = try waiting { try await options.open().list(service: wanted, access: options.access) }
            if options.output.json {
                Console.print(["items": listing.items, "complete": listing.isComplete])
            } else {
                for item in listing.items { Console.print(item.line.withoutControls) }
                if !listing.isComplete { Console.note("a part of the store is locked and may hold more credentials\n") }
            }
        }
    }

    /// The command `sealite credential remove`, which removes a credential from the store.
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a credential.",
            discussion: """
                If the user has credentials of several kinds, --kind selects one.

                Example: sealite credential remove https://sync.example.com/notes --user ana
                """)

        @OptionGroup var target: CredentialTarget
        @OptionGroup var options: CredentialOptions
        func run() throws {
            let access = options.access
            let (reference, name) = try waiting {
                let opened = try await options.open()
                let reference = try await target.findOnly(in: opened, access)
                try await opened.remove(reference, access: access)
                return (reference, opened.name)
            }
            options.output.report("removed", reference, in: name, given: target.service)
        }
    }
}

extension OutputOptions {
    func report(_ verb: String, _ reference: CredentialReference, in store: String, given: String? = nil) {
        var shown = reference.description
        if let given, reference.label(given: given) != nil {
            shown = shown.replacing("\"\(reference.service)\"", with: "\"\(given)\"")
        }
        confirm(
            "\(verb) \(shown) in \(store)",
            json: [
                "service": reference.service.canonical, "account": reference.account, "kind": reference.kind.rawValue,
                "done": verb, "store": store,
            ])
    }
}

extension Credential {
    /// Returns the bytes that `sealite credential get --reveal` writes: a password, token or session id unchanged,
    /// otherwise the stored record.
    consuming func shown(for reference: CredentialReference) throws(CredentialError) -> SecretBytes {
        switch consume self {
        case .password(let secret): return secret
        case .bearer(let secret): return secret
        case .session(let session): return session.sessionID.duplicate()
        case .clientIdentity(let identity):
            return try Credential.clientIdentity(identity).record(for: reference)
        case .slotKey(let key): return try Credential.slotKey(key).record(for: reference)
        }
    }
}

extension CredentialReference {
    /// Returns a label with the endpoint as the user wrote it; nil to use the standard label, if the service isn't an
    /// endpoint or was written in its canonical form. A form with a user name, and perhaps a password, isn't kept
    /// either.
    func label(given: String) -> String? {
        guard service.scheme != nil, given != service.canonical, !given.contains("@"), !given.contains(" ") else {
            return nil
        }
        return label(naming: given)
    }
}
