// The ground floor of Sealite: what any other target may use. It needs nothing but the standard library and Dispatch,
// and does no I/O but reading clocks.
//
// - `Errors`: `SealiteError`, the protocol of the errors of all libraries, and `Remedy`, the next step that an error
//   names, in the words of the program that shows it;
// - `Text`: hexadecimal digits and Base64;
// - `Dates`: `CalendarDay`, the only calendar arithmetic, and `ISO8601`, the only parser and writer of dates in
//   ISO 8601, with a dialect for each language;
// - `Time`: `TimeSource`, the source of time for deadlines and timers, which tests replace;
// - `Waiting`: `WaitableState`, a state that tasks wait for, and `Broadcast`, which wakes several of them.
//
// SealiteCrypto exports this target, because `SealiteError` is a part of the interface of every product: whoever
// imports SealiteCrypto imports it too.
