internal import COpenSSL

/// The library contexts of OpenSSL in which a PKCS#12 file's parts are decrypted: the default one, and one for obsolete
/// algorithms (RC2, RC4, DES), which Windows, macOS and older programs write.
///
/// OpenSSL has those algorithms in its legacy provider, which is loaded for this reading only, into a context of its own:
/// nothing else in the process can use them. It isn't loaded in FIPS mode.
@safe
final class DecryptionContexts {
    private var legacy: LegacyContext?
    private var hasTried = false

    /// Returns the context that offers the cipher of an encryption with a passphrase; nil for the default one.
    ///
    /// - Throws: `unsupported` if none does.
    func context(for algorithm: UnsafePointer<X509_ALGOR>) throws(IdentityError) -> OpaquePointer? {
        // OpenSSL itself refuses an encryption that it doesn't know.
        guard let cipher = unsafe Self.cipher(of: algorithm), let name = unsafe OBJ_nid2sn(cipher) else {
            throw Self.unsupported(unsafe DerivationBudget.name(of: algorithm.pointee.algorithm), hint: nil)
        }
        if unsafe Self.offers(name, in: nil) { return nil }
        if !hasTried {
            hasTried = true
            if EVP_default_properties_is_fips_enabled(nil) == 0 { legacy = LegacyContext() }
        }
        if let context = unsafe legacy?.pointer, unsafe Self.offers(name, in: context) { return unsafe context }
        throw unsafe Self.unsupported(
            String(cString: name),
            hint: EVP_default_properties_is_fips_enabled(nil) == 0
                ? "install OpenSSL's legacy provider (Debian 13: openssl-provider-legacy), or, where it is installed,"
                    + " \(PKCS12Reader.conversion)"
                : "OpenSSL is in FIPS mode: on another machine, \(PKCS12Reader.conversion)")
    }

    private static func unsupported(_ name: String, hint: String?) -> IdentityError {
        IdentityError(
            .unsupported, "the PKCS#12 file is encrypted with \(name), which this OpenSSL doesn't offer",
            hint: hint ?? "export the identity again, with AES-256")
    }

    private static func offers(_ name: UnsafePointer<CChar>, in context: OpaquePointer?) -> Bool {
        guard let cipher = unsafe EVP_CIPHER_fetch(context, name, nil) else { return false }
        unsafe EVP_CIPHER_free(cipher)
        return true
    }

    /// Returns OpenSSL's number of the cipher of PBES2, PBES1 or a scheme of PKCS#12; nil for an unknown one.
    private static func cipher(of algorithm: UnsafePointer<X509_ALGOR>) -> CInt? {
        let scheme = unsafe OBJ_obj2nid(algorithm.pointee.algorithm)
        var cipher: CInt = NID_undef
        if scheme == NID_pbes2 {
            guard let parameters = unsafe DerivationBudget.parameters(of: algorithm, d2i_PBE2PARAM) else { return nil }
            defer { unsafe PBE2PARAM_free(parameters) }
            cipher = unsafe OBJ_obj2nid(parameters.pointee.encryption?.pointee.algorithm)
        } else {
            guard unsafe EVP_PBE_find(EVP_PBE_TYPE_OUTER, scheme, &cipher, nil, nil) == 1 else { return nil }
        }
        return cipher > NID_undef ? cipher : nil
    }
}

/// A library context with OpenSSL's default and legacy providers.
@safe
private final class LegacyContext {
    let pointer: OpaquePointer
    private let standard: OpaquePointer
    private let legacy: OpaquePointer

    /// Fails if the legacy provider isn't installed.
    init?() {
        guard let context = unsafe OSSL_LIB_CTX_new() else { return nil }
        let standard = unsafe OSSL_PROVIDER_load(context, "default")
        let legacy = unsafe OSSL_PROVIDER_load(context, "legacy")
        ERR_clear_error()
        guard let standard = unsafe standard, let legacy = unsafe legacy else {
            unsafe Self.free(context, standard, legacy)
            return nil
        }
        unsafe pointer = context
        unsafe self.standard = standard
        unsafe self.legacy = legacy
    }

    deinit { unsafe Self.free(pointer, standard, legacy) }

    private static func free(_ context: OpaquePointer, _ standard: OpaquePointer?, _ legacy: OpaquePointer?) {
        if let legacy = unsafe legacy { _ = unsafe OSSL_PROVIDER_unload(legacy) }
        if let standard = unsafe standard { _ = unsafe OSSL_PROVIDER_unload(standard) }
        unsafe OSSL_LIB_CTX_free(context)
    }
}
