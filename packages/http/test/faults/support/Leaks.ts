/** Looks for the key in everything that calls let out. */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Clients from "../../support/Clients.ts"
import * as Witness from "../../support/Witness.ts"

/** As exporters write it. */
const written = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => typeof member === "bigint" ? String(member) : member) ?? ""

/** Every form in which an outcome is shown or sent on. */
const shown = (exit: Exit.Exit<unknown, Error>): ReadonlyArray<string> =>
  Exit.isSuccess(exit)
    ? [written(exit.value)]
    : [
      Cause.pretty(exit.cause, { renderErrorCause: true }),
      written(exit.cause),
      ...[...Cause.failures(exit.cause)].flatMap((error) => [
        error.message,
        String(error.stack),
        written(error),
        Witness.seen({ ...error })
      ])
    ]

/** The places where the key shows. */
export const find = (
  exits: ReadonlyArray<Exit.Exit<unknown, Error>>,
  { logs, spans }: Witness.Witness
): ReadonlyArray<string> =>
  [
    ...exits.flatMap(shown),
    ...logs.flatMap(({ structure, text }) => [text, written(structure)]),
    ...spans.flatMap(({ attributes, events, failure, name }) => [
      written([name, [...attributes], events, failure]),
      failure === null || failure === undefined ? "" : Cause.pretty(failure)
    ])
  ].filter((text) => text.includes(Clients.key))
