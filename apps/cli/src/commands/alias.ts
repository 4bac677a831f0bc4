/** `quarry alias set|unset|list` */
import * as Effect from "effect/Effect"
import { singleValue } from "../args/ArgumentValues.ts"
import { commandArgument } from "../args/CommandOption.ts"
import { outputOption } from "../args/GlobalOptions.ts"
import { checkAddress, checkName } from "../config/AddressBook.ts"
import { removeValue, setValue } from "../config/ConfigFile.ts"
import { requireUserFile } from "../config/Configuration.ts"
import { NotSetError, UsageError } from "../errors/CommandError.ts"
import { printRows } from "../formats/PrintRows.ts"
import { note } from "../terminal/Terminal.ts"
import { localCommand } from "./LocalCommand.ts"

const nameDescription = "Name in any case: a letter and up to 31 letters, digits, - and _"

export const aliasSet = localCommand({
  path: ["alias", "set"],
  summary: "Name an address, so that commands accept the name",
  note: "Tables show the name instead of the address; JSON and CSV never do.",
  arguments: [
    commandArgument("name", nameDescription),
    commandArgument("address", "0x and 40 hexadecimal digits")
  ],
  examples: ["treasury {wallet}"],
  run: Effect.fnUntraced(function*({ settings: { configuration }, values }) {
    const name = (singleValue(values, "name") ?? "").toLowerCase()
    const address = singleValue(values, "address") ?? ""
    const nameProblem = checkName(name)
    if (nameProblem !== null) return yield* new UsageError({ reason: `<name>: ${nameProblem}`, hint: null })
    const addressProblem = checkAddress(address)
    if (addressProblem !== null) {
      return yield* new UsageError({ reason: `<address>: ${addressProblem}`, hint: null })
    }
    const previous = configuration.addressBook.addresses.get(name)
    yield* setValue(yield* requireUserFile(configuration), ["aliases", name], address)
    yield* note(
      previous === undefined || previous === address.toLowerCase()
        ? `${name} is ${address}`
        : `${name} is ${address}, no longer ${previous}`
    )
  })
})

export const aliasUnset = localCommand({
  path: ["alias", "unset"],
  summary: "Remove the name of an address",
  arguments: [commandArgument("name", nameDescription, { completes: "alias" })],
  examples: ["treasury"],
  run: Effect.fnUntraced(function*({ settings: { configuration }, values }) {
    const name = (singleValue(values, "name") ?? "").toLowerCase()
    const wasSet = yield* removeValue(yield* requireUserFile(configuration), ["aliases", name])
    if (!wasSet) {
      return yield* new NotSetError({
        reason: `there is no alias ${JSON.stringify(name)}`,
        hint: "quarry alias list shows all"
      })
    }
    yield* note(`removed ${name}`)
  })
})

export const aliasList = localCommand({
  path: ["alias", "list"],
  summary: "List the names of addresses",
  options: [outputOption],
  examples: ["", "-o json"],
  run: Effect.fnUntraced(function*({ settings: { configuration: { addressBook }, format } }) {
    const rows = [...addressBook.addresses].map(([name, address]) => ({ name, address }))
    if (rows.length === 0) {
      yield* note("no aliases; set one with quarry alias set <name> <address>")
    }
    yield* printRows(format, rows, { name: {}, address: { kind: "fixed" } })
  })
})
