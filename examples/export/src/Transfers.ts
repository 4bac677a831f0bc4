/** Exports the transfers of a wallet with the command line, and queries the file with DuckDB. */
import { DuckDBInstance } from "@duckdb/node-api"
import { spawn } from "node:child_process"
import { once } from "node:events"

/**
 * Appends the transfers since the last run to a Parquet file, oldest first. The first run exports all. Returns the exit status
 * of `quarry`: 0 if the file is complete.
 *
 * Options are those of `quarry wallet transfers`. `quarry` reads QUARRY_API_KEY and QUARRY_BASE_URL.
 */
export const update = async (
  wallet: string,
  file: string,
  options: ReadonlyArray<string> = []
): Promise<number> => {
  const quarry = spawn(
    "quarry",
    [
      "wallet",
      "transfers",
      wallet,
      "--order",
      "asc",
      "--to",
      file,
      "--since-last",
      "--retry-for",
      "30m",
      ...options
    ],
    { stdio: ["ignore", "inherit", "inherit"] }
  )
  const [status]: ReadonlyArray<unknown> = await once(quarry, "exit")
  return typeof status === "number" ? status : 1
}

/** Transfers of one token on one day, in UTC. `total` has all digits: it is a text of the token's smallest units. */
export interface DailyTotal {
  readonly day: string
  readonly token: string
  readonly transfers: number
  readonly total: string
}

/** Returns the totals of the last seven days with transfers, newest first. */
export const report = async (file: string): Promise<ReadonlyArray<DailyTotal>> => {
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  try {
    // A double would round amounts, and DECIMAL has 38 digits: BIGNUM is exact.
    const result = await connection.runAndReadAll(
      `with transfers as (select *, (block_timestamp at time zone 'UTC')::date::varchar as day from read_parquet($1))
      select day, address, count(*)::integer, sum(value::bignum)::varchar
      from transfers
      where day in (select distinct day from transfers order by day desc limit 7)
      group by all
      order by day desc, address`,
      [file]
    )
    return result.getRows().map(([day, token, transfers, total]) => ({
      day: String(day),
      token: String(token),
      transfers: Number(transfers),
      total: String(total)
    }))
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
