internal import SealiteValues

/// The stage `$group`, which combines the rows with the same key.
struct GroupStage: Stage {
    let key: ExpressionNode
    let members: AccumulatedMembers

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        .deferred {
            let groups = try groups(input, run)
            var place = 0
            return RowCursor {
                guard place < groups.count else { return nil }
                var document: MongoDocument = ["_id": groups[place].id]
                try members.append(groups[place].accumulators, to: &document)
                place += 1
                return Row(document)
            }
        }
    }

    /// Returns the groups in the order of their first rows.
    private func groups(_ input: RowCursor, _ run: PipelineRun) throws -> [FoundGroups.Group] {
        if let visitBodies = input.visitBodies, var groups = BodyGroups(self, run) {
            try visitBodies { try groups.add($0) }
            return try groups.finished()
        }
        var (input, groups) = (input, FoundGroups(members, run))
        while let row = try input.next() {
            groups.evaluation.row = row
            let place = try groups.place(of: try key.value(groups.evaluation) ?? .null)
            for (index, member) in members.members.enumerated() {
                try groups.add(try member.accumulator.input.value(groups.evaluation), times: 1, to: index, of: place)
            }
        }
        return groups.groups
    }
}
