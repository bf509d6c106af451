internal import SealiteJSON

/// A path to a value in the JSONB body of a document, evaluated without SQLite.
struct BodyPath: Sendable {
    private enum Step {
        case member([UInt8])
        case item(Int)
    }

    private let steps: [Step]

    init(_ steps: [KeyDefinition.PathStep]) {
        self.steps = steps.map { step in
            switch step {
            case .member(let name): .member(Array(name.utf8))
            case .item(let index): .item(index)
            }
        }
    }

    /// Returns the value at the end of the path; nil if there is none.
    func find(in body: borrowing Span<UInt8>) -> JSONBElement? {
        var found = JSONBElement(root: body)
        for step in steps {
            guard let container = found else { break }
            switch step {
            case .member(let name): found = container.member(name.span, in: body)
            case .item(let index): found = container.item(index, in: body)
            }
        }
        return found
    }

    /// Returns whether the values at the path have the same bytes in two bodies, or are missing in both.
    func hasSame(in left: [UInt8], _ right: [UInt8]) -> Bool {
        guard let first = find(in: left.span), let second = find(in: right.span) else {
            return find(in: left.span) == nil && find(in: right.span) == nil
        }
        return first.type == second.type && left[first.start..<first.end] == right[second.start..<second.end]
    }
}
