import { expect, it } from "vitest"
import { type CpuProfile, formatShares, sharesOf } from "../src/Profile.ts"

const node = (id: number, url: string, functionName: string): CpuProfile["nodes"][number] => ({
  id,
  callFrame: { url, functionName, lineNumber: 0, columnNumber: 0 }
})

const profile: CpuProfile = {
  nodes: [
    node(1, "", "(idle)"),
    node(2, "", "(garbage collector)"),
    node(3, "node:net", "connect"),
    node(4, "../../packages/http/src/internal/transport/Transport.ts", "send"),
    node(5, "../../packages/http/src/internal/Engine.ts", "raw"),
    node(6, "../node_modules/effect/dist/esm/Effect.js", "map"),
    node(7, "", "writev"),
    node(8, "elsewhere.js", "run")
  ],
  samples: [1, 2, 3, 2, 4, 5, 6, 7, 8],
  timeDeltas: [1000, 30, 5, 10, 15, 20, 12, 6, 2]
}

it("groups self time by source file, without idle time, largest first", () => {
  const shares = sharesOf(profile, ({ url }) => url)
  expect(shares).toEqual([
    ["garbage collection", 0.4],
    ["engine", 0.2],
    ["HTTP transport", 0.15],
    ["Effect", 0.12],
    ["socket writes", 0.06],
    ["Node.js", 0.05],
    ["other", 0.02]
  ])
  expect(formatShares("a call", shares).split("\n").slice(0, 2)).toEqual([
    "a call",
    "  40.0 %  garbage collection"
  ])
})
