import CZlib

/// Encodes the sent frames of a connection with BLIP, the message layer of the replication protocol. It keeps the
/// direction's running checksum and deflate context.
///
/// The deflate context is one raw deflate stream (RFC 1951) for the life of a connection. zlib keeps a pointer to its
/// `z_stream`, so the `z_stream` is allocated at a fixed address, which is freed with the encoder.
@safe
package struct BLIPEncoder: ~Copyable {
    private var checksum = BLIPChecksum()
    private let stream: UnsafeMutablePointer<z_stream>
    private let isCompressing: Bool

    /// Creates the encoder for the sending direction of a connection. `compressionLevel` is that of zlib, 0 to 9;
    /// values outside of this range are clamped. At level 0 no frame is compressed, even if its flags contain
    /// `compressed`. With `isSmall` the deflate stream takes 96 KiB of memory instead of 384.
    ///
    /// - Throws: `codecUnavailable` if zlib cannot be set up.
    package init(compressionLevel: Int, isSmall: Bool = false) throws(BLIPError) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let level = CInt(min(max(compressionLevel, 0), 9))
        let (windowBits, memoryLevel): (CInt, CInt) = isSmall ? (14, 6) : (15, 9)
        let status = unsafe sealite_deflate_init_raw(stream, level, windowBits, memoryLevel)
        guard status == Z_OK else {
            unsafe stream.deallocate()
            throw BLIPError(
                .codecUnavailable, "zlib can't start the compression for a connection (zlib status \(status))")
        }
        unsafe self.stream = stream
        isCompressing = compressionLevel > 0
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Returns the bytes of the connection's next BLIP frame, and adds its payload to the running checksum. An empty
    /// payload is sent without the flag `compressed`.
    ///
    /// - Throws: `badCompression` if zlib fails.
    package mutating func frame(
        number: UInt64, flags: BLIPFlags, payload: ArraySlice<UInt8>
    ) throws(BLIPError) -> [UInt8] {
        var flags = flags
        if !isCompressing || payload.isEmpty { flags.remove(.compressed) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + BLIPVarint.byteCount(of: number) + 5)
        BLIPFrameHeader(number: number, flags: flags).append(to: &bytes)
        if flags.contains(.compressed) {
            try deflate(payload, appendingTo: &bytes)
        } else {
            bytes.append(contentsOf: payload)
        }
        checksum.add(payload)
        checksum.append(to: &bytes)
        return bytes
    }

    /// Returns the bytes of the frame by which this side acknowledges received bytes of a message: of the peer's
    /// request `number`, or of the peer's reply to this side's request `number`. The frame has no payload and no
    /// checksum, so the encoder's state doesn't change.
    package static func acknowledgement(number: UInt64, ofReply: Bool, receivedByteCount: UInt64) -> [UInt8] {
        assert(number > 0, "each side numbers its requests from 1")
        var bytes: [UInt8] = []
        let type: BLIPFrameType = ofReply ? .replyAcknowledgement : .requestAcknowledgement
        BLIPFrameHeader(number: number, flags: BLIPFlags(type, [.urgent, .noReply])).append(to: &bytes)
        BLIPVarint.append(receivedByteCount, to: &bytes)
        return bytes
    }

    // MARK: - Deflating

    /// Appends the deflated form of `input` to `output`, without the sync marker `00 00 ff ff`, which a reader adds
    /// again.
    ///
    /// `input` must not be empty: zlib would produce nothing but a marker, and the receiver's inflate stream would lose
    /// synchronization.
    ///
    /// - Throws: `badCompression` if zlib fails.
    private mutating func deflate(_ input: ArraySlice<UInt8>, appendingTo output: inout [UInt8]) throws(BLIPError) {
        precondition(!input.isEmpty, "an empty payload is never compressed")
        let start = output.count
        var rest = input
        var room = unsafe Int(deflateBound(stream, UInt(input.count))) + 16
        var status = Z_OK
        while status == Z_OK && room > 0 {
            let filled = output.count
            assert(rest.count <= input.count && filled >= start)
            output.append(contentsOf: [UInt8](repeating: 0, count: room))
            let (unread, unused) = run(rest, into: &output, from: filled, status: &status)
            rest = rest.suffix(unread)
            output.removeLast(unused)
            // The flush is complete if zlib leaves output space unused.
            room = unused == 0 ? 1_024 : 0
        }
        guard status == Z_OK || status == Z_BUF_ERROR, rest.isEmpty, output.count - start >= 4,
            output[(output.count - 4)...].elementsEqual([0, 0, 0xff, 0xff])
        else {
            throw BLIPError(
                .badCompression, "zlib can't compress \(input.count) bytes of a message to send (zlib status \(status))"
            )
        }
        output.removeLast(4)
    }

    private mutating func run(
        _ input: ArraySlice<UInt8>, into output: inout [UInt8], from filled: Int, status: inout CInt
    ) -> (unread: Int, unused: Int) {
        status = unsafe input.withUnsafeBytes { source in
            unsafe output.withUnsafeMutableBytes { target in
                // zlib's interface lacks `const`; it does not write to its input.
                let address = unsafe UnsafeMutableRawPointer(mutating: source.baseAddress)
                unsafe stream.pointee.next_in = address?.assumingMemoryBound(to: UInt8.self)
                unsafe stream.pointee.avail_in = UInt32(source.count)
                unsafe stream.pointee.next_out = target.baseAddress?.advanced(by: filled)
                    .assumingMemoryBound(to: UInt8.self)
                unsafe stream.pointee.avail_out = UInt32(target.count - filled)
                return unsafe CZlib.deflate(stream, Z_SYNC_FLUSH)
            }
        }
        return unsafe (Int(stream.pointee.avail_in), Int(stream.pointee.avail_out))
    }
}
