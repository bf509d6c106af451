internal import SealiteCrypto

/// The passwords that the Python package `keyring` stored in the Secret Service, as the source of an import. Nothing of
/// them is changed, except by ``remove(_:access:)``.
package struct PythonKeyring: Sendable {
    /// A password of the keyring, without its secret.
    package struct Entry: Sendable, Hashable {
        /// The name of the service, as the Python program gave it.
        package let service: String
        /// The name of the user; empty if there is none.
        package let username: String
        /// The attributes by which the entry is found.
        let attributes: [String: String]
    }

    /// The attribute that every entry has, of the backends SecretService and libsecret.
    static let application = ["application": "Python keyring library"]
    /// The names of the attributes for service and user: those of the standard scheme, and of the scheme KeePassXC.
    private static let schemes = [("service", "username"), ("Title", "UserName")]

    private let store: SecretServiceStore

    /// Creates a source that reads all collections except that of the login session.
    ///
    /// - Parameter allowsUnencryptedSession: true to allow secrets to be transmitted over the bus unencrypted.
    package init(allowsUnencryptedSession: Bool = false) {
        store = SecretServiceStore(allowsUnencryptedSession: allowsUnencryptedSession)
    }

    /// Returns all entries, sorted by service and user. Locked collections are unlocked first.
    ///
    /// - Throws: `locked` if a collection is locked and `access` allows no prompt; the errors of the Secret Service.
    package func entries(access: CredentialAccess) async throws(CredentialError) -> [Entry] {
        let found = try await store.perform(access, nil, "listed") { call throws(CredentialError) in
            try call.items(of: Self.application, why: "it may hold passwords of Python's keyring").map(\.attributes)
        }
        return Set(found.compactMap(Self.entry)).sorted { ($0.service, $0.username) < ($1.service, $1.username) }
    }

    /// Returns the password of an entry, which may be empty.
    ///
    /// - Throws: `notFound` if there is none any more; `duplicate` if several items differ; `damaged` if it is longer
    ///   than a credential may be; the errors of the Secret Service.
    func password(of entry: Entry, access: CredentialAccess) async throws(CredentialError) -> SharedSecret {
        try await store.perform(access, nil, "read") { call throws(CredentialError) in
            SharedSecret(try call.foreignSecret(of: entry.attributes, called: entry.description))
        }
    }

    /// Deletes an entry whose password is equal to `password`.
    ///
    /// - Throws: `exists` if the password is another one now; the errors of ``password(of:access:)``.
    func remove(
        _ entry: Entry, ifEqualTo password: SharedSecret, access: CredentialAccess
    ) async throws(CredentialError) {
        try await store.perform(access, nil, "removed") { call throws(CredentialError) in
            try call.removeForeign(entry.attributes, ifEqualTo: password.secret, called: entry.description)
        }
    }

    private static func entry(_ attributes: [String: String]) -> Entry? {
        for (service, username) in schemes {
            guard let name = attributes[service], let user = attributes[username], !name.isEmpty else { continue }
            let found = application.merging([service: name, username: user]) { $1 }
            return Entry(service: name, username: user, attributes: found)
        }
        return nil
    }
}

extension PythonKeyring.Entry: CustomStringConvertible {
    package var description: String { "\"\(service)\" for \"\(username)\" of Python's keyring" }

    /// The reference under which the password is stored.
    ///
    /// - Throws: `invalidArgument` if a credential can't have these names.
    package func reference() throws(CredentialError) -> CredentialReference {
        try CredentialReference(service: try CredentialService(service), account: username, kind: .password)
    }
}

extension PythonKeyring {
    /// The action of an import on an entry; in a dry run, the one that it would take.
    package enum Outcome: Sendable, Hashable {
        /// The store has no such credential.
        case new
        /// The store has the credential with another password.
        case different
        /// The store has the credential with the same password.
        case unchanged
        /// The entry can't be a credential, for this reason.
        case skipped(String)
    }

