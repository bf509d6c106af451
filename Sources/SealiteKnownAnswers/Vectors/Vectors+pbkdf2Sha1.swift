// swift-format-ignore-file: made by scripts/embed-vectors.py, which see for the format

extension Vectors {
    static let pbkdf2Sha1: StaticString = """
        source RFC 6070, from PyPI cryptography-vectors 50.0.2
        sha256 875e613e8d5697b8abaa127438506e5d4d44b24ecf82530bbebd85e7eb2a2c84
        # id expect passphrase salt iterations key
        case_1 success 70617373776f7264 73616c74 1 0c60c80f961f0e71f3a9b524af6012062fe037a6
        case_2 success 70617373776f7264 73616c74 2 ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957
        case_3 success 70617373776f7264 73616c74 4096 4b007901b765489abead49d926f721d065a429c1
        case_4 success 70617373776f7264 73616c74 16777216 eefe3d61cd4da4e4e9945b3d6ba2158c2634e984
        case_5 success 70617373776f726450415353574f524470617373776f7264 73616c7453414c5473616c7453414c5473616c7453414c5473616c7453414c5473616c74 4096 3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038
        case_6 success 7061737300776f7264 7361006c74 4096 56fa6aa75548099dcc37d7f03425e0c3
        """
}
