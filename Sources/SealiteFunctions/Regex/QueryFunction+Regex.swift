import CSQLite
import SealiteJSON

extension QueryFunction {
    /// The SQL functions for regular expressions, `query_regexp_contains` and others
    /// (Documentation/QueryFunctions-Dates.md, which specifies them together with those for dates).
    static let regularExpressions: [QueryFunction] = [
        .init("query_regexp_contains", 2) { call in
            try withFirstMatch(call) { $0.give($1 != nil) }
        },
        .init("query_regexp_position", 2) { call in
            try withFirstMatch(call) { $0.give(Int64($1?.lowerBound ?? -1)) }
        },
        .init("query_regexp_replace", 3...4, replace),
    ]
}

/// Calls `body` with the byte range, in the string that is the first argument, of the first match of the pattern that
/// is the second one; nil if there is none. Without such a call, the result is MISSING if an argument is MISSING, and
/// NULL if an argument is invalid or the search takes too long.
private func withFirstMatch(_ call: QueryCall, _ body: (QueryCall, Range<Int>?) -> Void) throws {
    guard !call.propagates(2) else { return }
    guard let text = call[0].text, let pattern = call.regularExpression(1) else {
        return call.giveNull()
    }
    try call.charge(bytes: text.count)
    defer { unsafe pattern.forget(text.payload) }
    var search = RegularExpression.Search(byteCount: text.count) { call.isInterrupted }
    switch unsafe pattern.next(&search, in: text.payload) {
    case .match: body(call, pattern.place(0))
    case .none: body(call, nil)
    case .failure:
        if call.isInterrupted { throw CallFailure.interrupted }
        call.giveNull()
    }
}

private func replace(_ call: QueryCall) throws {
    guard !call.propagates(4) else { return }
    guard let text = call[0].text, let pattern = call.regularExpression(1),
        let replacement = call[2].text,
        let limit = call.replacementLimit
    else { return call.giveNull() }
    try call.charge(bytes: text.count)
    defer { unsafe pattern.forget(text.payload) }
    var result = unsafe RegexReplacement(replacement.payload, maximumByteCount: call.maximumByteCount)
    switch unsafe result.replace(pattern, in: text.payload, limit, isCancelled: { call.isInterrupted }) {
    case .done: try call.give(text: result.release())
    case .failed:
        if call.isInterrupted { throw CallFailure.interrupted }
        call.giveNull()
    case .tooLarge: throw CallFailure.tooLarge
    }
}

extension QueryCall {
    /// The maximum number of matches to replace, from the optional fourth argument; nil if that isn't a number. Without
    /// the argument, and for a negative one, it is the greatest integer.
    fileprivate var replacementLimit: Int? {
        guard let value = optional(3) else { return .max }
        guard let number = value.number else { return nil }
        // A negative number means no limit.
        return number < 0 ? .max : Int(exactly: number.rounded(.towardZero)) ?? .max
    }

    /// Returns the argument with an index as a regular expression, compiled once for a statement; nil if it is invalid.
    fileprivate func regularExpression(_ index: Int) -> RegularExpression? {
        let cached: CachedExpression = cached(index) {
            guard let text = self[index].text else { return CachedExpression(nil) }
            return CachedExpression(unsafe RegularExpression(text.payload))
        }
        return cached.expression
    }
}

/// A compiled pattern, or nil for an invalid one.
private final class CachedExpression {
    let expression: RegularExpression?

    init(_ expression: RegularExpression?) { self.expression = expression }
}

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
