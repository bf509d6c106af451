import ArgumentParser
import Foundation
import SealiteCredentials
import SealiteCrypto
import SealiteFile

/// The source of a new credential's secret.
struct NewCredentialOptions: ParsableArguments {
    @Option("file", help: "Read the password from this file, without a trailing line end.")
    var passwordFile: String?

    @Option("n", help: "Read the password from this open file descriptor.")
    var passwordFd: Int32?

    @Flag(help: "Store a bearer token, which is read in place of a password.")
    var bearer = false

    @Option("file", help: "Read a session's id from this file.")
    var sessionFile: String?

    @Option("name", help: "The name of the session's cookie. Default: \(SessionCredential.standardCookieName).")
    var cookieName: String?

    @Option("time", help: "The time at which the session expires, as 2030-01-31T12:00:00Z.")
    var expires: String?

    @Option("file", help: "Read a certificate chain and its private key from this PKCS#12 file.")
    var identity: String?

    @Option(
        "name",
        help:
            "The private key of --identity, if the file has several: its alias, or the subject of its certificate.")
    var identityName: String?

    @Option("file", help: "Read a certificate chain from this PEM file.")
    var certificate: String?

    @Option("file", help: "Read the private key of --certificate from this PEM file.")
    var privateKey: String?

    @Option("file", help: "Read the passphrase of --identity or --private-key from this file.")
    var identityPassphraseFile: String?

    @Flag(help: "Store the certificate even if it has expired or isn't valid yet.")
    var allowExpired = false

    func validate() throws {
        try ValidationError.requireOne(
            ("--password-file", passwordFile != nil), ("--password-fd", passwordFd != nil),
            ("--session-file", sessionFile != nil), ("--identity", identity != nil),
            ("--certificate", certificate != nil))
        guard (certificate == nil) == (privateKey == nil) else {
            throw ValidationError("--certificate and --private-key require each other.")
        }
        guard !bearer || (sessionFile == nil && identity == nil && certificate == nil) else {
            throw ValidationError(
                "--bearer can't be combined with --session-file, --identity or --certificate: a token is read as a password is, for example with --password-file."
            )
        }
        try Self.require(
            "--session-file", sessionFile != nil,
            for: [("--cookie-name", cookieName != nil), ("--expires", expires != nil)])
        try Self.require(
            "--identity or --certificate", identity != nil || certificate != nil,
            for: [
                ("--identity-passphrase-file", identityPassphraseFile != nil), ("--allow-expired", allowExpired),
            ])
        try Self.require("--identity", identity != nil, for: [("--identity-name", identityName != nil)])
        guard expires == nil || expiry != nil else {
            throw ValidationError("--expires takes a time in the form 2030-01-31T12:00:00Z.")
        }
    }

    /// Throws an error if one of the options was given without the option `owner`, to which they belong.
    private static func require(
        _ owner: String, _ isGiven: Bool, for options: [(name: String, isGiven: Bool)]
    ) throws {
        guard !isGiven, let stray = options.first(where: \.isGiven) else { return }
        throw ValidationError("\(stray.name) can be given only with \(owner).")
    }

    private var expiry: Date? { expires.flatMap { try? Date($0, strategy: .iso8601) } }

    /// The kind of the credential to read.
    var kind: CredentialKind {
        if sessionFile != nil { return .session }
        if identity != nil || certificate != nil { return .clientIdentity }
        return bearer ? .bearer : .password
    }

    /// Reads the credential. A password without a named source is asked for, or read from standard input if that isn't
    /// a terminal.
    func credential(_ permission: Console.Permission, for target: String) throws -> Credential {
        switch kind {
        case .session:
            let id = try KeySource.file(sessionFile ?? "").passphrase(called: "session id")
            return .session(
                SessionCredential(
                    sessionID: id, cookieName: cookieName ?? SessionCredential.standardCookieName, expires: expiry))
        case .clientIdentity: return .clientIdentity(try clientIdentity(permission))
        default:
            let secret = try password(permission, for: target)
            return bearer ? .bearer(secret) : .password(secret)
        }
    }

    private func password(_ permission: Console.Permission, for target: String) throws -> SecretBytes {
        let noun = bearer ? "bearer token" : "password"
        if let passwordFile { return try KeySource.file(passwordFile).passphrase(called: noun) }
        if let passwordFd { return try SecretFile.descriptor(passwordFd).passphrase(called: noun) }
        guard !permission.prompt, !Console.inputIsTerminal else {
            guard permission.isGiven else {
                throw ToolError.usage(
                    "no \(noun) was given for \(target)", hint: "give it with --password-file or --password-fd")
            }
            return try Terminal.newSecret("\(bearer ? "Bearer token" : "Password") for \(target)")
        }
        return try SecretFile.descriptor(0).passphrase(called: noun)
    }

