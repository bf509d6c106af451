import Testing

/// Everything that talks to a Secret Service. The process has one session bus, so the tests run one at a time.
@Suite("The Secret Service", .serialized)
enum SecretServiceTests {}
