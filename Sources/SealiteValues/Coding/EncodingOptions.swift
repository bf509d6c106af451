/// The state shared by all encoders of one value.
struct EncodingOptions {
    let userInfo: [CodingUserInfoKey: any Sendable]
    let conversion: BSONEncoder.Conversion?
}
