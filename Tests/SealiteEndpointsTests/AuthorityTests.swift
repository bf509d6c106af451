import SealiteCredentials
import SealiteEndpoints
import Testing

@Suite("host and port of a URL or a header")
struct AuthorityTests {
    @Test(
        "a host, with a port or without",
        arguments: [
            ("sync.example.com", "sync.example.com", nil, nil), ("a:80", "a", "80", 80),
            ("[::1]", "::1", nil, nil),
            ("[::1]:65535", "::1", "65535", 65535), ("a:", "a", "", nil), ("a:0", "a", "0", nil),
            ("a:65536", "a", "65536", nil), ("a:b", "a", "b", nil), ("a:1:2", "a", "1:2", nil),
            ("a:+1", "a", "+1", nil),
            ("[]]", nil, nil, nil), ("", nil, nil, nil), (":80", nil, nil, nil), ("[]", nil, nil, nil),
            ("[::1", nil, nil, nil), ("[::1]80", nil, nil, nil), ("a]:80", nil, nil, nil),
            ("a[b]", nil, nil, nil),
        ] as [(String, String?, String?, Int?)])
    func form(text: String, host: String?, portText: String?, port: Int?) {
        let authority = Authority(text[...])
        #expect(authority.map { String($0.host) } == host)
        #expect(authority?.portText.map(String.init) == portText)
        #expect(authority?.port == port)
    }

    @Test("a service is found under the same text as before")
    func services() throws {
        for (text, canonical) in [
            ("https://A_b.example:443/x/", "https://a_b.example/x"),
            ("ws://u:p@[::1]:80", "http://[::1]"),
            ("https://a:/x", "https://a/x"), ("https://a:00443", "https://a"),
            // The canonical text of a service is the service's own again.
            ("https://a/x/_blipsync/_blipsync/", "https://a/x"),
            ("wss://[::1]:4984", "https://[::1]:4984"),
        ] {
            #expect(try CredentialService(text).canonical == canonical)
        }
        for text in [
            "https://a:b:c/x", "https://[::1/x", "https://:80", "https://a:65536", "https://u@/x",
            "http://a:٣",
        ] {
            #expect(throws: CredentialError(.invalidArgument, "")) { try CredentialService(text) }
        }
    }

    @Test("this machine is told by its addresses in every form, and no other is taken for it")
    func loopback() {
        for host in [
            "127.0.0.1", "127.9.8.7", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "LOCALHOST",
            "a.localhost",
        ] {
            #expect(EndpointURL.isLoopback(host), "\(host)")
        }
        // Name look-ups read 0127 as an octal number: 87.0.0.1.
        for host in [
            "0127.0.0.1", "127.1", "128.0.0.1", "::2", "localhost.example.com", "127.0.0.1.example.com",
            "",
        ] {
            #expect(!EndpointURL.isLoopback(host), "\(host)")
        }
    }
}
