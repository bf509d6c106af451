import Glibc

/// The storage class of a value in a result row. https://sqlite.org/c3ref/c_blob.html
package enum SQLKind: CInt {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5
}
