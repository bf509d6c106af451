import FoundationEssentials
import SealiteDatabase
import Testing

@testable import SealiteQuery

@Suite("the query builder")
struct BuilderTests {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        try test.save(
            json: """
                {"a": {"name": {"first": "Ann"}, "age": 30, "likes": ["tea", "go"], "boss": "b"},
                 "b": {"name": {"first": "Bob"}, "age": 40, "likes": []}, "c": {"age": 25, "name.first": "dotted"}}
                """)
    }

    private func rows(_ query: Query) throws -> [[QueryValue]] { try query.execute().map(\.values) }

    @Test("every kind of step makes the query that it says")
    func steps() throws {
        let people = DataSource.collection(try test.collection)
        let all = QueryBuilder.select(SelectResult.all()).from(people)
        #expect(try all.execute().columnNames == ["_default"] && rows(all).count == 3)
        let query = QueryBuilder.select(SelectResult.expression(Meta.id), SelectResult.property("name.first").as("who"))
            .from(people.as("p"))
            .where(Expression.property("age").greaterThanOrEqualTo(Expression.int(30)))
            .orderBy(Ordering.property("age").descending())
            .limit(Expression.int(5), offset: Expression.int(0))
        #expect(try query.execute().columnNames == ["id", "who"])
        #expect(try rows(query) == [[.text("b"), .text("Bob")], [.text("a"), .text("Ann")]])
        let joined = QueryBuilder.select(SelectResult.expression(Expression.property("name.first").from("boss")))
            .from(people.as("p"))
            .join(Join.join(people.as("boss")).on(Meta.id.from("boss").equalTo(Expression.property("boss").from("p"))))
        #expect(try rows(joined) == [[.text("Bob")]])
        let kept = QueryBuilder.select(
            SelectResult.expression(Meta.id.from("p")), SelectResult.expression(Meta.id.from("boss"))
        ).from(people.as("p"))
            .join(
                Join.rightJoin(people.as("boss")).on(
                    Meta.id.from("boss").equalTo(Expression.property("boss").from("p")))
            )
            .orderBy(Ordering.expression(Meta.id.from("boss")))
        #expect(try rows(kept) == [[.missing, .text("a")], [.text("a"), .text("b")], [.missing, .text("c")]])
        let grouped = QueryBuilder.selectDistinct(SelectResult.expression(Function.count()))
            .from(people).groupBy(Expression.property("age").greaterThan(Expression.int(28)))
            .having(Function.count().greaterThan(Expression.int(1)))
        #expect(try rows(grouped) == [[.integer(2)]])
    }

    @Test("expressions have the precedence in which they were made, and key paths their escapes")
    func expressions() throws {
        let age = Expression.property("age")
        let query = QueryBuilder.select(
            SelectResult.expression(age.add(Expression.int(1)).multiply(Expression.int(2))),
            SelectResult.expression(Expression.property("likes[0]")),
            SelectResult.expression(Expression.property("name\\.first"))
        ).from(DataSource.collection(try test.collection)).where(Expression.negated(age.equalTo(Expression.int(40))))
            .orderBy(Ordering.expression(age))
        #expect(
            try rows(query) == [
                [.integer(52), .missing, .text("dotted")], [.integer(62), .text("tea"), .missing],
            ])
        let any = QueryBuilder.select(SelectResult.expression(Meta.id)).from(DataSource.collection(try test.collection))
            .where(
                ArrayExpression.any(ArrayExpression.variable("l")).in(Expression.property("likes"))
                    .satisfies(ArrayExpression.variable("l").equalTo(Expression.string("go"))))
        #expect(try rows(any) == [[.text("a")]])
        let list = QueryBuilder.select(SelectResult.expression(Meta.id)).from(
            DataSource.collection(try test.collection)
        )
        .where(age.in([Expression.int(25), Expression.parameter("other")]))
        list.parameters = Parameters().setInt(40, forName: "other")
        #expect(try rows(list).count == 2)
        #expect(
            try rows(
                QueryBuilder.select(SelectResult.expression(Meta.id)).from(DataSource.collection(try test.collection))
                    .where(age.in([]))
            ).isEmpty)
    }

    @Test(
        "a malformed key path is an error",
        arguments: ["likes[x]", "likes[1", "likes[]", "likes[0]x", "[0]", "likes.[0]"])
    func malformedKeyPaths(keyPath: String) throws {
        let people = DataSource.collection(try test.collection)
        let error = #expect(throws: DatabaseError.self) {
            try QueryBuilder.select(SelectResult.property(keyPath)).from(people).execute()
        }
        #expect(error?.code == .invalidQuery && error?.reason.contains(keyPath) == true)
        #expect(throws: DatabaseError(.invalidQuery, "")) {
            try QueryBuilder.select(SelectResult.expression(Meta.id)).from(people).where(
                ArrayExpression.any(ArrayExpression.variable(keyPath)).in(Expression.property("likes"))
                    .satisfies(Expression.boolean(true))
            ).execute()
        }
        for index in [
            IndexBuilder.valueIndex(items: ValueIndexItem.property(keyPath)),
            IndexBuilder.fullTextIndex(items: FullTextIndexItem.property(keyPath)),
        ] as [Index] {
            let error = #expect(throws: DatabaseError.self) {
                try test.collection.createIndex(index, name: "likes")
            }
            #expect(error?.code == .invalidQuery && error?.reason.contains(keyPath) == true)
        }
    }

    @Test("the variable of a condition on the elements of an array is a name, and anything else an error")
    func variables() throws {
        for variable in [ArrayExpression.variable("a.b"), Expression.string("x")] as [ExpressionProtocol] {
            let error = #expect(throws: DatabaseError.self) {
                try QueryBuilder.select(SelectResult.expression(Meta.id))
                    .from(DataSource.collection(try test.collection))
                    .where(
                        ArrayExpression.any(variable).in(Expression.property("likes"))
                            .satisfies(Expression.boolean(true))
                    ).execute()
            }
            #expect(error?.code == .invalidQuery && error?.reason.contains("variable") == true)
        }
    }

    @Test("the collation of an operand is that of the comparison")
    func collatedOperands() throws {
        let name = Expression.property("name.first").collate(Collation.ascii().ignoreCase(true))
        let conditions = [
            name.equalTo(Expression.string("ANN")), Expression.string("ANN").equalTo(name),
            name.lessThan(Expression.string("ANO")), name.like(Expression.string("AN%")),
            name.in([Expression.string("ANN")]), name.between(Expression.string("AN"), and: Expression.string("AO")),
        ]
        for (number, condition) in conditions.enumerated() {
            let query = QueryBuilder.select(SelectResult.expression(Meta.id))
                .from(DataSource.collection(try test.collection)).where(condition)
            #expect(try rows(query) == [[.text("a")]], "\(number)")
        }
    }

    @Test("an expression that is nested too deeply is an error of the query, and a long chain isn't nested")
    func depth() throws {
        let people = DataSource.collection(try test.collection)
        var (deep, long): (ExpressionProtocol, ExpressionProtocol) = (Meta.id, Expression.boolean(false))
        for number in 0..<50_000 {
            deep = Expression.not(deep)
            if number < 500 { long = long.or(Expression.property("age").equalTo(Expression.int(number))) }
        }
        let error = #expect(throws: DatabaseError.self) {
            try QueryBuilder.select(SelectResult.expression(deep)).from(people).execute()
        }
        #expect(error?.code == .invalidQuery && error?.reason.contains("nested deeper") == true)
        #expect(try rows(QueryBuilder.select(SelectResult.expression(Meta.id)).from(people).where(long)).count == 3)
    }

    @Test("a query without a data source is an error")
    func noSource() {
        #expect(throws: DatabaseError(.invalidQuery, "")) { try QueryBuilder.select().execute() }
    }

    @Test("every function and operator of the builder is one that runs")
    func functions() throws {
        let x = Expression.property("age")
        let s = Expression.property("name.first")
        let functions: [ExpressionProtocol] = [
            Function.abs(x), Function.acos(x), Function.asin(x), Function.atan(x), Function.atan2(y: x, x: x),
            Function.ceil(x), Function.cos(x), Function.degrees(x), Function.e(), Function.exp(x), Function.floor(x),
            Function.ln(x), Function.log(x), Function.pi(), Function.power(base: x, exponent: x), Function.radians(x),
            Function.round(x), Function.round(x, digits: x), Function.sign(x), Function.sin(x), Function.sqrt(x),
            Function.tan(x), Function.trunc(x), Function.trunc(x, digits: x), Function.contains(s, substring: s),
            Function.length(s), Function.lower(s), Function.ltrim(s), Function.rtrim(s), Function.trim(s),
            Function.upper(s), Function.stringToMillis(s), Function.stringToUTC(s), Function.millisToString(x),
            Function.millisToUTC(x), Function.nowMillis(), Function.nowString(), Function.nvl(x, s),
            ArrayFunction.concat(x, x), ArrayFunction.reverse(x), ArrayFunction.position(x, value: x),
            ArrayFunction.union(x, x), ArrayFunction.intersect(x, x), ObjectFunction.put(x, name: s, value: x),
            ObjectFunction.remove(x, name: s), ObjectFunction.concat(x, x), ArrayFunction.contains(x, value: x),
            ArrayFunction.length(x), x.multiply(x),
            x.divide(x), x.modulo(x), x.subtract(x), x.lessThan(x), x.lessThanOrEqualTo(x), x.notEqualTo(x), s.like(s),
            s.regex(s), x.is(x), x.isNot(x), x.isValued(), x.isNotValued(), x.equalTo(x).and(x), x.or(x),
            x.between(x, and: x), s.equalTo(s).collate(Collation.ascii().ignoreCase(true)),
            s.equalTo(s).collate(Collation.unicode().ignoreCase(true).ignoreAccents(true).locale("sv")),
            Expression.all(), Expression.value("v"), Expression.float(1.5), Expression.double(2), Expression.int64(3),
            Expression.boolean(true), Expression.date(Date(timeIntervalSince1970: 0)), Expression.array([1, "b"]),
            Expression.dictionary(["k": 1]), Expression.number(Number(4)), Meta.revisionID, Meta.sequence,
            Meta.expiration,
        ]
        for function in functions {
            let query = QueryBuilder.select(SelectResult.expression(function))
                .from(DataSource.collection(try test.collection))
            #expect(try query.execute().allResults().count == 3, "\(function)")
        }
        for aggregate in [Function.avg(x), Function.min(x), Function.max(x), Function.sum(x), Function.count(x)] {
            let query = QueryBuilder.select(SelectResult.expression(aggregate))
                .from(DataSource.collection(try test.collection))
            #expect(try query.execute().allResults().count == 1)
        }
    }

    @Test("an index of items is used by the builder's queries")
    func index() throws {
        try test.collection.createIndex(
            IndexBuilder.valueIndex(
                items: ValueIndexItem.property("name.first"), .expression(Expression.property("age"))),
            name: "names")
        let query = QueryBuilder.select(SelectResult.expression(Meta.id)).from(
            DataSource.collection(try test.collection)
        )
        .where(Expression.property("name.first").equalTo(Expression.string("Ann")))
        let plan: QueryPlan = try query.explain()
        #expect(plan.steps.first?.index == "names" && !plan.hasScan)
        let text: String = try query.explain()
        #expect(text.contains("names"))
    }
}
