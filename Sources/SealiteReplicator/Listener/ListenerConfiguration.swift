public import SealiteDatabase

/// What a listener serves, where, and whom it lets in.
public struct ListenerConfiguration: Sendable {
    /// The collections, at least one, of one database. Peers see no others.
    public var collections: [SealiteDatabase.Collection]
    /// The name in the URL, before percent-encoding. Peers that ask for another are answered with 404. A leading `_`, `/` and
    /// control characters, which can't stand there, become `-`.
    public var databaseName: String
    /// The port; 0, the default, takes any that is free.
    public var port = 0
    /// The name or an address of the interface to listen at; nil takes all.
    public var networkInterface: String?
    /// Whether connections are encrypted. Default true.
    public var isEncrypted = true
    /// Certificate and key; nil makes a self-signed one at each start, which peers have to pin.
    public var identity: TransportIdentity?
    /// Which client certificates are asked for. All but the default need TLS.
    public var clientCertificates = ClientCertificatePolicy.notAsked
    /// Checks a user's password in each handshake; nil asks for none. What it throws is answered with 503: the check can't be
    /// made now.
    public var passwordCheck: (@Sendable (_ user: String, _ password: SharedSecret) async throws -> Bool)?
    /// How long a session lasts that a user got by `POST /{database}/_session`; nil gives none. Default a day. A session ends when
    /// the password that it was had for isn't right any more.
    public var sessionLifetime: Duration? = .seconds(86_400)
    /// Tells the time by which sessions end.
    var clock: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Whether peers may only read. Default false.
    public var readOnly = false
    /// Most peers at a time; further ones are answered with 503. Default 256.
    public var maximumConnectionCount = 256

    /// Whole collections, to read and write.
    public init(collections: [SealiteDatabase.Collection], databaseName: String) {
        self.collections = collections
        self.databaseName = databaseName
    }

    /// The name as it is compared.
    var servedName: String {
        var name = String(
            String.UnicodeScalarView(
                databaseName.unicodeScalars.map { $0 == "/" || $0.properties.generalCategory == .control ? "-" : $0 }))
        if name.hasPrefix("_") { name = "-" + name.dropFirst() }
        return name
    }
}

extension String {
    /// The text as part of a URL's path: all but letters, digits and `-._~` percent-encoded.
    var percentEncoded: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for byte in utf8 {
            let isPlain =
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-._~".utf8.contains(byte)
            text += isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
