"""The differences between mongomock and Sealite whose reason is known: in all of them mongomock differs from MongoDB.

Each is a predicate over a request and the document that shows the difference; what none of them takes is a failure of
compare-mongomock.py.
"""

import json

BEYOND = object()
MISSING = object()


def at(document, path):
    """Returns the value at a path through objects, MISSING, or BEYOND where it leads through an array or a scalar."""
    value = document
    for name in path.split("."):
        if not isinstance(value, dict):
            return BEYOND
        if name not in value:
            return MISSING
        value = value[name]
    return value


def contains(value, types):
    if isinstance(value, dict):
        return any(contains(item, types) for item in value.values()) or dict in types
    if isinstance(value, list):
        return any(contains(item, types) for item in value) or list in types
    return type(value) in types


def crosses_array(document, path):
    names = path.split(".")
    return any(isinstance(at(document, ".".join(names[:end])), list) for end in range(1, len(names)))


def condition(case):
    """Returns the path and the operators of a filter with one condition."""
    if case.kind.startswith("filter") and len(case.request) == 1 and case.document:
        path, operators = next(iter(case.request.items()))
        if not path.startswith("$"):
            return path, operators if isinstance(operators, dict) else {"$eq": operators}
    return None, {}


def size_of_other(case):
    path, operators = condition(case)
    return path and "$size" in json.dumps(operators, default=str) and not isinstance(at(case.document, path), list)


def has(value, test):
    if isinstance(value, dict):
        return any(has(item, test) for item in value.values())
    if isinstance(value, list):
        return any(has(item, test) for item in value)
    return test(value)


def is_boolean(value):
    return isinstance(value, bool)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def booleans(case):
    if not case.document:
        return False
    arguments = case.request if isinstance(case.request, list) else [case.request]
    if case.kind.startswith("update"):
        names = [update_target(case)]
    elif isinstance(case.request, dict):
        names = list(case.request)
    else:
        arguments, names = [case.request, case.document], list(case.document)
    met = [case.document.get(name.split(".")[0]) for name in names]
    return (has(arguments, is_boolean) and has(met, is_number)) or (has(arguments, is_number) and has(met, is_boolean))


def negative_beyond(case):
    path, operators = condition(case)
    negative = {"$not", "$nin", "$ne"} & set(operators) or contains(operators, {type(None)}) or operators.get("$exists") is False
    return path and at(case.document, path) is BEYOND and negative


def arrays_in_arrays(case):
    path, operators = condition(case)
    value = path and at(case.document, path)
    return contains(operators, {list}) and isinstance(value, list)


def place(case):
    path, _ = condition(case)
    return path and any(name.isdigit() for name in path.split(".")) and at(case.document, path) is BEYOND


def range_of_null(case):
    path, operators = condition(case)
    return path and any(name in operators and operators[name] is None for name in ("$gte", "$lte"))


def update_target(case):
    path = next(iter(next(iter(case.request.values()))))
    return path


def update_through_scalar(case):
    return case.kind.startswith("update") and case.ours == "refused" and at(case.document, update_target(case)) is BEYOND


def update_past_end(case):
    if not case.kind.startswith("update") or not case.document:
        return False
    *parent, last = update_target(case).split(".")
    array = at(case.document, ".".join(parent)) if parent else None
    return isinstance(array, list) and last.isdigit() and int(last) >= len(array)


def pull_from_others(case):
    return case.kind == "update: $pull" and contains(case.request, {dict}) and case.ours != "refused"


def unwind_place(case):
    def without(rows):
        return [{name: value for name, value in row.items() if name != "place" or value is not None} for row in rows]

    return case.kind == "pipeline: $unwind" and isinstance(case.ours, list) and without(case.ours) == case.theirs


def group_ends(case):
    return case.kind == "pipeline: $group" and any(name in json.dumps(case.request, default=str) for name in ("$first", "$last"))


def expression_path(case):
    paths = [path for path in ("b.c", "c.d") if f'"${path}"' in json.dumps(case.request, default=str)]
    return case.kind.startswith("pipeline") and case.document and any(crosses_array(case.document, path) for path in paths)


def projected_list(case):
    if case.kind != "pipeline: $project":
        return False
    computed = case.request[-1]["$project"].get("x")
    return isinstance(computed, list) or (isinstance(computed, dict) and "$arrayElemAt" in computed)


def sort_arrays(case):
    return case.kind == "sort: arrays"


def all_null(case):
    path, operators = condition(case)
    return path and contains(operators.get("$all"), {type(None)}) and at(case.document, path) in (MISSING, BEYOND)