    private func clientIdentity(_ permission: Console.Permission) throws -> ClientIdentityCredential {
        let limit = ClientIdentity.maximumByteCount
        var passphrase = try identityPassphraseFile.map { try KeySource.file($0).passphrase() }
        let made: ClientIdentity
        if let identity {
            let file = try KeySource.file(identity).contents(limit: limit, isSecret: true)
            if passphrase == nil, permission.isGiven {
                passphrase = try Terminal.secret("Passphrase of \(identity)")
            }
            do throws(IdentityError) {
                made = try ClientIdentity(pkcs12: file, passphrase: passphrase, name: identityName)
            } catch {
                var failure = ToolError(error)
                if error.code == .severalKeys && identityName == nil {
                    failure.hint = "name the one to use with --identity-name"
                } else if error.code == .wrongPassphrase && passphrase == nil {
                    failure.hint = "give its passphrase with --identity-passphrase-file"
                }
                throw failure
            }
        } else {
            made = try ClientIdentity(
                pemCertificates: try KeySource.file(certificate ?? "").contents(limit: limit, isSecret: false),
                pemPrivateKey: try KeySource.file(privateKey ?? "").contents(limit: limit, isSecret: true),
                passphrase: passphrase)
        }
        if !allowExpired {
            do throws(IdentityError) {
                try made.requireValid(at: Int64(Date().timeIntervalSince1970))
            } catch {
                throw ToolError(
                    .damaged, code: error.code.rawValue, error.reason,
                    hint: (error.hint.map { $0 + "; " } ?? "") + "--allow-expired stores the certificate nevertheless"
                )
            }
        }
        return ClientIdentityCredential(certificates: made.certificates, privateKey: made.privateKey.duplicate())
    }
}

/// The arguments that name a credential: the service, the user and the kind.
struct CredentialTarget: ParsableArguments {
    @Argument(help: "The service of the credential: an endpoint, as https://host/database, or a name.")
    var service: String

    @Option("name", help: "The user of the credential.")
    var user: String?

    @Option(help: "The kind of the credential.")
    var kind: CredentialKind?

    /// Returns the reference of the matching credential. If several accounts have one, `--user` must decide. If the
    /// user and the kind are given, the store isn't queried.
    func find(in store: any CredentialStore, _ access: CredentialAccess) async throws -> CredentialReference {
        let service = try CredentialService(service)
        if let user, let kind { return try CredentialReference(service: service, account: user, kind: kind) }
        let kinds = kind.map { [$0] } ?? CredentialKind.endpointKinds + [.slotKey]
        return try await store.find(service: service, account: user, kinds: kinds, access: access)
    }

    /// Returns the reference of the only matching credential, for an irreversible operation: if an account has several
    /// kinds, `--kind` must decide.
    func findOnly(in store: any CredentialStore, _ access: CredentialAccess) async throws -> CredentialReference {
        let best = try await find(in: store, access)
        guard kind == nil else { return best }
        let kinds = try await store.list(service: best.service, access: access).items.map(\.reference)
            .filter { $0.account == best.account }.map(\.kind.rawValue)
        guard Set(kinds).count < 2 else {
            let list = Set(kinds).sorted().joined(separator: ", ")
            throw CredentialError(
                .ambiguous, "\(store.name) holds credentials of several kinds for \"\(best.service)\": \(list)",
                hint: "name the kind with --kind")
        }
        return best
    }
}

extension CredentialMetadata: JSONRepresentable {
    var json: JSONValue {
        [
            "service": reference.service.canonical, "account": reference.account, "kind": reference.kind.rawValue,
            "label": label, "created": created?.ISO8601Format(), "modified": modified?.ISO8601Format(),
            "locked": isLocked,
        ]
    }

    /// The item as a line of a list: an endpoint as it was given, and the database that a slot key opens.
    var line: String {
        let whose = reference.account.isEmpty ? "" : "  \(reference.account)"
        let opens = database.map { "  opens \($0)" } ?? ""
        return "\(reference.kind.rawValue.padded(to: 15))  \(given)\(whose)\(opens)\(isLocked ? "  (locked)" : "")"
    }

    /// The endpoint in the form in which it was given when the item was saved, which the label contains; otherwise the
    /// canonical form.
    var given: String {
        guard reference.service.scheme != nil else { return reference.service.canonical }
        return label.split(separator: " ").map(String.init)
            .first { $0.contains("://") && (try? CredentialService($0)) == reference.service }
            ?? reference.service.canonical
    }

    /// The database that a slot key opens, from the label; nil for other credentials.
    private var database: String? {
        let prefix = "Sealite database key of "
        guard reference.kind == .slotKey, label.hasPrefix(prefix) else { return nil }
        return String(label.dropFirst(prefix.count))
    }
}
