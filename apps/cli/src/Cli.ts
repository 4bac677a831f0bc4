/** The command line as one effect: from what was written to an exit code. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { entries } from "./commands/index.ts"
import { discreet } from "./Discreet.ts"
import { describe, exitCodes, type Failure, TimeLimit, unexpected, Usage } from "./Failure.ts"
import { sort } from "./line/Argv.ts"
import type { Entry, Values } from "./line/Entry.ts"
import * as Logs from "./Logs.ts"
import type { Network } from "./Network.ts"
import { safe } from "./render/Safe.ts"
import { Screen, styled } from "./Screen.ts"
import * as Settings from "./Settings.ts"

/** Ends with an exit code, or is interrupted; says on the screen whatever there is to say. */
export const run = (
  argv: ReadonlyArray<string>,
  version: string
): Effect.Effect<number, never, Network | Screen> =>
  perform(argv, version).pipe(
    Effect.as(0),
    Effect.catchAllCause((cause) =>
      Cause.isInterrupted(cause) && Option.isNone(Cause.failureOption(cause))
        ? Effect.interrupt
        : Option.match(Cause.failureOption(cause), {
          onNone: () => reportDefect(cause),
          onSome: (failure) => report(failure, argv)
        })
    ),
    Effect.provideServiceEffect(Screen, Effect.flatMap(Screen, discreet))
  )

const perform = (
  argv: ReadonlyArray<string>,
  version: string
): Effect.Effect<void, Failure, Network | Screen> =>
  Effect.gen(function*() {
    const screen = yield* Screen
    const request = yield* sort(entries, argv)
    switch (request._tag) {
      case "Version":
        return yield* screen.print(`${version}\n`)
      case "Help": {
        const help = yield* Effect.promise(() => import("./Help.ts"))
        return yield* screen.print(
          request.entry !== null
            ? help.forEntry(request.entry, screen.out)
            : request.group !== null
            ? help.forGroup(entries, request.group, screen.out)
            : help.forAll(entries, screen.out)
        )
      }
      case "Completions": {
        const tree = yield* Effect.promise(() => import("./line/Tree.ts"))
        return yield* Effect.flatMap(tree.completions(entries, request.shell), screen.print)
      }
      case "Run": {
        const tree = yield* Effect.promise(() => import("./line/Tree.ts"))
        return yield* tree.run(entries, version, request.line, use).pipe(
          Effect.catchIf(tree.isValidationError, () =>
            new Usage({ problem: "the command line cannot be read", hint: "see quarry --help" }))
        )
      }
    }
  })

/** One use of a command, in its settings. */
const use = (entry: Entry, values: Values): Effect.Effect<void, Failure, Network | Screen> =>
  Effect.gen(function*() {
    const screen = yield* Screen
    const settings = yield* Settings.read(values)
    const { timeout } = settings
    const work = Logs.to(screen, settings.isVerbose)(entry.run({ values, settings }))
    return yield* timeout === null
      ? work
      : Effect.timeoutFail(work, {
        duration: timeout,
        onTimeout: () => new TimeLimit({ limit: timeout, changes: entry.changes })
      })
  })

const report = (failure: Failure, argv: ReadonlyArray<string>): Effect.Effect<number, never, Screen> =>
  Effect.gen(function*() {
    if (failure._tag === "OutputClosed") return exitCodes.OutputClosed
    const screen = yield* Screen
    const { hint, what } = describe(failure)
    yield* screen.progress(null)
    yield* screen.note(`${styled(screen.err, "red", "error:")} ${what}`)
    const more = hint ?? (failure._tag === "Usage" || failure._tag === "InvalidRequest" ? helpOf(argv) : null)
    if (more !== null) yield* screen.note(`${styled(screen.err, "dim", "hint:")} ${more}`)
    return exitCodes[failure._tag]
  })

/** Where the right spelling is found. */
const helpOf = (argv: ReadonlyArray<string>): string => {
  const entry = entries.find(({ words: [group, name] }) =>
    argv.includes(group) && argv.indexOf(name, argv.indexOf(group)) === argv.indexOf(group) + 1
  )
  return `see quarry ${entry === undefined ? "" : `${entry.words.join(" ")} `}--help`
}

const reportDefect = (cause: Cause.Cause<unknown>): Effect.Effect<number, never, Screen> =>
  Effect.gen(function*() {
    const screen = yield* Screen
    yield* screen.note(`error: ${safe(String(Cause.squash(cause)))}`)
    yield* screen.note("hint: this is a mistake in quarry; please report it, with what --verbose says")
    return unexpected
  })
