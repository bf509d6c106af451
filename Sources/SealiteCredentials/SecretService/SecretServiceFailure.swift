internal import CSecret
internal import SealiteBase

/// Converts errors of GLib, D-Bus and libsecret to errors that a person can act on.
struct SecretServiceFailure {
    private let error: GErrorValue?

    init(_ error: GErrorValue?) {
        self.error = error
    }

    /// Returns the error of a call that failed before something happened, which `what` says as a clause, such as "the
    /// secret was read".
    func credentialError(before what: String, _ limit: CallLimit) -> CredentialError {
        guard let error else {
            return CredentialError(.providerFailed, "the Secret Service failed before \(what), without a reason")
        }
        if error.isInputOutput { return inputOutputError(error, what, limit) }
        if error.isDBus { return busError(error, what, limit) }
        if error.isSecret { return secretError(error, what) }
        return unknown(error, what)
    }

    /// Returns the error of connecting to the bus.
    func sessionBusError(_ limit: CallLimit) -> CredentialError {
        if let error, error.isInputOutput, error.code == Int(G_IO_ERROR_CANCELLED.rawValue) {
            return limit.stopped("the session bus answered")
        }
        return CredentialError(
            .noSessionBus, "the D-Bus session bus can't be reached: \(error?.message ?? "no reason given")",
            hint: "log in to a desktop, run under 'dbus-run-session', or use a vault on servers")
    }

    static func noProvider(_ reason: String) -> CredentialError {
        CredentialError(
            .noProvider, reason,
            hint: "start GNOME Keyring, KeePassXC (with its Secret Service switched on) or KWallet, or use a vault")
    }

    private func inputOutputError(_ error: GErrorValue, _ what: String, _ limit: CallLimit) -> CredentialError {
        switch error.code {
        case Int(G_IO_ERROR_CANCELLED.rawValue): return limit.stopped(what)
        case Int(G_IO_ERROR_TIMED_OUT.rawValue):
            return CredentialError(.timedOut, "the D-Bus call timed out before \(what)")
        case Int(G_IO_ERROR_CLOSED.rawValue), Int(G_IO_ERROR_CONNECTION_CLOSED.rawValue):
            return CredentialError(
                .noSessionBus, "the session bus closed the connection before \(what)",
                hint: "start the program again when the session bus is back")
        case Int(G_IO_ERROR_DBUS_ERROR.rawValue) where error.message.contains("Secret.Error.NoSession"):
            return Self.noProvider("the Secret Service no longer knew this program's session before \(what)")
        default: return unknown(error, what)
        }
    }

    private func busError(_ error: GErrorValue, _ what: String, _ limit: CallLimit) -> CredentialError {
        switch GDBusError(rawValue: UInt32(truncatingIfNeeded: error.code)) {
        case G_DBUS_ERROR_SERVICE_UNKNOWN, G_DBUS_ERROR_NAME_HAS_NO_OWNER:
            return Self.noProvider("no program on the session bus provides the Secret Service")
        case G_DBUS_ERROR_NO_REPLY, G_DBUS_ERROR_DISCONNECTED:
            return Self.noProvider("the program that provides the Secret Service left the session bus before \(what)")
        case G_DBUS_ERROR_SPAWN_EXEC_FAILED, G_DBUS_ERROR_SPAWN_FORK_FAILED, G_DBUS_ERROR_SPAWN_CHILD_EXITED,
            G_DBUS_ERROR_SPAWN_CHILD_SIGNALED, G_DBUS_ERROR_SPAWN_FAILED, G_DBUS_ERROR_SPAWN_SERVICE_NOT_FOUND,
            G_DBUS_ERROR_SPAWN_FILE_INVALID, G_DBUS_ERROR_SPAWN_PERMISSIONS_INVALID:
            return Self.noProvider(
                "the session bus could not start the program that provides the Secret Service: \(error.message)")
        case G_DBUS_ERROR_TIMEOUT, G_DBUS_ERROR_TIMED_OUT:
            return CredentialError(.timedOut, "the D-Bus call timed out before \(what)")
        case G_DBUS_ERROR_ACCESS_DENIED, G_DBUS_ERROR_AUTH_FAILED:
            return CredentialError(
                .permission, "access to the Secret Service was refused before \(what): \(error.message)")
        case G_DBUS_ERROR_UNKNOWN_OBJECT, G_DBUS_ERROR_UNKNOWN_METHOD: return gone(error, what)
        default: return unknown(error, what)
        }
    }

    private func secretError(_ error: GErrorValue, _ what: String) -> CredentialError {
        switch SecretError(rawValue: UInt32(truncatingIfNeeded: error.code)) {
        case SECRET_ERROR_IS_LOCKED: return Self.locked("the keyring is locked")
        case SECRET_ERROR_NO_SUCH_OBJECT: return gone(error, what)
        default: return unknown(error, what)
        }
    }

    static func locked(_ reason: String) -> CredentialError {
        CredentialError(.locked, reason, hint: "unlock the keyring, or allow a prompt")
    }

    private func gone(_ error: GErrorValue, _ what: String) -> CredentialError {
        CredentialError(
            .noCollection,
            "a collection or item of the Secret Service no longer existed before \(what): \(error.message)",
            hint: CredentialRemedy.listCollections.hint)
    }

    private func unknown(_ error: GErrorValue, _ what: String) -> CredentialError {
        CredentialError(
            .providerFailed,
            "the Secret Service failed before \(what): \(error.message) (\(error.domain), code \(error.code))")
    }
}
