// swift-format-ignore-file: made by scripts/embed-vectors.py, which see for the format

extension Vectors {
    static let hpkeExport: StaticString = """
        source RFC 9180 test vectors, mode 0 (base), KEM 0x0020 DHKEM(X25519, HKDF-SHA256), KDF 0x0001 HKDF-SHA256, AEAD 0x0002 AES-256-GCM, from PyPI cryptography-vectors 50.0.2
        sha256 61fc662f01996cd06d713dacf5e133167bd309a1f329442d53f1e21a47b3ede6
        = info 4f6465206f6e2061204772656369616e2055726e
        = privateKey 497b4502664cfea5d5af0b39934dac72242a74f8480451e1aee7d6a53320333d
        = publicKey 430f4b9859665145a6b1ba274024487bd66f03a2dd577d7753c68d7d7d00c00c
        = ephemeralKey 179d4b53b6365c45b600c4163b61d95cbc2f4d9e36f1695558dce265ab8bab11
        = encapsulatedKey 6c93e09869df3402d7bf231bf540fadd35cd56be14f97178f0954db94b7fc256
        # id expect context secret
        export_0 success - ded6cffafaea6b812cbf3e241e88332adbc077aca81512914213810ee291770a
        export_1 success 00 04d3cb6cc116b28ffd22ad5bc276c60d31fec71ceb87ae24db811c64b7507339
        export_2 success 54657374436f6e74657874 7c5ded445732c14fe09727d29b4251c0fd38455fe8440571e687f0886aac94d2
        """
}