    /// Passwords that were read and compared with a store, and what becomes of them.
    package struct Plan: Sendable {
        /// Each entry with what becomes of it.
        package let outcomes: [(entry: Entry, outcome: Outcome)]
        fileprivate let passwords: [Entry: SharedSecret]

        /// The number of entries with one of the outcomes.
        package func count(_ outcomes: Outcome...) -> Int { self.outcomes.count { outcomes.contains($0.outcome) } }
        /// The number of entries that can't be credentials.
        package var skippedCount: Int {
            outcomes.count { if case .skipped = $0.outcome { true } else { false } }
        }
    }

    /// Reads the passwords of entries and compares them with those of a store, which isn't changed.
    ///
    /// - Parameters:
    ///   - entries: the entries to import.
    ///   - store: the destination; nil for one that doesn't exist yet.
    ///   - replacing: true to replace other passwords, even ones that can't be read.
    ///   - access: the rule for prompts, and the time limit of each credential.
    /// - Returns: what becomes of each entry, with the passwords to save.
    /// - Throws: the errors of ``password(of:access:)`` and of the store.
    package func plan(
        _ entries: [Entry], for store: (any CredentialStore)?, replacing: Bool, access: CredentialAccess
    ) async throws(CredentialError) -> Plan {
        var outcomes: [(entry: Entry, outcome: Outcome)] = []
        var passwords: [Entry: SharedSecret] = [:]
        var references: Set<CredentialReference> = []
        for entry in entries {
            let reference: CredentialReference
            do throws(CredentialError) {
                reference = try entry.reference()
            } catch {
                outcomes.append((entry, .skipped(error.reason)))
                continue
            }
            let password = try await password(of: entry, access: access)
            guard password.byteCount > 0 else {
                outcomes.append((entry, .skipped("the password is empty")))
                continue
            }
            guard references.insert(reference).inserted else {
                outcomes.append((entry, .skipped("another entry has the same service in canonical form: \(reference)")))
                continue
            }
            passwords[entry] = password
            let presence = try await store?.presence(
                of: reference, comparedTo: password.secret, replacing: replacing, access)
            switch presence {
            case .equal: outcomes.append((entry, .unchanged))
            case .different: outcomes.append((entry, .different))
            case .absent, nil: outcomes.append((entry, .new))
            }
        }
        return Plan(outcomes: outcomes, passwords: passwords)
    }

    /// Saves the passwords of a plan in a store.
    ///
    /// - Parameters:
    ///   - plan: the plan, made for this store.
    ///   - store: the destination.
    ///   - replacing: true to replace other passwords.
    ///   - removing: true to delete each entry once the store has its password, which is read back and compared.
    ///   - access: the rule for prompts, and the time limit of each credential.
    /// - Throws: `exists` if the store holds another password and `replacing` is false: nothing was changed then;
    ///   `providerFailed` if a saved password isn't read back; the errors of the store and of the Secret Service.
    package func carryOut(
        _ plan: Plan, in store: any CredentialStore, replacing: Bool, removing: Bool, access: CredentialAccess
    ) async throws(CredentialError) {
        if !replacing, let first = plan.outcomes.first(where: { $0.outcome == .different }) {
            throw CredentialError(
                .exists,
                "nothing was imported: \(store.name) holds a different secret for credential \(try first.entry.reference())",
                hint: CredentialRemedy.replaceImported.hint)
        }
        for (entry, outcome) in plan.outcomes {
            guard let password = plan.passwords[entry] else { continue }
            let reference = try entry.reference()
            if outcome != .unchanged {
                try await store.save(
                    .password(password.secret.duplicate()), service: reference.service, account: reference.account,
                    label: nil, access: access)
            }
            guard removing else { continue }
            guard try await store.record(of: reference, access).isEqual(to: password.secret) else {
                throw CredentialError(
                    .providerFailed, "\(store.name) returned another secret for \(reference) than was saved",
                    hint: "the password of Python's keyring wasn't removed")
            }
            try await remove(entry, ifEqualTo: password, access: access)
        }
    }
}
