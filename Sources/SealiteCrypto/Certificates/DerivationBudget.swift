internal import COpenSSL

/// The bounds on the work that a PEM or PKCS#12 file may cause before its passphrase is checked. The author of the file
/// chose the costs, and may have supplied the passphrase as well.
///
/// All encrypted parts of a file share one budget, since a file may have thousands of them: 20 million iterations
/// (``PBKDF2/defaultIterationLimit``, a few seconds; OpenSSL writes 2,048), and for scrypt the cost that a key slot of
/// a sealed file may have (``Scrypt/Cost/check(memoryLimit:)``; OpenSSL itself refuses scrypt with more than 32 MiB of
/// memory).
struct DerivationBudget {
    /// The object identifier of PBMAC1, RFC 8018 appendix A.7. Its parameters start like those of PBES2.
    static let pbmac1 = "1.2.840.113549.1.5.14"

    private var iterationCount = 0
    private var scryptWork = 0

    /// Subtracts the cost of deriving an encryption key, as `algorithm` and its parameters state it, from the budget.
    /// The cost is 0 for an algorithm that derives no key, and for unreadable parameters, with which OpenSSL derives no
    /// key either.
    ///
    /// - Throws: `unsupported` if the budget is exceeded, or the parameters state no positive number of iterations.
    mutating func spend(on algorithm: UnsafePointer<X509_ALGOR>?) throws(IdentityError) {
        guard let algorithm = unsafe algorithm else { return }
        switch unsafe OBJ_obj2nid(algorithm.pointee.algorithm) {
        case NID_pbes2: try unsafe spendOnScheme(algorithm)
        case NID_id_pbkdf2: try unsafe spendOnPBKDF2(algorithm)
        case NID_id_scrypt: try unsafe spendOnScrypt(algorithm)
        default:
            if unsafe Self.name(of: algorithm.pointee.algorithm) == Self.pbmac1 {
                try unsafe spendOnScheme(algorithm)
            } else {
                try unsafe spendOnOlderScheme(algorithm)
            }
        }
    }

    /// Subtracts a number of iterations, as stated by the file, from the budget.
    ///
    /// - Throws: `unsupported` if the budget is exceeded, or the number is missing, unreadable or not positive.
    mutating func spend(iterations number: UnsafePointer<ASN1_INTEGER>?) throws(IdentityError) {
        let count = unsafe Self.value(of: number)
        guard count > 0 else {
            throw IdentityError(
                .unsupported,
                "the PKCS#12 or PEM file states no valid number of iterations to derive a key from its passphrase")
        }
        guard count <= PBKDF2.defaultIterationLimit - iterationCount else {
            throw IdentityError(
                .unsupported,
                "the PKCS#12 or PEM file asks for more than \(PBKDF2.defaultIterationLimit) iterations in all"
                    + " to derive keys from its passphrase",
                hint: "if you trust it, \(PKCS12Reader.conversion)"
            )
        }
        iterationCount += count
    }

    /// Subtracts the cost of PBES2 or PBMAC1, whose parameters name a separate algorithm for the derivation of the key.
    private mutating func spendOnScheme(_ algorithm: UnsafePointer<X509_ALGOR>) throws(IdentityError) {
        guard let parameters = unsafe Self.parameters(of: algorithm, d2i_PBE2PARAM) else { return }
        defer { unsafe PBE2PARAM_free(parameters) }
        // A derivation that names another scheme is invalid; following such names might not terminate.
        guard let derivation = unsafe parameters.pointee.keyfunc,
            unsafe [NID_id_pbkdf2, NID_id_scrypt].contains(OBJ_obj2nid(derivation.pointee.algorithm))
        else { return }
        try unsafe spend(on: derivation)
    }

    private mutating func spendOnPBKDF2(_ algorithm: UnsafePointer<X509_ALGOR>) throws(IdentityError) {
        guard let parameters = unsafe Self.parameters(of: algorithm, d2i_PBKDF2PARAM) else { return }
        defer { unsafe PBKDF2PARAM_free(parameters) }
        try unsafe spend(iterations: parameters.pointee.iter)
    }

