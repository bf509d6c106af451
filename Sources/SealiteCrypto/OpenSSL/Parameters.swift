internal import COpenSSL

/// A list of named parameters for an OpenSSL call. It contains pointers to the added values, which must outlive the
/// call.
@unsafe
struct Parameters {
    private var list: [OSSL_PARAM] = unsafe []

    init() {}

    /// Adds bytes; adds nothing if the buffer is empty and has no address.
    mutating func add(_ name: StaticString, _ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        // OpenSSL only reads the bytes; its parameter type has no const.
        unsafe list.append(
            OSSL_PARAM_construct_octet_string(
                Self.key(name), UnsafeMutableRawPointer(mutating: start), bytes.count))
    }

    mutating func add(_ name: StaticString, _ text: StaticString) {
        unsafe list.append(
            OSSL_PARAM_construct_utf8_string(
                Self.key(name), UnsafeMutablePointer(mutating: Self.key(text)), text.utf8CodeUnitCount))
    }

    mutating func add(_ name: StaticString, _ number: UnsafeMutablePointer<UInt64>) {
        unsafe list.append(OSSL_PARAM_construct_uint64(Self.key(name), number))
    }

    mutating func add(_ name: StaticString, _ number: UnsafeMutablePointer<Int32>) {
        unsafe list.append(OSSL_PARAM_construct_int(Self.key(name), number))
    }

    /// Calls `body` with the parameters, followed by OpenSSL's end mark, and returns its result, which is never nil
    /// unless `body` returns nil.
    func withArray<R>(_ body: (UnsafePointer<OSSL_PARAM>) -> R) -> R? {
        let ended = unsafe list + [OSSL_PARAM_construct_end()]
        return unsafe ended.withUnsafeBufferPointer { unsafe $0.baseAddress.map { unsafe body($0) } }
    }

    private static func key(_ text: StaticString) -> UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
