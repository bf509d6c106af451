internal import SealiteQueryLanguage

/// Factory methods of the query builder for calls of functions. Where the documentation says that a method returns a
/// value, it returns the expression for this value.
public enum Function {
    static func call(_ name: String, _ arguments: Expression...) -> Expression {
        Expression(arguments) { .call(FunctionCall(name, $0)) }
    }

    /// Returns the number of rows of a group or, if an expression is given, the number of rows in which it is neither
    /// NULL nor MISSING.
    public static func count(_ expression: Expression? = nil) -> Expression {
        call("COUNT", expression ?? Expression.all())
    }
    /// Returns the angle, in radians, between the x-axis and the line from the origin to a point.
    public static func atan2(y: Expression, x: Expression) -> Expression { call("ATAN2", y, x) }
    /// Returns the base of natural logarithms.
    public static func e() -> Expression { call("E") }
    /// Returns the ratio of a circle's circumference to its diameter.
    public static func pi() -> Expression { call("PI") }
    /// Returns the number `base` raised to the power of `exponent`.
    public static func power(base: Expression, exponent: Expression) -> Expression { call("POWER", base, exponent) }
    /// Returns the number rounded to `digits` decimal places, half away from zero.
    public static func round(
        _ expression: Expression, digits: Expression
    ) -> Expression { call("ROUND", expression, digits) }
    /// Returns the number truncated to `digits` decimal places.
    public static func trunc(
        _ expression: Expression, digits: Expression
    ) -> Expression { call("TRUNC", expression, digits) }
    /// Returns an expression that says whether a string contains a substring.
    public static func contains(
        _ expression: Expression, substring: Expression
    ) -> Expression { call("CONTAINS", expression, substring) }
    /// Returns the mean of the numbers of a group; MISSING if it has none.
    public static func avg(_ expression: Expression) -> Expression { call("AVG", expression) }
    /// Returns the lowest value, other than NULL, of a group, in SQL++'s order of values; MISSING if it has none.
    public static func min(_ expression: Expression) -> Expression { call("MIN", expression) }
    /// Returns the highest value, other than NULL, of a group, in SQL++'s order of values; MISSING if it has none.
    public static func max(_ expression: Expression) -> Expression { call("MAX", expression) }
    /// Returns the sum of the numbers of a group; MISSING if it has none.
    public static func sum(_ expression: Expression) -> Expression { call("SUM", expression) }
    /// Returns the absolute value.
    public static func abs(_ expression: Expression) -> Expression { call("ABS", expression) }
    /// Returns the arc cosine, in radians.
    public static func acos(_ expression: Expression) -> Expression { call("ACOS", expression) }
    /// Returns the arc sine, in radians.
    public static func asin(_ expression: Expression) -> Expression { call("ASIN", expression) }
    /// Returns the arc tangent, in radians.
    public static func atan(_ expression: Expression) -> Expression { call("ATAN", expression) }
    /// Returns the least integer that isn't less than the number.
    public static func ceil(_ expression: Expression) -> Expression { call("CEIL", expression) }
    /// Returns the cosine of an angle in radians.
    public static func cos(_ expression: Expression) -> Expression { call("COS", expression) }
    /// Returns an angle in radians, converted to degrees.
    public static func degrees(_ expression: Expression) -> Expression { call("DEGREES", expression) }
    /// Returns e raised to the power of the number.
    public static func exp(_ expression: Expression) -> Expression { call("EXP", expression) }
    /// Returns the greatest integer that isn't greater than the number.
    public static func floor(_ expression: Expression) -> Expression { call("FLOOR", expression) }
    /// Returns the natural logarithm.
    public static func ln(_ expression: Expression) -> Expression { call("LN", expression) }
    /// Returns the logarithm to the base 10.
    public static func log(_ expression: Expression) -> Expression { call("LOG", expression) }
    /// Returns an angle in degrees, converted to radians.
    public static func radians(_ expression: Expression) -> Expression { call("RADIANS", expression) }
    /// Returns the nearest integer, half away from zero.
    public static func round(_ expression: Expression) -> Expression { call("ROUND", expression) }
    /// Returns the sign of the number: -1, 0 or 1.
    public static func sign(_ expression: Expression) -> Expression { call("SIGN", expression) }
    /// Returns the sine of an angle in radians.
    public static func sin(_ expression: Expression) -> Expression { call("SIN", expression) }
    /// Returns the square root.
    public static func sqrt(_ expression: Expression) -> Expression { call("SQRT", expression) }
    /// Returns the tangent of an angle in radians.
    public static func tan(_ expression: Expression) -> Expression { call("TAN", expression) }
    /// Returns the number without its fraction.
    public static func trunc(_ expression: Expression) -> Expression { call("TRUNC", expression) }
    /// Returns the number of Unicode scalars of a string.
    public static func length(_ expression: Expression) -> Expression { call("LENGTH", expression) }
    /// Returns the string in lower case.
    public static func lower(_ expression: Expression) -> Expression { call("LOWER", expression) }
    /// Returns the string without leading white space.
    public static func ltrim(_ expression: Expression) -> Expression { call("LTRIM", expression) }
    /// Returns the string without trailing white space.
    public static func rtrim(_ expression: Expression) -> Expression { call("RTRIM", expression) }
    /// Returns the string without leading and trailing white space.
    public static func trim(_ expression: Expression) -> Expression { call("TRIM", expression) }
    /// Returns the string in upper case.
    public static func upper(_ expression: Expression) -> Expression { call("UPPER", expression) }
    /// Returns the time of an ISO 8601 text, in milliseconds since 1970 UTC; NULL if the text isn't a date. A text
    /// without a zone is in the device's time zone.
    public static func stringToMillis(_ expression: Expression) -> Expression { call("STR_TO_MILLIS", expression) }
    /// Returns the time of an ISO 8601 text as ISO 8601 text in UTC; NULL if the text isn't a date. A text without a
    /// zone is in the device's time zone.
    public static func stringToUTC(_ expression: Expression) -> Expression { call("STR_TO_UTC", expression) }
    /// Returns a time in milliseconds since 1970 as ISO 8601 text in the device's time zone.
    public static func millisToString(_ expression: Expression) -> Expression { call("MILLIS_TO_STR", expression) }
    /// Returns a time in milliseconds since 1970 as ISO 8601 text in UTC.
    public static func millisToUTC(_ expression: Expression) -> Expression { call("MILLIS_TO_UTC", expression) }
    /// Returns the time at which the execution of the query begins, in milliseconds since 1970.
    public static func nowMillis() -> Expression { call("NOW_MILLIS") }
    /// Returns the time at which the execution of the query begins, as ISO 8601 text in the device's time zone.
    public static func nowString() -> Expression { call("NOW_STR") }
    /// Returns the first expression's value, or the second one's if the first is NULL or MISSING.
    public static func nvl(
        _ expression: Expression, _ otherwise: Expression
    ) -> Expression { call("NVL", expression, otherwise) }
}

