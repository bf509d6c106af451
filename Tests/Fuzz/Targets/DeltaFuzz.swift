@testable import SealiteJSON

/// Deltas of a peer, applied to a body, and the deltas between two bodies.
///
/// Two bytes, little-endian, are the size of a body as JSON text, which follows; the rest is a delta, and as a second body what
/// the first one is compared with.
final class DeltaFuzz: FuzzTarget {
    init() throws {}

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard input.count >= 2 else { return }
        let size = min(Int(input[0]) | Int(input[1]) << 8, input.count - 2)
        let text = Array(input[2..<(2 + size)])
        let rest = Array(input[(2 + size)...])
        // What isn't JSON is taken as JSONB, as a damaged file would have it.
        guard let body = try? JSONB.parse(text) else {
            _ = try? JSONDelta.apply(rest, to: text.span, limit: 1 << 20)
            _ = try? JSONDelta.make(from: text.span, to: rest.span, limit: 1 << 20)
            return
        }
        if let new = try? JSONDelta.apply(rest, to: body.span, limit: 1 << 20) {
            try BrokenProperty.unless(JSONBValidator.isValid(new), "a delta makes an invalid body")
            try BrokenProperty.unless(
                new.count <= body.count + rest.count + 8, "a delta makes a body that is larger than both together")
            try checkRound(body, new)
        }
        if let other = try? JSONB.parse(rest) { try checkRound(body, other) }
    }

    /// The delta from one body to another gives the other one.
    private func checkRound(_ old: [UInt8], _ new: [UInt8]) throws(BrokenProperty) {
        guard let delta = try? JSONDelta.make(from: old.span, to: new.span, limit: 1 << 30) else {
            throw BrokenProperty("two bodies have no delta")
        }
        guard let made = try? JSONDelta.apply(delta, to: old.span, limit: 1 << 30) else {
            // A delta has one level more than what it replaces.
            try BrokenProperty.unless(
                (try? JSONB.parse(delta, requiresObject: false)) == nil, "a delta that was made doesn't fit")
            return
        }
        let (wanted, got) = (
            try? JSONBSerializer.text(of: new.span, order: .canonical),
            try? JSONBSerializer.text(of: made.span, order: .canonical)
        )
        try BrokenProperty.unless(wanted != nil && wanted == got, "a delta makes another body")
    }

    /// First inputs: each form of a change, and two bodies that differ in all ways.
    static func seeds() throws -> [[UInt8]] {
        let long = String(repeating: "The fog comes on little cat feet. ", count: 4)
        let body = #"{"a":1,"l":[1,{"b":2},3],"o":{"p":{"q":null}},"t":"\#(long)"}"#
        let others = [
            #"{"a":2,"l":{"0":7,"1":{"b":3},"3-":[4]},"o":{"p":[]},"new":[{"x":[1]}]}"#,
            #"{"a":[1,5],"l":[[]],"o":[{},0,0],"t":["4=1-1+d|131=",0,2]}"#,
            #"{"l":{"1-":[]},"t":["1=",0,2]}"#, "{}", #"[{"z":1.50}]"#,
            #"{"t":"\#(long.replacing(scalar: "f", with: "é"))","l":[{"b":2},3],"o":{"p":{"r":true}}}"#,
        ]
        let size = body.utf8.count
        return others.map { [UInt8(size & 255), UInt8(size >> 8)] + Array((body + $0).utf8) }
    }
}
