// The cryptography of Sealite, and the only target that calls OpenSSL.
//
// The module implements no cryptographic primitive itself: each type is a narrow interface to OpenSSL 3's EVP
// functions that accepts one set of sizes, checks every return value and keeps keys in memory that is locked, excluded
// from core dumps and wiped.
//
// Where to start:
// - `SecretBytes`: the memory of every key and passphrase;
// - `XAESCipher`: the cipher for the pages of a file (the hot path), `XAES256GCM` and `AESGCM` for single
//   messages;
// - `HKDF`, `Scrypt`, `PBKDF2`: keys from keys and from passphrases; `HPKE`: keys for a public key;
// - `SecureRandom` and `ForkGeneration`: random bytes, and the detection of a fork.
//
// In each folder, the file with a type's name is its interface; the calls to OpenSSL are in `OpenSSL/`.
