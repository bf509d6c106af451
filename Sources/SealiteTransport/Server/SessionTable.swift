internal import SealiteBase
internal import SealiteCrypto
internal import SealiteEndpoints
internal import SealiteJSON
internal import Synchronization

/// The login sessions of a server, in memory until they expire or the server ends. Thread-safe.
///
/// A session is valid only while the password it was issued for is: each use has that password checked again.
final class SessionTable: Sendable {
    static let cookieName = "SyncGatewaySession"
    /// The maximum number of sessions. If it is exceeded, the session that would expire first is ended.
    private static let limit = 1_000

    private struct Session {
        let user: String
        let password: SharedSecret
        var end: ContinuousClock.Instant
    }

    /// A valid session that a request names.
    struct Found {
        let user: String
        let password: SharedSecret
        fileprivate let id: Substring
        fileprivate let key: [UInt8]
    }

    private let lifetime: Duration
    private let isEncrypted: Bool
    private let time: any TimeSource
    // Keyed by the SHA-256 of the ids, so that the time of a look-up reveals nothing about similar ids.
    private let sessions = Mutex<[[UInt8]: Session]>([:])

    init(lifetime: Duration, isEncrypted: Bool, time: any TimeSource) {
        self.lifetime = lifetime
        self.isEncrypted = isEncrypted
        self.time = time
    }

    /// Starts a session.
    ///
    /// - Returns: the value of the `Set-Cookie` header to respond with; nil if the system's random generator fails.
    func begin(user: String, password: SharedSecret, database: String) -> String? {
        guard let bytes = try? SecureRandom.bytes(20) else { return nil }
        let id = Hexadecimal.text(of: bytes)
        guard let key = Self.key(of: id[...]) else { return nil }
        let now = time.now
        sessions.withLock { sessions in
            sessions = sessions.filter { $0.value.end > now }
            if sessions.count >= Self.limit, let first = sessions.min(by: { $0.value.end < $1.value.end }) {
                sessions[first.key] = nil
            }
            sessions[key] = Session(user: user, password: password, end: now + lifetime)
        }
        return cookie(id[...], database)
    }

    /// Returns the valid session that a request's `Cookie` headers name; nil without one.
    func find(_ headers: [String]) -> Found? {
        guard let id = Self.id(in: headers), let key = Self.key(of: id) else { return nil }
        let now = time.now
        return sessions.withLock { sessions in
            guard let session = sessions[key], session.end > now else { return nil }
            return Found(user: session.user, password: session.password, id: id, key: key)
        }
    }

    /// Extends a session whose password is right, once a tenth of its lifetime has passed.
    ///
    /// - Returns: the value of the `Set-Cookie` header that renews the session; nil if it wasn't extended.
    func renew(_ found: Found, database: String) -> String? {
        let now = time.now
        return sessions.withLock { sessions in
            guard let session = sessions[found.key], session.end - now < lifetime * 9 / 10 else { return nil }
            sessions[found.key]?.end = now + lifetime
            return cookie(found.id, database)
        }
    }

    /// Ends the session that a request's `Cookie` headers name; returns false if they name none that exists.
    func end(_ headers: [String]) -> Bool {
        guard let id = Self.id(in: headers), let key = Self.key(of: id) else { return false }
        return sessions.withLock { $0.removeValue(forKey: key) } != nil
    }

    private func cookie(_ id: Substring, _ database: String) -> String {
        "\(Self.cookieName)=\(id); Path=/\(PercentCoding.encodePathPart(database)); Max-Age=\(lifetime.components.seconds); HttpOnly"
            + (isEncrypted ? "; Secure" : "")
    }

    private static func key(of id: Substring) -> [UInt8]? { try? SHA256.digest(of: Array(id.utf8)) }

    private static func id(in headers: [String]) -> Substring? {
        for pair in headers.flatMap({ $0.split(separator: ";") }) {
            let trimmed = pair.drop { $0 == " " }
            guard trimmed.hasPrefix("\(cookieName)=") else { continue }
            return trimmed.dropFirst(cookieName.count + 1)
        }
        return nil
    }
}
