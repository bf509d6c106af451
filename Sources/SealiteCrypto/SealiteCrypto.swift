// The cryptography of Sealite, and the only target that calls OpenSSL.
//
// The module implements no cryptographic primitive itself: each type is a narrow interface to OpenSSL 3's EVP
// functions that accepts one set of sizes, checks every return value and keeps keys in memory that is locked, excluded
// from core dumps and wiped.
//
// The main types:
// - `SecretBytes`: the memory of every key and passphrase;
// - `XAESCipher`: encrypts and decrypts the pages of a file (the hot path); `XAES256GCM` and `AESGCM`: single messages;
// - `HKDF`: derives keys from a key; `Scrypt`, `PBKDF2`: derive keys from a passphrase; `HPKE`: encapsulates a key for
//   the owner of a public key;
// - `SecureRandom`: random bytes; `ForkGeneration`: detects that the process was forked.
//
// In each folder, the file with a type's name is its interface; the calls to OpenSSL are in the file beside it whose name
// ends in `+OpenSSL`. `OpenSSL/` has what these share: the algorithms, which are fetched once, parameters, errors, and
// what a fork must find initialized.

// `SealiteError` is a part of every product's interface, and this is the lowest product.
@_exported public import SealiteBase
