/** The names of the user's configuration that completions offer. */
import * as Effect from "effect/Effect"
import * as Configuration from "../config/Configuration.ts"
import type { ConfiguredNames } from "./Complete.ts"

/** Loads the names. Invalid files have none. */
export const loadNames = (): Promise<ConfiguredNames> =>
  Effect.runPromise(Effect.map(Configuration.load(new Map()), ({ addressBook, profiles }) => ({
    profiles,
    aliases: addressBook.addresses
  })))
