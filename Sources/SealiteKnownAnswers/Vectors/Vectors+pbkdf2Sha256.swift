// swift-format-ignore-file: made by scripts/embed-vectors.py, which see for the format

extension Vectors {
    static let pbkdf2Sha256: StaticString = """
        source RFC 7914 section 11
        sha256 -
        # id expect passphrase salt iterations key
        c_1 success 706173737764 73616c74 1 55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783
        c_80000 success 50617373776f7264 4e61436c 80000 4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d
        """
}