/// Factory methods of the query builder for calls of functions on arrays.
public enum ArrayFunction {
    /// Returns an expression that says whether an array contains a value.
    public static func contains(
        _ expression: Expression, value: Expression
    ) -> Expression { Function.call("ARRAY_CONTAINS", expression, value) }
    /// Returns an expression for the number of elements of an array.
    public static func length(_ expression: Expression) -> Expression { Function.call("ARRAY_LENGTH", expression) }
    /// Returns an array of the elements of two arrays, those of the first one first.
    public static func concat(
        _ first: Expression, _ second: Expression
    ) -> Expression { Function.call("ARRAY_CONCAT", first, second) }
    /// Returns the array with its elements in reverse order.
    public static func reverse(_ expression: Expression) -> Expression { Function.call("ARRAY_REVERSE", expression) }
    /// Returns the position of the first element of an array that equals a value, from 0; -1 if there is none.
    public static func position(
        _ expression: Expression, value: Expression
    ) -> Expression { Function.call("ARRAY_POSITION", expression, value) }
    /// Returns an array of the distinct elements of two arrays.
    public static func union(
        _ first: Expression, _ second: Expression
    ) -> Expression { Function.call("ARRAY_UNION", first, second) }
    /// Returns an array of the distinct elements that are in both of two arrays.
    public static func intersect(
        _ first: Expression, _ second: Expression
    ) -> Expression { Function.call("ARRAY_INTERSECT", first, second) }
}

/// Factory methods of the query builder for calls of functions on objects. Where the documentation says that a method
/// returns an object, it returns the expression for this object.
public enum ObjectFunction {
    /// Returns the object with a value as the member of a name, which replaces the member of that name; without that
    /// member if the value is MISSING.
    public static func put(
        _ object: Expression, name: Expression, value: Expression
    ) -> Expression { Function.call("OBJECT_PUT", object, name, value) }
    /// Returns the object without the member of a name.
    public static func remove(
        _ object: Expression, name: Expression
    ) -> Expression { Function.call("OBJECT_REMOVE", object, name) }
    /// Returns an object of the members of two objects; if both have a member of a name, that of the second.
    public static func concat(
        _ first: Expression, _ second: Expression
    ) -> Expression { Function.call("OBJECT_CONCAT", first, second) }
}
