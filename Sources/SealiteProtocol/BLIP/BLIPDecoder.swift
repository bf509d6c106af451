import CZlib

/// Decodes the received frames of a connection with BLIP, the message layer of the replication protocol. It keeps the
/// direction's running checksum and inflate context.
///
/// The inflate context is one raw deflate stream (RFC 1951) for the life of a connection.
@safe
package struct BLIPDecoder: ~Copyable {
    private var checksum = BLIPChecksum()
    private let stream: UnsafeMutablePointer<z_stream>
    private let frameLimit: Int
    private let inflatedLimit: Int

    /// The content of one BLIP frame.
    package enum Content: Sendable, Hashable {
        /// A part of a message's payload, inflated, and the number of its bytes as received, with the checksum, which
        /// flow control counts.
        case payload([UInt8], wireByteCount: UInt64)
        /// An acknowledgement: the number of bytes of a message that the peer has received so far.
        case acknowledged(UInt64)
    }

    /// Creates the decoder for the receiving direction of a connection.
    ///
    /// - Throws: `codecUnavailable` if zlib cannot be set up.
    package init(limits: BLIPLimits) throws(BLIPError) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let status = unsafe sealite_inflate_init_raw(stream)
        guard status == Z_OK else {
            unsafe stream.deallocate()
            throw BLIPError(
                .codecUnavailable, "zlib can't start the decompression for a connection (zlib status \(status))")
        }
        unsafe self.stream = stream
        frameLimit = limits.frameByteCount
        inflatedLimit = limits.inflatedFrameByteCount
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Decodes one BLIP frame. After an error the direction's state is lost and the connection must close.
    ///
    /// BLIP frames of undefined kinds are decoded too, so that checksum and inflate context correspond to the sender's.
    ///
    /// - Throws: `frameTooLarge`, `truncatedFrame`, `badVarint`, `badCompression`, `inflatedTooLarge`, `badChecksum`.
    package mutating func decode(
        _ frame: ArraySlice<UInt8>
    ) throws(BLIPError) -> (header: BLIPFrameHeader, content: Content) {
        guard frame.count <= frameLimit else {
            throw BLIPError(.frameTooLarge, "a BLIP frame has \(frame.count) bytes; the limit is \(frameLimit)")
        }
        var (header, index) = try BLIPFrameHeader.parse(frame)
        if header.flags.type?.isAcknowledgement == true {
            return (header, .acknowledged(try BLIPVarint.read(frame, at: &index)))
        }
        let wire = frame[index...]
        guard wire.count >= 4 else {
            throw BLIPError(.truncatedFrame, "a BLIP frame of \(frame.count) bytes has no room for its checksum")
        }
        let coded = wire.dropLast(4)
        let payload =
            header.flags.contains(.compressed)
            ? try inflate(coded, limit: inflatedLimit) : Array(coded)
        checksum.add(payload[...])
        guard checksum.value == BLIPChecksum.read(wire.suffix(4)) else {
            throw BLIPError(
                .badChecksum, "the checksum of a BLIP frame of message \(header.number) doesn't match the received data"
            )
        }
        return (header, .payload(payload, wireByteCount: UInt64(wire.count)))
    }

    // MARK: - Inflating

    /// Inflates one BLIP frame's payload, after restoring the sync marker that its sender removed.
    ///
    /// An empty payload isn't passed to the inflate stream, which would read the sync marker alone as a stored block.
    ///
    /// - Throws: `badCompression` for invalid data or the end of the stream, `inflatedTooLarge` beyond `limit` bytes.
    mutating func inflate(_ payload: ArraySlice<UInt8>, limit: Int) throws(BLIPError) -> [UInt8] {
        guard !payload.isEmpty else { return [] }
        assert(limit > 0)
        // Documents mostly inflate to less than eight times their size, and then the result is allocated once.
        let room = min(max(payload.count * 8, 1 << 10), 32 << 10)
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
        defer { unsafe scratch.deallocate() }
        var output: [UInt8] = []
        var filled = 0
        try unsafe feed(payload, through: scratch, &filled, into: &output, limit: limit)
        try unsafe feed([0, 0, 0xff, 0xff], through: scratch, &filled, into: &output, limit: limit)
        unsafe output.append(contentsOf: UnsafeRawBufferPointer(rebasing: scratch[..<filled]))
        return output
    }

    /// Inflates `input` into `scratch` from `filled` on; whenever that is full, its bytes are moved to `output`.
    private mutating func feed(
        _ input: ArraySlice<UInt8>, through scratch: UnsafeMutableRawBufferPointer, _ filled: inout Int,
        into output: inout [UInt8], limit: Int
    ) throws(BLIPError) {
        var rest = input
        while true {
            let target = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[filled...])
            let (status, unread, produced) = unsafe step(rest, target)
            filled += produced
            guard output.count + filled <= limit else {
                throw BLIPError(.inflatedTooLarge, "a BLIP frame inflates to more than \(limit) bytes")
            }
            guard status == Z_OK || status == Z_BUF_ERROR else {
                throw BLIPError(.badCompression, "a BLIP frame's deflate data is invalid (zlib status \(status))")
            }
            rest = rest.suffix(unread)
            if filled == scratch.count {
                unsafe output.append(contentsOf: scratch)
                filled = 0
                continue
            }
            guard rest.isEmpty else {
                throw BLIPError(.badCompression, "zlib left \(unread) bytes of a BLIP frame unread")
            }
            return
        }
    }

    private mutating func step(
        _ input: ArraySlice<UInt8>, _ target: UnsafeMutableRawBufferPointer
    ) -> (status: CInt, unread: Int, produced: Int) {
        let status: CInt = unsafe input.withUnsafeBytes { source in
            let address = unsafe UnsafeMutableRawPointer(mutating: source.baseAddress)
            unsafe stream.pointee.next_in = address?.assumingMemoryBound(to: UInt8.self)
            unsafe stream.pointee.avail_in = UInt32(source.count)
            unsafe stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe stream.pointee.avail_out = UInt32(target.count)
            return unsafe CZlib.inflate(stream, Z_SYNC_FLUSH)
        }
        let unread = unsafe Int(stream.pointee.avail_in)
        let produced = unsafe target.count - Int(stream.pointee.avail_out)
        assert(unread <= input.count && produced <= target.count, "zlib stays in its buffers")
        return (status, unread, produced)
    }
}
