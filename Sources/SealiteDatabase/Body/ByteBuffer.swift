/// Bytes that grow at their end: what bodies and texts are written into.
///
/// An array would check on every append whether it is shared; this can't be, and writing JSON takes a third of the time.
/// Every access is within the bounds or stops the program.
@safe
struct ByteBuffer: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 64) {
        self.capacity = max(capacity, 16)
        unsafe base = .allocate(capacity: self.capacity)
    }

    deinit { unsafe base.deallocate() }

    /// Makes room for more bytes.
    @inline(__always)
    private mutating func reserve(_ additional: Int) {
        if capacity - count < additional { grow(additional) }
    }

    private mutating func grow(_ additional: Int) {
        let wanted = max(capacity * 2, count + additional)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
        unsafe larger.update(from: base, count: count)
        unsafe base.deallocate()
        unsafe base = larger
        capacity = wanted
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        unsafe base[count] = byte
        count += 1
    }

    /// Appends a range of an array.
    @inline(__always)
    mutating func append(_ bytes: [UInt8], _ start: Int, _ end: Int) {
        precondition(start >= 0 && start <= end && end <= bytes.count)
        reserve(end - start)
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let address = source.baseAddress else { return }
            unsafe (base + count).update(from: address + start, count: end - start)
        }
        count += end - start
    }

    mutating func append(_ bytes: [UInt8]) { append(bytes, 0, bytes.count) }

    mutating func append(_ bytes: borrowing Span<UInt8>) {
        reserve(bytes.count)
        for index in 0..<bytes.count { unsafe base[count + index] = bytes[index] }
        count += bytes.count
    }

    /// Appends ASCII text.
    mutating func append(_ text: StaticString) {
        for index in 0..<text.utf8CodeUnitCount { append(unsafe text.utf8Start[index]) }
    }

    subscript(index: Int) -> UInt8 {
        @inline(__always) get {
            precondition(index >= 0 && index < count)
            return unsafe base[index]
        }
        set {
            precondition(index >= 0 && index < count)
            unsafe base[index] = newValue
        }
    }

    /// Moves everything from `offset` on by a number of bytes, forward or back; what a move forward opens is undefined.
    mutating func move(from offset: Int, by distance: Int) {
        precondition(offset >= 0 && offset <= count && offset + distance >= 0)
        reserve(max(distance, 0))
        unsafe (base + offset + distance).update(from: base + offset, count: count - offset)
        count += distance
    }

    mutating func removeAll() { count = 0 }

    /// Lends the bytes.
    borrowing func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// The bytes as an array.
    var array: [UInt8] { unsafe Array(UnsafeBufferPointer(start: base, count: count)) }

    /// The bytes as text.
    var string: String { unsafe String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self) }
}
