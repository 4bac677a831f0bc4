/** DuckDB reads exported parquet files: every row, and amounts that are exact. */
import { maxUint256 } from "@blockquarry/core/Amount"
import { DuckDBInstance } from "@duckdb/node-api"
import { expect, it } from "@effect/vitest"
import { createServer } from "node:http"
import { join } from "node:path"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { temporaryFolder } from "../support/exports.ts"
import { runProcess } from "../support/process.ts"
import { listen } from "../support/server.ts"

/** Many row groups in the long suite, and more than one otherwise. */
const rowCount = isFull ? 300_000 : 11_000

const pageSize = 1000

const wallet = `0x${"1".repeat(40)}`

/** Amounts of all sizes, and the largest one every 1000 records. */
const amountOf = (index: number): bigint =>
  index % 1000 === 7
    ? maxUint256
    : ((BigInt(index) * 0x9e3779b97f4a7c15n) << BigInt(index % 180)) & (maxUint256 >> 1n)

const hex = (value: number, digits: number): string => `0x${value.toString(16).padStart(digits, "0")}`

const recordOf = (index: number): object => ({
  transaction_hash: hex(index, 64),
  block_number: String(1_000_000 + Math.floor(index / 3)),
  block_timestamp: new Date(1_600_000_000_000 + index * 1000).toISOString(),
  block_hash: hex(Math.floor(index / 3), 64),
  address: hex(index % 50, 40),
  from_address: wallet,
  to_address: hex(index % 5000, 40),
  token_name: "Ünïcode \"quoted\", token",
  token_symbol: index % 10 === 0 ? null : "TKN",
  token_decimals: "18",
  value: String(amountOf(index)),
  log_index: index % 3,
  possible_spam: index % 7 === 0
})

/** An upstream with cursors that are numbers of records. */
const upstream = createServer((request, response) => {
  const start = Number(new URL(request.url ?? "", "http://upstream").searchParams.get("cursor") ?? 0)
  const end = Math.min(rowCount, start + pageSize)
  response.setHeader("content-type", "application/json")
  response.end(JSON.stringify({
    cursor: end === rowCount ? null : String(end),
    result: Array.from({ length: end - start }, (_, index) => recordOf(start + index))
  }))
})

it("reads back every row, with the exact sum of amounts up to 2^256-1", async () => {
  const parquet = join(temporaryFolder(), "transfers.parquet")
  const exported = await runProcess(["wallet", "transfers", wallet, "--to", parquet], {
    QUARRY_BASE_URL: await listen(upstream),
    QUARRY_API_KEY: "k".repeat(20),
    QUARRY_RATE_LIMIT: "none",
    // Room for the loaded code and one row group, independent of the number of rows
    NODE_OPTIONS: "--max-old-space-size=150"
  })
  expect(exported).toMatchObject({ code: 0 })
  const amounts = Array.from({ length: rowCount }, (_, index) => amountOf(index))
  const sum = amounts.reduce((a, b) => a + b)
  const database = await DuckDBInstance.create(":memory:")
  const connection = await database.connect()
  const query = async (sql: string) =>
    (await connection.runAndReadAll(sql.replaceAll("$FILE", `'${parquet}'`))).getRowObjectsJson()
  expect(
    await query(`select count(*)::integer as rows, count(distinct transaction_hash)::integer as hashes,
      sum(value::bignum)::varchar as total, max(value_f64) as largest,
      count(*) filter (value = '${maxUint256}')::integer as largest_count,
      min(block_number)::integer as first_block, max(block_timestamp)::varchar as last_time,
      count(token_symbol)::integer as symbols, count(*) filter (possible_spam)::integer as spam,
      any_value(token_name) as name from $FILE`)
  ).toEqual([{
    rows: rowCount,
    hashes: rowCount,
    total: String(sum),
    largest: Number(maxUint256),
    largest_count: rowCount / 1000,
    first_block: 1_000_000,
    last_time: expect.stringContaining(
      new Date(1_600_000_000_000 + (rowCount - 1) * 1000).toISOString().slice(0, 19).replace("T", " ")
    ),
    symbols: rowCount * 0.9,
    spam: Math.ceil(rowCount / 7),
    name: "Ünïcode \"quoted\", token"
  }])
  const metadata = await query("select key::varchar as key from parquet_kv_metadata($FILE)")
  expect(metadata.map(({ key }) => key)).toEqual(["quarry.version", "quarry.query"])
  expect(
    await query("select distinct converted_type from parquet_schema($FILE) where converted_type = 'DECIMAL'")
  ).toEqual([])
})
