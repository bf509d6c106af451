@testable import SealiteCredentials
@testable import SealiteEndpoints

/// URLs of endpoints, services of credentials, addresses and ranges of them: each reads its input as a whole.
final class EndpointsFuzz: FuzzTarget {
    init() throws {}

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        let text = String(decoding: input, as: UTF8.self)
        try checkURL(text)
        try checkService(text)
        if let authority = Authority(text[...]) {
            let host = authority.isBracketed ? "[\(authority.host)]" : String(authority.host)
            let whole = host + (authority.portText.map { ":\($0)" } ?? "")
            try BrokenProperty.unless(whole == text, "host and port aren't the whole text")
        }
        if let address = PeerAddress(text) {
            try BrokenProperty.unless(PeerAddress(address.text) == address, "an address is written as another one")
            try BrokenProperty.unless(
                EndpointURL.isLoopback(text) == address.isLoopback, "an address is this machine to one of two")
        }
        if let range = AddressRange(text) {
            try BrokenProperty.unless(
                AddressRange(range.description)?.description == range.description, "a range is written as another one")
        }
    }

    private func checkURL(_ text: String) throws(BrokenProperty) {
        guard let url = try? EndpointURL(text) else { return }
        try BrokenProperty.unless((try? EndpointURL(url.description)) == url, "\(url) reads as another URL")
        try BrokenProperty.unless(
            !url.host.isEmpty && (1...65_535).contains(url.port) && !url.path.hasSuffix("/")
                && (url.path.isEmpty || url.path.hasPrefix("/")), "\(url) has a part that none can have")
        // What is dialled is what credentials are found under: the same host, by the same protection.
        guard text.utf8.count < 2_000 else { return }
        guard let service = try? CredentialService(text) else { throw BrokenProperty("\(url) is no service") }
        guard let found = try? EndpointURL(service) else { throw BrokenProperty("\(service) is no URL") }
        try BrokenProperty.unless(
            found.host == url.host.lowercased() && found.port == url.port && found.isEncrypted == url.isEncrypted,
            "credentials of \(service) would go to \(url)")
    }

    private func checkService(_ text: String) throws(BrokenProperty) {
        guard let service = try? CredentialService(text) else { return }
        let again = try? CredentialService(service.canonical)
        try BrokenProperty.unless(
            again?.canonical == service.canonical, "\(service) is written as \(again?.canonical ?? "nothing")")
        guard text.contains("://") else { return }
        let rest = service.canonical.drop { $0 != "/" }.dropFirst(2)
        try BrokenProperty.unless(
            service.scheme != nil && !rest.prefix { $0 != "/" }.contains("@"), "\(service) has a user in it")
    }

    /// First inputs.
    static let seeds: [[UInt8]] = [
        "wss://sync.example.com:4984/notes", "ws://[::1]:4984/notes/",
        "wss://Ana:x@Sync.example.com:443/notes/_blipsync",
        "https://a:/x//", "http://127.0.0.1", "https://a_b.~c-d/%20%2F?q#f", "ws://[fe80::1%25eth0]:65535/a/b",
        "https://a:00443/_blipsync/_blipsync", "slot:00112233445566778899aabbccddeeff", "sealite-serve:0011", "://",
        "::ffff:192.0.2.7", "192.0.2.7", "10.0.0.0/8", "::ffff:10.0.0.0/104", "2001:db8::/32", "localhost",
        "0127.0.0.1",
    ].map { Array($0.utf8) }
}
