// swift-format-ignore-file: made by scripts/embed-vectors.py, which see for the format

extension Vectors {
    static let scrypt: StaticString = """
        source RFC 7914 section 12, from PyPI cryptography-vectors 50.0.2
        sha256 75ffbeeb91abcc3824160a8d833eee374a6790690a4452b6979ce9282a1ab649
        # id expect passphrase salt logN r p key
        N_16 success - - 4 1 1 77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906
        N_1024 success 70617373776f7264 4e61436c 10 8 16 fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
        N_16384 success 706c656173656c65746d65696e 536f6469756d43686c6f72696465 14 8 1 7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887
        N_1048576 success 706c656173656c65746d65696e 536f6469756d43686c6f72696465 20 8 1 2101cb9b6a511aaeaddbbe09cf70f881ec568d574a2ffd4dabe5ee9820adaa478e56fd8f4ba5d09ffa1c6d927c40f4c337304049e8a952fbcbf45c6fa77a41a4
        """
}
