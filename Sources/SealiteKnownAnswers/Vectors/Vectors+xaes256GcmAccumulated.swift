// swift-format-ignore-file: made by scripts/embed-vectors.py, which see for the format

extension Vectors {
    static let xaes256GcmAccumulated: StaticString = """
        source C2SP XAES-256-GCM.md, test vectors: keys, nonces, messages and associated data drawn from SHAKE-128, ciphertexts hashed with SHAKE-128
        sha256 -
        # id expect messages digest
        10,000_messages success 10000 e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939
        1,000,000_messages success 1000000 2163ae1445985a30b60585ee67daa55674df06901b890593e824b8a7c885ab15
        """
}
