/** The `User-Agent` header. */

/** The version is that of `package.json`: a test compares them. */
export const defaultUserAgent = "blockquarry/0.0.0"
