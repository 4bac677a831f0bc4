/** Responses 404: of a path that the service does not have, and of an item. Other errors are in the golden records. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { exampleValues } from "../../src/help/Help.ts"
import { quarry, type RunOptions, sandboxEnvironment } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"

const { QUARRY_BASE_URL } = sandboxEnvironment

it.live.each<readonly [cause: string, options: RunOptions, error: RegExp]>([
  [
    "a wrong path in the base URL",
    { env: { QUARRY_BASE_URL: `${QUARRY_BASE_URL}/foo` } },
    /no such path \(404\): Cannot GET \S+\n.*check the path of the base URL \(QUARRY_BASE_URL\)/
  ],
  [
    "a page of a website",
    { client: respondingWith("<html>", 404, { "content-type": "text/html" }).client },
    /no such path \(404\)\n.*check the path of the base URL/
  ],
  [
    "an item that does not exist",
    { client: respondingWith("{\"message\":\"Token not found\"}", 404).client },
    /not found \(404\): Token not found\n.*check the address/
  ]
])("says what to do about %s", ([, options, error]) =>
  Effect.gen(function*() {
    const env = { ...sandboxEnvironment, ...options.env }
    const ran = yield* quarry(["token", "price", exampleValues.token], { ...options, env })
    expect(ran).toMatchObject({ code: 3, err: expect.stringMatching(error) })
  }))
