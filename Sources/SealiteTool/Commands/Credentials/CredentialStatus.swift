import ArgumentParser
import Foundation
import SealiteCredentials

extension CredentialCommand {
    /// The command `sealite credential use`, which sets which credential store is used from now on, for every program
    /// of the user.
    struct Use: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "use",
            abstract: "Set which store is used from now on, for every program of this user.",
            discussion: "Example: sealite credential use vault --vault /srv/app/vault.db")

        @Argument(help: "The store: secret-service or vault.")
        var store: StoreChoice?

        @Option("file", help: "The vault's file.")
        var vault: String?

        @Flag(help: "Remove the setting.")
        var none = false

        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard (store != nil) != none else {
                throw ValidationError("Give either a store, secret-service or vault, or --none.")
            }
            guard vault == nil || store == .vault else {
                throw ValidationError(
                    "--vault can be given only if the store is vault: sealite credential use vault --vault FILE.")
            }
        }

        func run() throws {
            if let store {
                let path = vault.map { $0.hasPrefix("/") ? $0 : FileManager.default.currentDirectoryPath + "/" + $0 }
                try StoreSetting(choice: store, vaultPath: path).save()
            } else {
                try StoreSetting.remove()
            }
            let choice = store?.rawValue ?? "none"
            output.print(store == nil ? "no store is set" : "the store is set to \(choice)", json: ["store": choice])
        }
    }

    /// The command `sealite credential status`, which shows the credential store that is used, its state, and how to
    /// fix problems.
    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Show the credential store that is used, its state, and how to fix problems.",
            discussion: "Ends with exit code 69 if no store is usable.\n\nExample: sealite credential status")

        @OptionGroup var options: CredentialOptions

        func run() throws {
            // A status report must not prompt, neither for a keyring's passphrase nor for a vault's.
            let permission = Console.Permission(prompt: false, noInput: true)
            let (store, output) = (options.store, options.output)
            let access = store.access(permission)
            let findings = try waiting { () -> Findings in
                var findings = Findings()
                findings.collectionName = store.storeCollection
                do throws(CredentialError) {
                    findings.service = try await SecretServiceStore.status(access: access)
                } catch {
                    findings.serviceError = error
                }
                do {
                    let opened = try await store.open(permission)
                    findings.chosen = opened
                    if opened.choice == .secretService {
                        if let error = findings.serviceError { throw error }
                        if let problem = findings.serviceProblem { throw problem }
                    }
                } catch {
                    findings.error = ToolError(any: error)
                }
                findings.vaultPath = try? store.vaultPath()
                return findings
            }
            if output.json { Console.print(findings.json) } else { findings.print() }
            guard let error = findings.error else { return }
            guard !output.json else { throw ExitCode(ExitStatus.unavailable.rawValue) }
            throw ToolError(.unavailable, code: error.code, error.message, hint: error.hint)
        }
    }

    private struct Findings: Sendable {
        var service: SecretServiceStatus?
        var serviceError: CredentialError?
        var chosen: OpenedStore?
        var error: ToolError?
        var vaultPath: String?
        /// The label of the requested collection, or the end of its path; nil for the default collection.
        var collectionName: String?

        /// The error that prevents the use of the Secret Service although it responds; nil if there is none.
        var serviceProblem: CredentialError? {
            guard let service else { return nil }
            guard let collection = service.collection(named: collectionName) else {
                let which = collectionName.map { "collection \"\($0)\"" } ?? "default collection"
                return CredentialError(
                    .noCollection, "the Secret Service has no \(which)",
                    hint: collectionName == nil
                        ? "make a collection with the desktop's password manager"
                        : "name another collection with --store-collection, or make this one with the desktop's password manager"
                )
            }
            guard !collection.isLocked else {
                return CredentialError(
                    .locked, "the collection \"\(collection.label)\" is locked",
                    hint: """
                        unlock the collection with the desktop's password manager, or log in to the desktop with your \
                        password
                        """)
            }
            return nil
        }

        private var vaultState: String {
            guard let vaultPath else { return "no place" }
            return FileManager.default.fileExists(atPath: vaultPath) ? "there" : "not there"
        }

        func print() {
            var lines: [(String, String)] = []
            if let chosen, error == nil {
                lines.append(("store", "\(chosen.store.name), because \(chosen.reason)"))
            } else {
                lines.append(("store", "none is usable"))
            }
            if let service {
                lines.append(("Secret Service", service.provider ?? "answers"))
                lines.append(("encrypted", service.isSessionEncrypted ? "yes" : "no: \(service.sessionAlgorithm)"))
                for collection in service.collections {
                    let marks =
                        (collection.isLocked ? "locked" : "unlocked") + (collection.isDefault ? ", default" : "")
                    // GNOME Keyring's collection of the login session has no label.
                    let name = collection.label.isEmpty ? collection.path.split(separator: "/").last : nil
                    lines.append(("collection", "\(name.map(String.init) ?? collection.label) (\(marks))"))
                }
            } else if let serviceError {
                lines.append(("Secret Service", serviceError.description))
            }
            lines.append(("vault", "\(vaultPath ?? ""): \(vaultState)"))
            Report.print(lines)
        }

        var json: JSONValue {
            let collections = (service?.collections ?? []).map { collection -> JSONValue in
                [
                    "label": collection.label, "path": collection.path, "locked": collection.isLocked,
                    "default": collection.isDefault,
                ]
            }
            return [
                "usable": error == nil, "store": chosen?.choice.rawValue, "reason": chosen?.reason,
                "error": error?.json,
                "provider": service?.provider, "encrypted": service?.isSessionEncrypted, "collections": collections,
                "serviceError": serviceError?.code.rawValue, "vault": vaultPath, "vaultState": vaultState,
            ]
        }
    }
}

extension SecretServiceStatus {
    /// Returns the collection with a label, or whose path ends in the name; without a name the default one.
    fileprivate func collection(named name: String?) -> Collection? {
        guard let name else { return defaultCollection }
        return collections.first { $0.label == name || $0.path.hasSuffix("/" + name) }
    }
}
