/** Tests the memory of an `LruMap`. The law of `CacheStore` tests the order in which it evicts entries. */
import { expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

/** Sets, replaces and removes values of 8 KB, 800 MB in total. */
const program = `
  const map = make({ maxSize: 100 })
  for (let key = 0; key < 100_000; key++) {
    map.set(String(key), Array(1000).fill(key))
    if (key % 3 === 0) map.set(String(key - 1), Array(1000).fill(key))
    if (key % 7 === 0) map.delete(String(key - 2))
  }
  map.clear()
  console.log(map.values().length)
`

it("keeps no value of removed entries: 800 MB pass through a heap of 32 MB", async () => {
  const input = fileURLToPath(new URL("../../src/gateway/LruMap.ts", import.meta.url))
  const bundle = await rolldown({ input })
  const { output: [{ code }] } = await bundle.generate()
  await bundle.close()
  const { status, stdout } = spawnSync(
    process.execPath,
    ["--max-old-space-size=32", "--input-type=module", "--eval", code + program],
    { encoding: "utf8" }
  )
  expect({ status, stdout }).toEqual({ status: 0, stdout: "0\n" })
})
