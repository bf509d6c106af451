/// The suites of test vectors for all cryptographic functions, and the run over them.
package enum KnownAnswers {
    /// The suites of published vectors, in the order in which an audit lists them. The numbers of cases are stated here
    /// and not derived from the vectors, so that missing vectors are noticed.
    package static let suites: [KnownAnswerSuite] = [
        .init("AES-256-GCM, seal", count: 375, Vectors.aes256GcmSeal, AEADAnswers.sealAESGCM),
        .init("AES-256-GCM, open", count: 375, Vectors.aes256GcmOpen, AEADAnswers.openAESGCM),
        .init("XAES-256-GCM", count: 2, Vectors.xaes256Gcm, AEADAnswers.xaes),
        .init("XAES-256-GCM, accumulated", count: 1, Vectors.xaes256GcmAccumulated, AEADAnswers.accumulatedXAES),
        .init("HKDF-SHA-256", count: 3, Vectors.hkdfSha256, KeyDerivationAnswers.hkdf),
        .init("HMAC-SHA-256", count: 7, Vectors.hmacSha256, HashingAnswers.hmac),
        .init("HPKE base mode, seal", count: 257, Vectors.hpkeSeal, HPKEAnswers.seal),
        .init("HPKE base mode, export", count: 3, Vectors.hpkeExport, HPKEAnswers.export),
        .init("HPKE PSK mode, seal", count: 257, Vectors.hpkePskSeal, HPKEAnswers.sealWithPreSharedKey),
        .init("HPKE PSK mode, export", count: 3, Vectors.hpkePskExport, HPKEAnswers.exportWithPreSharedKey),
        .init("AES-256 key wrap", count: 400, Vectors.aesKeyWrap, AEADAnswers.keyWrap),
        .init("scrypt", count: 4, Vectors.scrypt, KeyDerivationAnswers.scrypt),
        .init("PBKDF2-HMAC-SHA-256", count: 2, Vectors.pbkdf2Sha256, KeyDerivationAnswers.pbkdf2WithSHA256),
        .init("PBKDF2-HMAC-SHA-1", count: 5, Vectors.pbkdf2Sha1, KeyDerivationAnswers.pbkdf2WithSHA1),
        .init("SHA-256", count: 65, Vectors.sha256, HashingAnswers.sha256),
        .init("SHA-512", count: 129, Vectors.sha512, HashingAnswers.sha512),
        .init("SHA-1", count: 65, Vectors.sha1, HashingAnswers.sha1),
    ]

    /// The suites for functions for which nobody publishes vectors; their cases are the project's own.
    package static let properties: [KnownAnswerSuite] = [
        .init("comparison of secrets", count: 8, PropertyAnswers.comparisonCases, PropertyAnswers.comparison),
        .init("random draws", count: 3, PropertyAnswers.drawCases, PropertyAnswers.randomDraws),
    ]

    /// Runs suites. All suites together use up to 1 GiB of memory temporarily (for RFC 7914's last vector) and take
    /// some seconds.
    ///
    /// - Parameters:
    ///   - suites: the suites to run; by default those of `suites` and `properties`.
    ///   - report: called with each result.
    /// - Returns: the results in the order of the suites. The run has passed if every result has passed.
    package static func run(
        _ suites: [KnownAnswerSuite] = suites + properties, report: (KnownAnswerResult) -> Void = { _ in }
    ) -> [KnownAnswerResult] {
        suites.map { suite in
            let result = suite.run()
            report(result)
            return result
        }
    }
}
