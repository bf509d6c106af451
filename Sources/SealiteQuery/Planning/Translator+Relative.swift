internal import SealiteQueryLanguage

// Expressions over one source.
extension Translator {
    /// Returns an expression over a target's document in the form that the definitions of indexes have, without the
    /// source's alias; nil if it depends on anything else.
    func relative(_ expression: Tree.Expression, _ target: AccessTarget) -> Tree.Expression? {
        relative(expression, target.source, target.scope)
    }

    func relative(_ expression: Tree.Expression, _ source: QuerySource, _ scope: Scope) -> Tree.Expression? {
        struct Foreign: Error {}
        // In this form, variables have numbers instead of names, so that the name of a property can't be mistaken for a
        // variable.
        return try? expression.withNumberedVariables?.rewritten { part in
            switch part {
            case .parameter: throw Foreign()
            case .path(let path):
                guard path.root.utf8.first != 0 else { throw Foreign() }
                switch try self.reference(path, scope) {
                case .source(let found, let steps) where found === source && source.kind.isElements:
                    return .element(Array(steps))
                case .source(let found, let steps) where found === source:
                    guard case .name(let root)? = steps.first else { throw Foreign() }
                    return Tree.Expression.path(Tree.Path(root, Array(steps.dropFirst()))).canonical
                case .definition(let definition, let steps):
                    guard steps.isEmpty, let inner = relative(definition.expression, source, definition.scope)
                    else {
                        throw Foreign()
                    }
                    return inner
                default: throw Foreign()
                }
            case .property(.meta(let names, let position), _):
                guard try self.source(names, scope, at: position) === source, !source.kind.isElements,
                    case .property(_, let steps) = part
                else {
                    throw Foreign()
                }
                return Tree.Expression.property(.meta([], .none), steps).canonical
            default: return nil
            }
        }
    }

    /// Returns whether an expression's value is known before the documents of a target's source are searched.
    func isKnown(_ expression: Tree.Expression, _ target: AccessTarget, in scope: Scope? = nil) -> Bool {
        struct Unknown: Error {}
        let scope = scope ?? target.scope
        let rewritten = try? expression.rewritten { part -> Tree.Expression? in
            switch part {
            case .path(let path):
                switch try self.reference(path, scope) {
                case .source(let source, _):
                    let isSibling = target.scope.sources.contains { $0 === source }
                    guard !isSibling || target.known.contains(where: { $0 === source }) else { throw Unknown() }
                    return part
                case .definition(let definition, _):
                    guard self.isKnown(definition.expression, target, in: definition.scope) else { throw Unknown() }
                    return part
                case .sql: return part
                }
            case .property(.meta(let names, let position), _):
                let source = try self.source(names, scope, at: position)
                let isSibling = target.scope.sources.contains { $0 === source }
                guard !isSibling || target.known.contains(where: { $0 === source }) else { throw Unknown() }
                return part
            default: return nil
            }
        }
        return (rewritten ?? nil) != nil
    }
}
