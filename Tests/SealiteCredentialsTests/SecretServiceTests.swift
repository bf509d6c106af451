import Testing

/// Everything that talks to a Secret Service. The process has one session bus, so the tests run one at a time.
@Suite("the Secret Service", .serialized)
enum SecretServiceTests {}
