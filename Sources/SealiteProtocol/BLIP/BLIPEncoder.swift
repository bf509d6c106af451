import CZlib

/// Encodes the sent frames of a connection with BLIP, the message layer of the replication protocol. It keeps the
/// direction's running checksum and deflate context.
///
/// The deflate context is one raw deflate stream (RFC 1951) for the life of a connection, set up for the first compressed
/// frame: a side that only receives documents never needs it. zlib keeps a pointer to its `z_stream`, so the `z_stream`
/// is allocated at a fixed address, which is freed with the encoder.
@safe
package struct BLIPEncoder: ~Copyable {
    private var checksum = BLIPChecksum()
    private var stream: UnsafeMutablePointer<z_stream>?
    private let level: CInt
    private let isSmall: Bool

    /// Creates the encoder for the sending direction of a connection. `compressionLevel` is that of zlib, 0 to 9;
    /// values outside of this range are clamped. At level 0 no frame is compressed, even if its flags contain
    /// `compressed`. With `isSmall` the deflate stream takes 96 KiB of memory instead of 384.
    package init(compressionLevel: Int, isSmall: Bool = false) {
        level = CInt(min(max(compressionLevel, 0), 9))
        self.isSmall = isSmall
    }

    deinit {
        guard let stream = unsafe stream else { return }
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Returns the bytes of the connection's next BLIP frame, and adds its payload to the running checksum. An empty
    /// payload is sent without the flag `compressed`.
    ///
    /// - Throws: `badCompression` if zlib fails, `codecUnavailable` if it can't be set up.
    package mutating func frame(
        number: UInt64, flags: BLIPFlags, payload: ArraySlice<UInt8>
    ) throws(BLIPError) -> [UInt8] {
        var flags = flags
        if level == 0 || payload.isEmpty { flags.remove(.compressed) }
        let header = BLIPFrameHeader(number: number, flags: flags)
        var bytes: [UInt8] = []
        if flags.contains(.compressed) {
            try deflate(payload, after: header, into: &bytes)
        } else {
            bytes.reserveCapacity(header.byteCount + payload.count + 4)
            header.append(to: &bytes)
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

    /// Appends `header` and the deflated form of `input` to `bytes`, without the sync marker `00 00 ff ff`, which a reader
    /// adds again. As frames wait to be sent, `bytes` takes no more memory than the frame and its checksum need.
    ///
    /// `input` must not be empty: zlib would produce nothing but a marker, and the receiver's inflate stream would lose
    /// synchronization.
    ///
    /// - Throws: `badCompression` if zlib fails, `codecUnavailable` if it can't be set up.
    private mutating func deflate(
        _ input: ArraySlice<UInt8>, after header: BLIPFrameHeader, into bytes: inout [UInt8]
    ) throws(BLIPError) {
        precondition(!input.isEmpty && bytes.isEmpty, "an empty payload is never compressed")
        let stream = try unsafe begun()
        let room = unsafe Int(deflateBound(stream, UInt(input.count))) + 16
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
        defer { unsafe scratch.deallocate() }
        var rest = input
        var status = Z_OK
        var start = 0
        // The flush is complete if zlib leaves output space unused.
        var isComplete = false
        while status == Z_OK, !isComplete {
            status = unsafe Self.run(stream, rest, into: scratch)
            rest = unsafe rest.suffix(Int(stream.pointee.avail_in))
            let count = unsafe room - Int(stream.pointee.avail_out)
            isComplete = count < room
            if bytes.isEmpty {
                bytes.reserveCapacity(header.byteCount + count + 4)
                header.append(to: &bytes)
                start = bytes.count
            }
            unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: scratch[..<count]))
        }
        guard status == Z_OK || status == Z_BUF_ERROR, rest.isEmpty, bytes.count - start >= 4,
            bytes[(bytes.count - 4)...].elementsEqual([0, 0, 0xff, 0xff])
        else {
            throw BLIPError(
                .badCompression, "zlib can't compress \(input.count) bytes of a message to send (zlib status \(status))"
            )
        }
        bytes.removeLast(4)
    }

    private mutating func begun() throws(BLIPError) -> UnsafeMutablePointer<z_stream> {
        if let stream = unsafe stream { return unsafe stream }
        let new = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe new.initialize(to: z_stream())
        let (windowBits, memoryLevel): (CInt, CInt) = isSmall ? (14, 6) : (15, 9)
        let status = unsafe sealite_deflate_init_raw(new, level, windowBits, memoryLevel)
        guard status == Z_OK else {
            unsafe new.deallocate()
            throw BLIPError(
                .codecUnavailable, "zlib can't start the compression for a connection (zlib status \(status))")
        }
        unsafe stream = new
        return unsafe new
    }

    /// Returns zlib's status, and leaves the numbers of unread and of unused bytes in `stream`.
    private static func run(
        _ stream: UnsafeMutablePointer<z_stream>, _ input: ArraySlice<UInt8>, into target: UnsafeMutableRawBufferPointer
    ) -> CInt {
        unsafe input.withUnsafeBytes { source in
            // zlib's interface lacks `const`; it does not write to its input.
            let address = unsafe UnsafeMutableRawPointer(mutating: source.baseAddress)
            unsafe stream.pointee.next_in = address?.assumingMemoryBound(to: UInt8.self)
            unsafe stream.pointee.avail_in = UInt32(source.count)
            unsafe stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe stream.pointee.avail_out = UInt32(target.count)
            return unsafe CZlib.deflate(stream, Z_SYNC_FLUSH)
        }
    }
}
