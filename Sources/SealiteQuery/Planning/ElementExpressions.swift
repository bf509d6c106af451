internal import SealiteQueryLanguage

// In an expression over an element, the first name of each path is empty, which distinguishes it from all other
// expressions.
extension Tree.Expression {
    /// The expression for a whole element of an array, as opposed to one of its members.
    static let element = Tree.Expression.element([])

    /// Returns the expression for the value to which steps lead from an element of an array.
    static func element(_ steps: [PathStep]) -> Tree.Expression { .path(Tree.Path("", steps)) }

    /// A Boolean value that says whether the expression, over an element of an array, depends on the element.
    var hasPath: Bool {
        var found = false
        _ = try? rewritten { part in
            guard case .path = part else { return nil }
            found = true
            return part
        }
        return found
    }

    /// The expression as one over an element of an array, in which each path leads from the element to one of its
    /// properties; nil if the expression can't be traversed.
    var ofElement: Tree.Expression? {
        let changed = try? rewritten { part in
            guard case .path(let path) = part else { return nil }
            return .element(path.allSteps)
        }
        return changed ?? nil
    }

    /// The expression in which paths name the element's properties, the reverse of `ofElement`; nil if the expression
    /// uses the whole element or an item of it, which have no name.
    var ofNamedElement: Tree.Expression? {
        struct Nameless: Error {}
        let changed = try? rewritten { part in
            guard case .path(let path) = part else { return nil }
            guard let named = Tree.Path(steps: path.steps) else { throw Nameless() }
            return .path(named)
        }
        return changed ?? nil
    }

    /// Returns the expression as one over the element of an array for which a variable stands; nil if the expression
    /// depends on anything else.
    func relative(toVariable variable: String) -> Tree.Expression? {
        struct Foreign: Error {}
        let changed = try? rewritten { part in
            switch part {
            case .path(let path) where path.root == variable: return .element(path.steps)
            case .path, .parameter, .meta: throw Foreign()
            default: return nil
            }
        }
        return changed ?? nil
    }
}

extension Tree.Path {
    /// All steps of the path: its first name, followed by the steps after it.
    var allSteps: [PathStep] {
        guard !steps.isEmpty else { return [.name(root)] }
        var all: [PathStep] = []
        all.reserveCapacity(steps.count + 1)
        all.append(.name(root))
        all.append(contentsOf: steps)
        return all
    }

    /// Creates a path from all its steps; nil if the first one isn't a name.
    init?(steps: [PathStep]) {
        guard case .name(let root)? = steps.first else { return nil }
        self.init(root, Array(steps.dropFirst()))
    }
}
