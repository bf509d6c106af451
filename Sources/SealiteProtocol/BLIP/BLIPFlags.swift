/// The byte of a BLIP frame that has its kind and its flags. Unknown bits are preserved and ignored.
package struct BLIPFlags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// This BLIP frame's payload is deflated.
    package static let compressed = BLIPFlags(rawValue: 0x08)
    /// The message is sent before messages that aren't urgent.
    package static let urgent = BLIPFlags(rawValue: 0x10)
    /// The request expects neither a reply nor an error.
    package static let noReply = BLIPFlags(rawValue: 0x20)
    /// More BLIP frames of this message follow.
    package static let moreComing = BLIPFlags(rawValue: 0x40)

    static let typeMask: UInt8 = 0x07

    init(_ type: BLIPFrameType, _ flags: BLIPFlags = []) {
        rawValue = (flags.rawValue & ~Self.typeMask) | type.rawValue
    }

    /// The kind of the BLIP frame; nil for the undefined kinds 3, 6 and 7.
    package var type: BLIPFrameType? { BLIPFrameType(rawValue: rawValue & Self.typeMask) }
}
