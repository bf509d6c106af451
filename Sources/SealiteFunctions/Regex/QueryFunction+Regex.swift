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