    /// Subtracts the cost of PBES1 or of a scheme of PKCS#12; both have the same form of parameters.
    private mutating func spendOnOlderScheme(_ algorithm: UnsafePointer<X509_ALGOR>) throws(IdentityError) {
        guard let parameters = unsafe Self.parameters(of: algorithm, d2i_PBEPARAM) else { return }
        defer { unsafe PBEPARAM_free(parameters) }
        try unsafe spend(iterations: parameters.pointee.iter)
    }

    private mutating func spendOnScrypt(_ algorithm: UnsafePointer<X509_ALGOR>) throws(IdentityError) {
        guard let parameters = unsafe Self.parameters(of: algorithm, d2i_SCRYPT_PARAMS) else { return }
        defer { unsafe SCRYPT_PARAMS_free(parameters) }
        let n = unsafe Self.value(of: parameters.pointee.costParameter)
        let cost = unsafe Scrypt.Cost(
            logN: n > 0 ? Int.bitWidth - 1 - n.leadingZeroBitCount : 0,
            r: Self.value(of: parameters.pointee.blockSize),
            p: Self.value(of: parameters.pointee.parallelizationParameter))
        do throws(CryptoError) {
            try cost.check()
        } catch {
            throw IdentityError(
                .unsupported,
                "the PKCS#12 or PEM file asks for too much work to derive a key from its passphrase: \(error.reason)")
        }
        scryptWork += cost.work ?? 0
        guard scryptWork <= Scrypt.workLimit else {
            throw IdentityError(
                .unsupported,
                "the PKCS#12 or PEM file asks for too much work to derive keys from its passphrase: scrypt's N * r * p,"
                    + " added up for all keys, is more than \(Scrypt.workLimit)")
        }
    }

    // MARK: - Reading

    /// Decodes the parameters of an algorithm, which the caller must free; nil if they aren't of the type `Parameters`.
    static func parameters<Parameters>(
        of algorithm: UnsafePointer<X509_ALGOR>,
        _ decode: (
            UnsafeMutablePointer<UnsafeMutablePointer<Parameters>?>?,
            UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int
        ) -> UnsafeMutablePointer<Parameters>?
    ) -> UnsafeMutablePointer<Parameters>? {
        var (kind, value): (CInt, UnsafeRawPointer?) = (0, nil)
        unsafe X509_ALGOR_get0(nil, &kind, &value, algorithm)
        guard kind == V_ASN1_SEQUENCE, let value = unsafe value else { return nil }
        let text = unsafe value.assumingMemoryBound(to: ASN1_STRING.self)
        var bytes = unsafe ASN1_STRING_get0_data(text)
        return unsafe decode(nil, &bytes, Int(ASN1_STRING_length(text)))
    }

    /// Returns an integer of the file; 0 if it is missing or out of the range of `Int64`, since no derivation accepts
    /// such a number.
    static func value(of number: UnsafePointer<ASN1_INTEGER>?) -> Int {
        var value: Int64 = 0
        guard let number = unsafe number, unsafe ASN1_INTEGER_get_int64(&value, number) == 1 else { return 0 }
        return Int(clamping: value)
    }

    /// Returns an object identifier in dotted decimal form.
    static func name(of object: OpaquePointer?) -> String {
        var text = [CChar](repeating: 0, count: 80)
        guard unsafe OBJ_obj2txt(&text, CInt(text.count), object, 1) > 0 else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension DerivationBudget {
    /// Subtracts the cost of opening an encrypted PKCS#8 private key from the budget.
    mutating func spend(onKey key: OpaquePointer?) throws(IdentityError) {
        guard let key = unsafe key else { return }
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_SIG_get0(key, &algorithm, nil)
        try unsafe spend(on: algorithm)
    }
}