def slice_alone(case):
    if case.kind != "projection" or "$slice" not in json.dumps(case.request, default=str):
        return False
    return isinstance(case.theirs, list) and all(set(row) <= set(case.request) for row in case.theirs)


def exclusion_of_scalar(case):
    paths = case.request if case.kind == "projection" and case.document else ()
    return any("." in path and at(case.document, path) is BEYOND for path in paths)


def leading_match(case):
    """Returns true where the difference is one of the filter in front of a pipeline."""
    if not case.kind.startswith("pipeline") or not case.document or "$match" not in case.request[0]:
        return False
    if bool(case.ours) == bool(case.theirs):
        return False
    return reason("filter", case.request[0]["$match"], case.document, bool(case.ours), bool(case.theirs)) is not None


def compared_with_missing(case):
    if case.kind != "pipeline: $project" or not case.document or not isinstance(case.request[-1]["$project"].get("x"), dict):
        return False
    operator, operands = next(iter(case.request[-1]["$project"]["x"].items()))
    if operator not in ("$eq", "$gt", "$cmp"):
        return False
    return any(at(case.document, path[1:]) in (MISSING, BEYOND) for path in operands)


def negation(case):
    return case.kind == "pipeline: $project" and "$not" in (case.request[-1]["$project"].get("x") or {})


def group_of_nothing(case):
    return case.kind == "pipeline: $group" and case.ours == []


def pull_all_from_nothing(case):
    return case.kind == "update: $pullAll" and at(case.document, update_target(case)) in (MISSING, BEYOND)


def added_twice(case):
    return case.kind == "update: $addToSet" and "$each" in json.dumps(case.request, default=str) and contains(case.request, {list})


def pull_from_scalar(case):
    return case.kind == "update: $pull" and case.ours == "refused"


def group_by_comparison(case):
    return case.kind == "pipeline: $group" and isinstance(case.request[-1]["$group"]["_id"], dict) and "$gt" in case.request[-1]["$group"]["_id"]


def rows_of_null_range(case):
    first = case.request[0].get("$match", {}) if case.kind in ("pipeline: $group", "pipeline: $sort") else {}
    return any(isinstance(test, dict) and any(test.get(name, 0) is None for name in ("$gte", "$lte")) for test in first.values())


KNOWN = [
    (added_twice, "$addToSet with $each adds equal arrays twice"),
    (pull_from_scalar, "$pull from a scalar does nothing instead of being refused"),
    (group_by_comparison, "a group's key that compares with what is missing is null"),
    (rows_of_null_range, "$gte and $lte of null don't match what is missing"),
    (leading_match, "a pipeline's leading $match differs as a filter does"),
    (compared_with_missing, "an expression that compares with what is missing gives nothing"),
    (negation, "$not of a list of one operand tests the list"),
    (group_of_nothing, "$group of no documents gives a group"),
    (size_of_other, "$size takes a scalar for an array of one, and counts the members of objects"),
    (negative_beyond, "a path that ends at a scalar or in an array doesn't count as missing"),
    (arrays_in_arrays, "an array operand isn't compared with both the array and its items that are arrays"),
    (place, "a path that ends in the place of an item opens an item that is an array"),
    (range_of_null, "$gte and $lte of null don't match what is missing"),
    (all_null, "$all with null doesn't match what is missing"),
    (slice_alone, "$slice alone keeps no other members"),
    (exclusion_of_scalar, "a projection of a path through a scalar or through items that aren't objects loses or keeps them"),
    (sort_arrays, "an array sorts by its first item, not by its least or greatest"),
    (update_through_scalar, "an update through a scalar does nothing instead of being refused"),
    (update_past_end, "an update past the end of an array does nothing"),
    (pull_from_others, "$pull tests items that aren't objects by conditions on members"),
    (pull_all_from_nothing, "$pullAll at a path that leads to nothing makes the objects above it"),
    (unwind_place, "$unwind gives no place where it keeps a document without an array"),
    (group_ends, "$first and $last leave out what is missing"),
    (expression_path, "an expression's path isn't followed through arrays"),
    (projected_list, "expressions in a list aren't evaluated"),
    (booleans, "true is equal to 1 and false to 0, and they count as numbers"),
]


class Case:
    def __init__(self, kind, request, document, ours, theirs):
        self.kind, self.request, self.document, self.ours, self.theirs = kind, request, document, ours, theirs


def reason(kind, request, document, ours, theirs):
    case = Case(kind, request, document, ours, theirs)
    return next((text for test, text in KNOWN if test(case)), None)
