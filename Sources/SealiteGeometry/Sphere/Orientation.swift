internal import Glibc

/// The side of the great circle from one point to another on which a third point is.
///
/// The sign of the determinant of three points decides. It is exact: a sum in doubles decides nearly always, and otherwise the sum of
/// all products, without rounding. If the determinant is 0, as for points on one meridian, it is that of points moved by amounts
/// smaller than every number, by a rule that depends on the points alone (the simulation of simplicity of Edelsbrunner and Mücke):
/// so every three different points have a side, and all answers agree with each other.
enum Orientation {
    /// Returns 1 if `c` is to the left of the great circle from `a` to `b`, and so the three points are counter-clockwise, −1 if it is
    /// to the right, and 0 only if two of the points are equal.
    static func sign(_ a: Vector3, _ b: Vector3, _ c: Vector3) -> Int {
        let (u, v) = (b - a, c - a)
        let determinant = u.cross(v).dot(a)
        // The coordinates of `u` and `v` have an error of half a unit in the last place, and so on; 16 halves are more than all.
        let bound = 0x1p-49 * (u.squaredLength * v.squaredLength).squareRoot()
        if determinant > bound { return 1 }
        if determinant < -bound { return -1 }
        return exactSign(a, b, c)
    }

    private static func exactSign(_ a: Vector3, _ b: Vector3, _ c: Vector3) -> Int {
        guard a != b, b != c, a != c else { return 0 }
        var determinant = ExactSum()
        determinant.add(a.x, b.y, c.z)
        determinant.add(a.y, b.z, c.x)
        determinant.add(a.z, b.x, c.y)
        determinant.add(-a.z, b.y, c.x)
        determinant.add(-a.x, b.z, c.y)
        determinant.add(-a.y, b.x, c.z)
        if determinant.sign != 0 { return determinant.sign }
        // An even number of exchanges sorts the points, or an odd one.
        var rows = [a, b, c]
        var sign = 1
        for (left, right) in [(0, 1), (1, 2), (0, 1)] where rows[right].precedes(rows[left]) {
            rows.swapAt(left, right)
            sign = -sign
        }
        return sign * perturbedSign(rows)
    }

    /// Returns the sign of the determinant of sorted points, for which it is 0, when they are moved: each of the nine coordinates by an amount that is
    /// smaller than all products of those before it; the order is z, y and x of the first point, then those of the second and of the
    /// third. The determinant is then a sum of products of amounts, of which the first with a factor other than 0 decides; the bits
    /// of `mask` are the coordinates of such a product, so that masks in ascending order are products in descending order.
    private static func perturbedSign(_ rows: [Vector3]) -> Int {
        for mask in 1..<(1 << 9) {
            guard let sign = minorSign(rows, mask), sign != 0 else { continue }
            return sign
        }
        return 1
    }

    /// Returns the sign of the factor of a product of amounts: the determinant without the rows and columns of the amounts, with the
    /// sign of their places; nil if two of them share a row or a column.
    private static func minorSign(_ rows: [Vector3], _ mask: Int) -> Int? {
        var columnOfRow = [-1, -1, -1]
        var usedColumns = 0
        for bit in 0..<9 where mask >> bit & 1 == 1 {
            let (row, column) = (bit / 3, 2 - bit % 3)
            guard columnOfRow[row] < 0, usedColumns >> column & 1 == 0 else { return nil }
            columnOfRow[row] = column
            usedColumns |= 1 << column
        }
        var sum = ExactSum()
        for (columns, sign) in permutations {
            guard (0..<3).allSatisfy({ columnOfRow[$0] < 0 || columnOfRow[$0] == columns[$0] }) else { continue }
            let factors = (0..<3).map { columnOfRow[$0] < 0 ? rows[$0][columns[$0]] : 1 }
            sum.add(sign * factors[0], factors[1], factors[2])
        }
        return sum.sign
    }

    private static let permutations: [([Int], Double)] = [
        ([0, 1, 2], 1), ([1, 2, 0], 1), ([2, 0, 1], 1), ([0, 2, 1], -1), ([1, 0, 2], -1), ([2, 1, 0], -1),
    ]
}

/// A sum of products without rounding, as a sum of doubles whose bits don't overlap (Shewchuk's expansions).
struct ExactSum {
    private var parts: [Double] = []

    /// Adds the product of three numbers.
    mutating func add(_ a: Double, _ b: Double, _ c: Double) {
        let high = a * b
        let low = fma(a, b, -high)
        for factor in [low, high] where factor != 0 && c != 0 {
            let product = factor * c
            add(fma(factor, c, -product))
            add(product)
        }
    }

    private mutating func add(_ value: Double) {
        var rest = value
        var kept = 0
        for part in parts {
            let sum = rest + part
            let other = sum - rest
            let error = (rest - (sum - other)) + (part - other)
            if error != 0 {
                parts[kept] = error
                kept += 1
            }
            rest = sum
        }
        parts.removeSubrange(kept...)
        if rest != 0 { parts.append(rest) }
    }

    /// The sign of the sum: that of the greatest part, which is the last one.
    var sign: Int { parts.last.map { $0 > 0 ? 1 : -1 } ?? 0 }
}
