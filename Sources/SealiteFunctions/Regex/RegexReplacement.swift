import SealiteJSON

/// A replacement of the matches of a regular expression in a string.
///
/// In the replacement text `$&` stands for the match, `$1` to `$99` for a group of the pattern, and `$$` for a dollar
/// sign. Any other dollar sign is literal. A group that didn't take part in the match, or that the pattern doesn't
/// have, is replaced by the empty string.
struct RegexReplacement: ~Copyable {
    private let replacement: [UInt8]
    private let maximumByteCount: Int
    private var result = GrowingBytes()

    enum Outcome {
        case done
        case failed
        case tooLarge
    }

    init(_ replacement: UnsafeBufferPointer<UInt8>, maximumByteCount: Int) {
        self.replacement = unsafe Array(replacement)
        self.maximumByteCount = maximumByteCount
    }

    /// Replaces the first `limit` matches in a string. The result is `done` if that succeeded, `failed` if the search
    /// failed took too long or was cancelled, and `tooLarge` if the new string has more than the maximum number of bytes.
    mutating func replace(
        _ pattern: RegularExpression, in text: UnsafeBufferPointer<UInt8>, _ limit: Int,
        isCancelled: @escaping () -> Bool
    ) -> Outcome {
        var search = RegularExpression.Search(byteCount: text.count, isCancelled: isCancelled)
        var (copied, count) = (0, 0)
        while count < limit {
            let outcome = unsafe pattern.next(&search, in: text)
            if case .none = outcome { break }
            guard case .match = outcome, let match = pattern.place(0), match.lowerBound >= copied else {
                return .failed
            }
            result.append(unsafe text.span, copied, match.lowerBound)
            unsafe appendReplacement(pattern, in: text)
            copied = match.upperBound
            count += 1
            guard result.count <= maximumByteCount else { return .tooLarge }
        }
        result.append(unsafe text.span, copied, text.count)
        return result.count <= maximumByteCount ? .done : .tooLarge
    }

    /// Ends the replacement and returns the string in which matches were replaced.
    consuming func release() -> GrowingBytes { result }

    private mutating func appendReplacement(_ pattern: RegularExpression, in text: UnsafeBufferPointer<UInt8>) {
        var index = 0
        while index < replacement.count, result.count <= maximumByteCount {
            let byte = replacement[index]
            index += 1
            guard byte == 0x24, index < replacement.count else {
                result.append(byte)
                continue
            }
            let next = replacement[index]
            if next == 0x24 {
                result.append(next)
                index += 1
            } else if let group = group(&index, pattern) {
                if let place = pattern.place(group) {
                    result.append(unsafe text.span, place.lowerBound, place.upperBound)
                }
            } else {
                result.append(byte)
            }
        }
    }

    /// Returns the number of the group that stands after a dollar sign, and advances `index` past it: 0 for `&`, two
    /// digits if a group with that number exists, otherwise one digit; nil for anything else.
    private func group(_ index: inout Int, _ pattern: RegularExpression) -> Int? {
        if replacement[index] == 0x26 {
            index += 1
            return 0
        }
        guard let first = digit(index) else { return nil }
        if let second = digit(index + 1), (1..<pattern.groupCount).contains(first * 10 + second) {
            index += 2
            return first * 10 + second
        }
        guard first > 0 else { return nil }
        index += 1
        return first
    }

    private func digit(_ index: Int) -> Int? {
        guard index < replacement.count, case let byte = replacement[index], (0x30...0x39).contains(byte) else {
            return nil
        }
        return Int(byte - 0x30)
    }
}
