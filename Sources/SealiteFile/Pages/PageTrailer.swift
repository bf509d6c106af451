import SealiteCrypto

/// The layout of the trailer, the last 48 bytes of a sealed page, frame or unit: nonce, tag, epoch and page-one serial.
package enum PageTrailer {
    package static let byteCount = 48
    package static let tag = 24
    package static let epoch = 40
    static let pageOneSerial = 44
}
