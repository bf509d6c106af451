public import Logging
internal import SealiteEndpoints
internal import SealiteFile

extension CredentialStore {
    /// Returns a store that passes every call on to this store and logs it.
    ///
    /// Log lines name the kind of credential and, for an endpoint, the host and port; never an account, a label or a
    /// secret.
    ///
    /// - Parameter logger: receives queries at level `debug`, changes at `info`, and failures at `warning`. The absence
    ///   of a credential isn't logged as a failure.
    /// - Returns: the store that logs.
    public func logged(by logger: Logger = Logger(label: "sealite.credentials")) -> any CredentialStore {
        LoggedStore(base: self, logger: logger)
    }

    /// Returns a store that passes every call on to this store and logs it; this store itself if there is no logger.
    func logged(ifBy logger: Logger?) -> any CredentialStore { logger.map { logged(by: $0) } ?? self }
}

/// A store that passes every call on to another store and logs its outcome.
struct LoggedStore<Base: CredentialStore>: CredentialStore {
    let base: Base
    let logger: Logger

    var name: String { base.name }

    func save(
        _ credential: consuming Credential, service: CredentialService, account: String, label: String?,
        access: CredentialAccess
    ) async throws(CredentialError) {
        let call = Call("save", service, kinds: [credential.kind])
        do throws(CredentialError) {
            try await base.save(credential, service: service, account: account, label: label, access: access)
            log(call, at: .info)
        } catch {
            throw failed(call, error)
        }
    }

    func read(_ reference: CredentialReference, access: CredentialAccess) async throws(CredentialError) -> Credential {
        let call = Call("read", reference.service, kinds: [reference.kind])
        do throws(CredentialError) {
            let credential = try await base.read(reference, access: access)
            log(call, at: .debug)
            return credential
        } catch {
            throw failed(call, error)
        }
    }

    func remove(_ reference: CredentialReference, access: CredentialAccess) async throws(CredentialError) {
        let call = Call("remove", reference.service, kinds: [reference.kind])
        do throws(CredentialError) {
            try await base.remove(reference, access: access)
            log(call, at: .info)
        } catch {
            throw failed(call, error)
        }
    }

    func list(service: CredentialService?, access: CredentialAccess) async throws(CredentialError) -> CredentialListing
    {
        let call = Call("list", service)
        do throws(CredentialError) {
            let listing = try await base.list(service: service, access: access)
            log(call, at: .debug, ["count": "\(listing.items.count)", "complete": "\(listing.isComplete)"])
            return listing
        } catch {
            throw failed(call, error)
        }
    }

    func match(
        service: CredentialService, account: String?, kinds: [CredentialKind], access: CredentialAccess
    ) async throws(CredentialError) -> CredentialMatch {
        let call = Call("match", service, kinds: kinds)
        do throws(CredentialError) {
            let match = try await base.match(service: service, account: account, kinds: kinds, access: access)
            log(call, at: .debug, ["count": "\(match.references.count)", "complete": "\(match.isComplete)"])
            return match
        } catch {
            throw failed(call, error)
        }
    }
}

extension LoggedStore {
    /// A call in progress: what the log says about it, and its start time.
    private struct Call {
        let metadata: Logger.Metadata
        let start = ContinuousClock.now

        init(_ name: String, _ service: CredentialService?, kinds: [CredentialKind] = []) {
            var metadata: Logger.Metadata = ["call": "\(name)"]
            // Only an endpoint's host and port are logged: a service's name may be any text that a program chose, and
            // an endpoint's path reveals the names of databases.
            if let service, let endpoint = try? EndpointURL(service) {
                metadata["peer"] = "\(endpoint.hostAndPort)"
            }
            if !kinds.isEmpty { metadata["kinds"] = .array(kinds.map { "\($0.rawValue)" }) }
            self.metadata = metadata
        }
    }

    private func log(_ call: Call, at level: Logger.Level, _ more: Logger.Metadata = [:]) {
        logger.log(level: level, "credential store answered", metadata: metadata(call, more))
    }

    private func failed(_ call: Call, _ error: CredentialError) -> CredentialError {
        let level = error.code == .notFound ? Logger.Level.debug : .warning
        let text: Logger.Message =
            level == .debug ? "no such credential in the store" : "credential store refused or failed"
        logger.log(level: level, text, metadata: metadata(call, ["code": "\(error.code.rawValue)"]))
        return error
    }

    private func metadata(_ call: Call, _ more: Logger.Metadata) -> Logger.Metadata {
        let duration = (ContinuousClock.now - call.start).milliseconds
        return call.metadata.merging(more) { $1 }.merging(["duration_ms": "\(duration)"]) { $1 }
    }
}
