/** Example records: for tests that need a valid record and set only the fields that they are about. */
import * as Schema from "effect/Schema"

/** Returns the decoded record with `fields` replaced. Fields that are in neither are null. */
export const makeExample = <A extends object, I>(
  schema: Schema.Schema<A, I>,
  encoded: I,
  fields: Partial<A>
): A => ({ ...Schema.decodeSync(schema)(encoded), ...fields })

export const exampleAddresses = {
  wallet: `0x${"a1".repeat(20)}`,
  otherWallet: `0x${"b2".repeat(20)}`,
  contract: `0x${"c3".repeat(20)}`,
  marketplace: `0x${"d4".repeat(20)}`
}

export const exampleBlock = {
  block_number: 19_000_000,
  block_timestamp: "2024-01-13T12:00:00.000Z",
  block_hash: `0x${"e5".repeat(32)}`
}

export const exampleTransactionHash = `0x${"f6".repeat(32)}`
