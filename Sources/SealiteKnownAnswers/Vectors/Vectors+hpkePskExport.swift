// swift-format-ignore-file: made by scripts/embed-vectors.py, which see for the format

extension Vectors {
    static let hpkePskExport: StaticString = """
        source RFC 9180 test vectors, mode 1 (PSK), KEM 0x0020 DHKEM(X25519, HKDF-SHA256), KDF 0x0001 HKDF-SHA256, AEAD 0x0002 AES-256-GCM, from PyPI cryptography-vectors 50.0.2
        sha256 61fc662f01996cd06d713dacf5e133167bd309a1f329442d53f1e21a47b3ede6
        = info 4f6465206f6e2061204772656369616e2055726e
        = privateKey d99132243a09c24a7497f3da8608f0ba808c21a575d33679f4b24603e96d27ad
        = publicKey 62a61ceb338540516edde460e27923a8df6749bc38e27b1001cd5b8b9102e44c
        = ephemeralKey e24413c8dc5760ffbedbfbfb48d087f85ae448b62575db480763d430636663af
        = encapsulatedKey 4f3e44d4dde1d0d12a724242df8cef0a68ea53617dab8a6aade4239d404a5154
        = preSharedKey 0247fd33b913760fa1fa51e1892d9f307fbe65eb171e8132c2af18555a738b82
        = preSharedKeyIdentifier 456e6e796e20447572696e206172616e204d6f726961
        # id expect context secret
        export_0 success - c2dccc00e2dda4c34a38e25a9ec1c0a43338b2d3c08ab7a870a978839d64af98
        export_1 success 00 b0eba64b7c69140740872216442aebbfbdbb3c5acfcd394d2272ae8b5694c1a9
        export_2 success 54657374436f6e74657874 83c8f8266bad56783567d44f9cd2a1c0070e1ea179d147e1424622037e7fb61c
        """
}
