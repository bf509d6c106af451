import SealiteCrypto

/// The last 48 bytes of a sealed page or frame.
package enum PageTrailer {
    package static let byteCount = 48
    package static let tag = 24
    package static let epoch = 40
    static let pageOneSerial = 44
}
