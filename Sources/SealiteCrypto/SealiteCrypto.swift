/// The cryptography of Sealite, and the only target that calls OpenSSL.
///
/// Nothing here is a primitive of our own: each type is a narrow door to OpenSSL 3's EVP interface that accepts one
/// set of sizes, checks every return value and keeps keys in memory that is locked, left out of core dumps and wiped.
///
/// Where to start:
/// - ``SecretBytes``: what every key and passphrase lives in;
/// - `XAESCipher`: what seals the pages of a file (the hot path), ``XAES256GCM`` and ``AESGCM`` for single messages;
/// - ``HKDF``, ``Scrypt``, ``PBKDF2``: keys from keys and from passphrases; ``HPKE``: keys for a public key;
/// - ``SecureRandom`` and ``ForkGeneration``: random bytes, and what a program has to know after fork.
///
/// In each folder the file named for a type is its interface; the calls to OpenSSL are in `OpenSSL/`.
public enum SealiteCrypto {}
