/**
 * Keeps a Parquet file of a wallet's transfers up to date, and reports the last seven days. Start it on a schedule.
 *
 *   node src/main.ts WALLET FILE.parquet [OPTION OF quarry]…
 */
import { report, update } from "./Transfers.ts"

const [, , wallet, file, ...options] = process.argv
if (wallet === undefined || file === undefined) {
  throw new Error("usage: node src/main.ts WALLET FILE.parquet [OPTION]…")
}
const status = await update(wallet, file, options)
// The file stays as it was before a failed run, and the next run continues the export.
if (status !== 0) process.exit(status)
process.stdout.write(`${JSON.stringify(await report(file), null, 2)}\n`)
