/** The names of the user's configuration that completions offer. */
import * as Effect from "effect/Effect"
import * as Configuration from "../config/Configuration.ts"

export interface ConfiguredNames {
  readonly profiles: ReadonlyArray<string>
  /** Addresses by name. */
  readonly aliases: ReadonlyMap<string, string>
}

/** Loads the names. Invalid files have none. */
export const loadNames = (): Promise<ConfiguredNames> =>
  Effect.runPromise(Effect.map(Configuration.load(new Map()), ({ addressBook, profiles }) => ({
    profiles,
    aliases: addressBook.addresses
  })))
