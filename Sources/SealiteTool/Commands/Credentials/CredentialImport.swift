import ArgumentParser
import SealiteCredentials
import SealiteCrypto
import SealiteFile

extension CredentialCommand {
    /// The command `sealite credential import`, which stores the credentials of an exported file, or passwords that
    /// another program stored in the Secret Service.
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Store everything from an exported file, or the passwords of Python's keyring.",
            discussion: """
                With --from python-keyring the passwords are read that the Python package 'keyring' stored in the \
                Secret Service. They are stored under the same service and user, and stay where they are unless \
                --remove-imported is given. Entries whose names a credential can't have are skipped. With --dry-run \
                they are listed.

                Example: sealite credential import keys.sealed --passphrase-file export.txt
                """)

        @Argument(help: "The exported file.", completion: .file())
        var file: String?

        @Option(
            help: ArgumentHelp(
                "Import from another program in place of a file: \(ForeignCredentials.pythonKeyring.rawValue).",
                valueName: "program"))
        var from: ForeignCredentials?

        @Option("name", help: "With --from, import only the passwords of this service. Can be repeated.")
        var service: [String] = []

        @Option("name", help: "With --from, import only the passwords of this user.")
        var user: String?

        @Flag(
            name: [.customShort("n"), .long],
            help: "With --from, store nothing; show what would be stored, without passwords.")
        var dryRun = false

        @Flag(help: "With --from, remove each password from the other program once it is stored, and read back.")
        var removeImported = false

        @OptionGroup var key: KeyOptions

        @Flag(help: "Replace existing credentials of the destination.")
        var replace = false

        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard (file != nil) != (from != nil) else {
                throw ValidationError("Give either a file or --from.")
            }
            let stray = [
                ("--service", !service.isEmpty), ("--user", user != nil), ("--dry-run", dryRun),
                ("--remove-imported", removeImported),
            ].first(where: \.1)
            if from == nil, let stray { throw ValidationError("\(stray.0) can be given only with --from.") }
            guard from == nil || key.source.onCommandLine == nil else {
                throw ValidationError("The key of a file can't be given with --from.")
            }
            guard !dryRun || !removeImported else {
                throw ValidationError("--dry-run and --remove-imported can't be given together.")
            }
        }

        func run() throws {
            guard let file else { return try importPasswords() }
            let permission = key.asking.permission
            let unlock = SecretBox(try importKey(of: file, permission))
            let store = key.store
            let report = try waiting {
                let opened = try await store.open(permission, makesVault: true).store
                return try await opened.importAll(
                    from: file, key: try unlock.taken(), replacing: replace, access: store.access(permission))
            }
            output.confirm(
                "imported \(report.importedCount), \(report.unchangedCount) were there already",
                json: ["imported": report.importedCount, "unchanged": report.unchangedCount])
        }

        private func importKey(of file: String, _ permission: Console.Permission) throws -> UnlockKey {
            if let source = try key.namedSource() { return try source.key() }
            guard permission.isGiven else {
                throw ToolError.usage("no key for \"\(file)\" was given", hint: KeyOptions.hint)
            }
            return .passphrase(try Terminal.secret("Passphrase of \(file)"))
        }

        private func importPasswords() throws {
            let permission = key.asking.permission
            let access = key.store.access(permission)
            let source = PythonKeyring(allowsUnencryptedSession: key.store.allowUnencryptedSession)
            let plan = try waiting {
                let entries = try chosen(try await source.entries(access: access))
                let store = try await destination(permission)
                let plan = try await source.plan(entries, for: store, replacing: replace, access: access)
                if !dryRun, let store {
                    try await source.carryOut(
                        plan, in: store, replacing: replace, removing: removeImported, access: access)
                }
                return plan
            }
            report(plan)
        }

        /// Opens the store; nil for a vault that a dry run would have to make.
        private func destination(_ permission: Console.Permission) async throws -> (any CredentialStore)? {
            do throws {
                return try await key.store.open(permission, makesVault: !dryRun).store
            } catch let error as CredentialError where dryRun && error.code == .noVault {
                return nil
            }
        }

        /// Returns the entries of the named services and of the named user.
        private func chosen(_ entries: [PythonKeyring.Entry]) throws -> [PythonKeyring.Entry] {
            let found = entries.filter {
                (service.isEmpty || service.contains($0.service)) && (user == nil || user == $0.username)
            }
            let missing = service.first { name in !found.contains { $0.service == name } }
            guard missing == nil, !found.isEmpty else {
                let names = [missing.map { " for \"\($0)\"" }, user.map { " of the user \"\($0)\"" }].compactMap(\.self)
                throw CredentialError(
                    .notFound, "Python's keyring has no password\(names.joined()) in the Secret Service",
                    hint: entries.isEmpty ? nil : "list what it has with --dry-run, without other options")
            }
            // Without --service, an entry that cannot be a credential is skipped; an entry that was asked for must be imported.
            guard !service.isEmpty else { return found }
            for entry in found {
                do throws(CredentialError) {
                    _ = try entry.reference()
                } catch {
                    throw CredentialError(error.code, "\(entry) can't be a credential: \(error.reason)")
                }
            }
            return found
        }

        private func report(_ plan: PythonKeyring.Plan) {
            let imported = plan.count(.new) + (replace || !dryRun ? plan.count(.different) : 0)
            let (unchanged, skipped) = (plan.count(.unchanged), plan.skippedCount)
            let removed = removeImported ? imported + unchanged : 0
            if !output.json {
                for item in plan.outcomes where dryRun || item.outcome.isSkipped {
                    let line = "\(item.outcome.state.padded(to: 9))  \(item.entry.service)  \(item.entry.username)"
                    let reason = item.outcome.reason.map { "  (\($0))" } ?? ""
                    Console.print((line + reason).withoutControls)
                }
            }
            output.confirm(
                (dryRun ? "would import" : "imported") + " \(imported), \(unchanged) were there already"
                    + (skipped > 0 ? ", \(skipped) skipped" : "")
                    + (removed > 0 ? ", removed \(removed) from Python's keyring" : ""),
                json: [
                    "imported": imported, "unchanged": unchanged, "skipped": skipped, "removed": removed,
                    "dryRun": JSONValue.flag(dryRun),
                    "items": plan.outcomes.map { entry, outcome in
                        [
                            "service": entry.service, "account": entry.username, "state": outcome.state,
                            "reason": outcome.reason,
                        ] as JSONValue
                    },
                ])
        }
    }
}

/// The programs whose credentials are imported from the Secret Service.
enum ForeignCredentials: String, CaseIterable, ExpressibleByArgument {
    /// The Python package `keyring`.
    case pythonKeyring = "python-keyring"
}

extension PythonKeyring.Outcome {
    /// The outcome as a word of the output.
    fileprivate var state: String {
        switch self {
        case .new: "new"
        case .different: "different"
        case .unchanged: "unchanged"
        case .skipped: "skipped"
        }
    }

    fileprivate var reason: String? {
        if case .skipped(let reason) = self { reason } else { nil }
    }

    fileprivate var isSkipped: Bool { reason != nil }
}
