internal import SealiteCredentials
internal import SealiteCrypto
internal import Synchronization

/// The sessions of those who logged in at a server: in memory, until their time is over or the server ends.
///
/// A session is worth what the password is that it was had for: who uses it has that checked again. Thread-safe.
final class SessionTable: Sendable {
    static let cookieName = "SyncGatewaySession"
    /// Above this the session that would end first is ended.
    private static let limit = 1_000

    private struct Session {
        let user: String
        let password: SharedSecret
        var end: ContinuousClock.Instant
    }

    /// A session that was shown.
    struct Found {
        let user: String
        let password: SharedSecret
        /// The value of `Set-Cookie` where a tenth of the session's time has passed; it then lasts anew.
        let renewal: String?
    }

    private let lifetime: Duration
    private let isEncrypted: Bool
    private let now: @Sendable () -> ContinuousClock.Instant
    // By the SHA-256 of their ids: looking one up says nothing about ids that are nearly right.
    private let sessions = Mutex<[[UInt8]: Session]>([:])

    init(
        lifetime: Duration, isEncrypted: Bool, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.lifetime = lifetime
        self.isEncrypted = isEncrypted
        self.now = now
    }

    /// Begins a session.
    ///
    /// - Returns: the value of `Set-Cookie`; nil for want of random numbers.
    func begin(user: String, password: SharedSecret, database: String) -> String? {
        guard let bytes = try? SecureRandom.bytes(20) else { return nil }
        let digits = Array("0123456789abcdef")
        let id = String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
        guard let key = Self.key(of: id[...]) else { return nil }
        let time = now()
        sessions.withLock { sessions in
            sessions = sessions.filter { $0.value.end > time }
            if sessions.count >= Self.limit, let first = sessions.min(by: { $0.value.end < $1.value.end }) {
                sessions[first.key] = nil
            }
            sessions[key] = Session(user: user, password: password, end: time + lifetime)
        }
        return cookie(id[...], database)
    }

    /// The session of a request's `Cookie` headers; nil without one that lasts.
    func find(_ headers: [String], database: String) -> Found? {
        guard let id = Self.id(in: headers), let key = Self.key(of: id) else { return nil }
        let time = now()
        return sessions.withLock { sessions in
            guard let session = sessions[key], session.end > time else { return nil }
            let isAged = session.end - time < lifetime * 9 / 10
            if isAged { sessions[key]?.end = time + lifetime }
            return Found(
                user: session.user, password: session.password, renewal: isAged ? cookie(id, database) : nil)
        }
    }

    /// Ends the session of a request's `Cookie` headers; false without one.
    func end(_ headers: [String]) -> Bool {
        guard let id = Self.id(in: headers), let key = Self.key(of: id) else { return false }
        return sessions.withLock { $0.removeValue(forKey: key) } != nil
    }

    private func cookie(_ id: Substring, _ database: String) -> String {
        "\(Self.cookieName)=\(id); Path=/\(database.percentEncoded); Max-Age=\(lifetime.components.seconds); HttpOnly"
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
