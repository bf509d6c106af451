internal import Glibc
internal import SealiteCrypto
internal import Synchronization

/// An ObjectID: 12 bytes, of which the first four are the time of its creation in seconds since 1970, in big-endian
/// order.
public struct ObjectID: Sendable, Hashable {
    /// The number of bytes.
    public static let byteCount = 12

    /// The first 8 bytes as a big-endian number.
    let high: UInt64
    /// The last 4 bytes as a big-endian number.
    let low: UInt32

    init(high: UInt64, low: UInt32) { (self.high, self.low) = (high, low) }

    /// The time of creation in seconds since 1970, by the clock of the creating program.
    public var seconds: UInt32 { UInt32(truncatingIfNeeded: high >> 32) }
}

extension ObjectID: Comparable, LosslessStringConvertible {
    /// Creates a new ObjectID with the current time in seconds, five random bytes that distinguish this process from
    /// others, and a counter that makes it unique in this process.
    public init() {
        let process = ProcessTag.current
        let counter = objectIDCounter.wrappingAdd(1, ordering: .relaxed).newValue & 0xFF_FFFF
        // time(2) lags by up to a tick of the kernel, and so gives the previous second just after a new one has begun.
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        self.init(seconds: UInt32(truncatingIfNeeded: now.tv_sec), process: process, counter: counter)
    }

    /// Creates an ObjectID from its three parts: the time in seconds since 1970, the five bytes of the process, and the
    /// counter.
    init(seconds: UInt32, process: UInt64, counter: UInt32) {
        self.init(
            high: UInt64(seconds) << 32 | process >> 8 & 0xFFFF_FFFF,
            low: UInt32(truncatingIfNeeded: process & 0xFF) << 24 | counter & 0xFF_FFFF)
    }

    /// Creates the ObjectID of 24 hexadecimal digits in either case; nil for any other text.
    public init?(_ description: String) {
        guard description.utf8.count == Self.byteCount * 2, let high = UInt64(hexadecimal: description.utf8.prefix(16)),
            let low = UInt64(hexadecimal: description.utf8.suffix(8))
        else { return nil }
        self.init(high: high, low: UInt32(truncatingIfNeeded: low))
    }

    /// Creates the ObjectID of 12 bytes; nil for any other number of bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        let high = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let low = bytes.dropFirst(8).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        self.init(high: high, low: low)
    }

    /// The 12 bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        for shift in stride(from: UInt64(56), through: 0, by: -8) { bytes.append(UInt8(high >> shift & 0xFF)) }
        for shift in stride(from: UInt32(24), through: 0, by: -8) { bytes.append(UInt8(low >> shift & 0xFF)) }
        return bytes
    }

    /// The ObjectID as 24 lowercase hexadecimal digits.
    public var hex: String {
        unsafe String(unsafeUninitializedCapacity: Self.byteCount * 2) { digits in
            for index in 0..<16 {
                unsafe digits[index] = Hexadecimal.digit(UInt8(high >> UInt64(60 - index * 4) & 15))
            }
            for index in 0..<8 {
                unsafe digits[16 + index] = Hexadecimal.digit(UInt8(low >> UInt32(28 - index * 4) & 15))
            }
            return Self.byteCount * 2
        }
    }

    /// The 24 lowercase hexadecimal digits.
    public var description: String { hex }

    /// The time at which the ObjectID was created, in whole seconds.
    public var date: DateTime { DateTime(milliseconds: Int64(seconds) * 1000) }

    /// Returns whether the left ObjectID comes before the right one in the order of their bytes.
    public static func < (left: ObjectID, right: ObjectID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

/// The counter that is raised with each created ObjectID, and starts with a random number.
private let objectIDCounter = Atomic(UInt32.random(in: 0...0xFF_FFFF))

/// Five random bytes that distinguish processes; a forked child has its own.
private enum ProcessTag {
    /// The five random bytes in the upper 40 bits, and the fork generation in which they were drawn in the lower 24
    /// bits; 0 before they are drawn.
    private static let drawn = Atomic<UInt64>(0)

    /// The five random bytes of this process, as the lower 40 bits of a number; drawn at the first call and after a
    /// fork.
    static var current: UInt64 {
        let generation = UInt64(truncatingIfNeeded: ForkGeneration.current + 1) & 0xFF_FFFF
        let before = drawn.load(ordering: .acquiring)
        if before & 0xFF_FFFF == generation { return before >> 24 }
        let fresh = UInt64.random(in: 0...0xFF_FFFF_FFFF) << 24 | generation
        let exchange = drawn.compareExchange(expected: before, desired: fresh, ordering: .acquiringAndReleasing)
        return (exchange.exchanged ? fresh : exchange.original) >> 24
    }
}

extension UInt64 {
    /// Creates the number of at most 16 hexadecimal digits in either case; nil for any other text.
    fileprivate init?(hexadecimal digits: some Sequence<UInt8>) {
        self = 0
        for digit in digits {
            guard let value = Hexadecimal.value(digit) else { return nil }
            self = self << 4 | UInt64(value)
        }
    }
}
