/** Options of the command line. The record `commands-errors` has its errors. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Arguments from "../../src/cli/Arguments.ts"

it("accepts options before and after commands, and values that are names of commands", () => {
  const parsed = (...args: ReadonlyArray<string>) =>
    Effect.runSync(Effect.provide(Arguments.parse(args), NodeContext.layer))
  const expected = {
    command: { _tag: "CheckConfig", connect: true },
    optionValues: { QUARRY_PROXY_CONFIG: "config" }
  }
  expect(parsed("--config", "config", "config", "check", "--connect")).toMatchObject(expected)
  expect(parsed("--", "config", "--connect", "check", "-cconfig")).toMatchObject(expected)
  expect(parsed("-p0", "--sandbox")).toMatchObject({
    command: { _tag: "Serve" },
    optionValues: { QUARRY_PROXY_PORT: "0", QUARRY_SANDBOX: "1" }
  })
})
