/** The services that requests use. They are resolved once, when the request handler is built, and survive reloads. */
import { Engine } from "@blockquarry/http/Engine"
import * as Effect from "effect/Effect"
import { Usage } from "../exchange/Usage.ts"
import { Quotas } from "../quota/Quotas.ts"
import * as EncodedBodies from "../response/EncodedBodies.ts"
import { ActiveConfig } from "./ActiveConfig.ts"
import { Pages } from "./PageHandler.ts"
import * as ParseRequest from "./ParseRequest.ts"

export type RequestServices = Effect.Effect.Success<typeof resolve>

export const resolve = Effect.gen(function*() {
  const clock = yield* Effect.clock
  return {
    /** Returns the current time in milliseconds since 1970. */
    now: () => clock.unsafeCurrentTimeMillis(),
    activeConfig: yield* ActiveConfig,
    engine: yield* Engine,
    pages: yield* Pages,
    quotas: yield* Quotas,
    usage: yield* Usage,
    encodedBodies: EncodedBodies.make(),
    parsedRequests: ParseRequest.makeParsedRequests()
  }
})
