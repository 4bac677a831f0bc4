/** The topics of `quarry explain`. What it prints is in the golden records. */
import { expect, it } from "@effect/vitest"
import { explain, explanations } from "../../src/diagnostics/Explanations.ts"
import { proxyErrorCodes } from "../../src/diagnostics/ProxyErrorCodes.ts"
import { exitCodes } from "../../src/errors/CommandError.ts"
import { exitStatus } from "../../src/help/Help.ts"

it("are every exit code, every error and every code of the proxy, and an exit code comes with its errors", () => {
  const codes = exitStatus.map(([code]) => code)
  const topics = [...codes, ...Object.keys(exitCodes), ...Object.keys(proxyErrorCodes)]
  expect(explanations.map(({ topic }) => topic)).toEqual(topics)
  for (const topic of topics) expect(explain(topic.toUpperCase())[0]?.topic).toBe(topic)
  for (const [tag, code] of Object.entries(exitCodes)) {
    if (code !== 0) expect(explain(String(code)).map(({ topic }) => topic)).toContain(tag)
  }
})
