import SealiteTestSupport

@testable import SealiteQueryLanguage

extension RandomTrees {
    mutating func statement() -> Statement {
        switch random.below(6) {
        case 0: .update(update())
        case 1:
            .delete(
                Delete(
                    target: target(), condition: maybe(50) { $0.expression() }, limit: maybe(30) { $0.count() },
                    returning: maybe(50) { $0.projection() }))
        case 2: .insert(Insert(target: target(), content: content(), returning: maybe(50) { $0.projection() }))
        default: .query(query())
        }
    }

    mutating func query() -> QueryTree {
        inside { $0.isExhausted ? QueryTree(SelectTree(.columns([ResultColumn(.literal(.null))]))) : $0.anyQuery() }
    }

    private mutating func anyQuery() -> QueryTree {
        var query = QueryTree(operand())
        query.combinations = some(0...2) {
            Combination(
                op: $0.pick(Combination.Operator.allCases), isAll: $0.random.chance(50), operand: $0.operand())
        }
        query.commonTables = random.chance(20) ? some(1...2) { CommonTable(name: $0.name(), query: $0.query()) } : []
        query.isRecursive = !query.commonTables.isEmpty && random.chance(50)
        query.order = order()
        query.limit = maybe(30) { $0.count() }
        query.offset = maybe(30) { $0.count() }
        return query.simplified
    }

    private mutating func operand() -> QueryOperand { random.chance(20) ? .query(query()) : .select(select()) }

    private mutating func count() -> ExpressionTree { pick([.literal(.integer(10)), .parameter("n", .none)]) }

    private mutating func select() -> SelectTree {
        var select = SelectTree(projection(), from: maybe(80) { $0.from() }, isDistinct: random.chance(20))
        select.bindings = random.chance(20) ? some(1...2) { Binding(name: $0.name(), value: $0.expression()) } : []
        select.condition = maybe(50) { $0.expression() }
        select.groups = random.chance(30) ? expressions(1...2) : []
        if !select.groups.isEmpty { select.groupCondition = maybe(50) { $0.expression() } }
        return select
    }

    private mutating func projection() -> Projection {
        if random.chance(15) { return .value(ResultColumn(expression(), as: maybe(30) { $0.name() })) }
        return .columns(
            some(1...3) { trees in
                ResultColumn(
                    trees.random.chance(20) ? trees.star() : trees.expression(), as: trees.maybe(50) { $0.name() })
            })
    }

    private mutating func from() -> FromClause {
        FromClause(
            source(),
            some(0...2) { trees in
                switch trees.random.below(3) {
                case 0: .join(trees.pick(JoinClause.Kind.allCases), trees.source(), on: trees.expression())
                case 1: .cross(trees.source())
                default:
                    .unnest(
                        trees.path(), alias: trees.maybe(60) { $0.name() }, isLeft: trees.random.chance(30))
                }
            })
    }

    private mutating func source() -> Source {
        random.chance(20)
            ? .subquery(query(), alias: name()) : .collection(collection(), alias: maybe(50) { $0.name() })
    }

    private mutating func collection() -> CollectionName { CollectionName(scope: maybe(30) { $0.name() }, name()) }

    // MARK: Changes

    private mutating func target() -> ChangeTarget {
        ChangeTarget(collection: collection(), alias: maybe(30) { $0.name() })
    }

    private mutating func update() -> UpdateTree {
        var update = UpdateTree(
            target: target(),
            assignments: some(0...2) { .init(path: $0.path(hasSlices: false), value: $0.expression()) })
        update.removals = some(update.assignments.isEmpty ? 1...2 : 0...2) { $0.path(hasSlices: false) }
        update.condition = maybe(50) { $0.expression() }
        update.limit = maybe(30) { $0.count() }
        update.returning = maybe(50) { $0.projection() }
        return update
    }

    private mutating func content() -> Insert.Content {
        let hasKey = random.chance(50)
        func document(_ trees: inout RandomTrees) -> Insert.Document {
            Insert.Document(key: hasKey ? trees.expression() : nil, value: trees.expression())
        }
        return random.chance(50) ? .documents(some(1...3, document)) : .rows(document(&self), query())
    }
}
