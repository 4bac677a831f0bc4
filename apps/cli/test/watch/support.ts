/** Runs watches whose time a test controls. */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import { join } from "node:path"
import { memory, temporaryFolder } from "../support/exports.ts"
import {
  type CapturedOutput,
  eventLoopTurn,
  quarry,
  type RunResult,
  sandboxEnvironment
} from "../support/quarry.ts"

/** A long interval: the client retries between two polls. */
const interval = "10m"

export interface RunningWatch {
  readonly captured: CapturedOutput
  readonly fiber: Fiber.RuntimeFiber<RunResult>
  /** Lets the time of the next poll pass, and waits until the poll or the watch has ended. */
  readonly poll: Effect.Effect<void>
  /** Waits until the watch ends. */
  readonly result: Effect.Effect<RunResult>
  /** Interrupts the watch like Ctrl-C. */
  readonly interrupt: Effect.Effect<void>
}

/** Starts a watch, and waits for its first poll. */
export const startWatch = (
  argv: ReadonlyArray<string>,
  client: HttpClient.HttpClient,
  env: Readonly<Record<string, string>> = {}
): Effect.Effect<RunningWatch, never, Scope.Scope> =>
  Effect.gen(function*() {
    const captured: CapturedOutput = { out: "", err: "", progressCount: 0 }
    const fiber = yield* Effect.forkScoped(
      quarry([...argv, "--interval", interval], {
        client,
        captured,
        env: { ...sandboxEnvironment, QUARRY_RATE_LIMIT: "none", ...env }
      })
    )
    /** The files of a state are written in real time, so the clock of the test must wait for them. */
    const awaitPoll = (before: number): Effect.Effect<void> =>
      Effect.gen(function*() {
        while (captured.progressCount === before && (yield* Fiber.poll(fiber))._tag === "None") {
          yield* eventLoopTurn
          // Retries of a request
          yield* TestClock.adjust("5 seconds")
        }
      })
    yield* awaitPoll(0)
    return {
      captured,
      fiber,
      poll: Effect.suspend(() => {
        const before = captured.progressCount
        return Effect.zipRight(TestClock.adjust("12 minutes"), awaitPoll(before))
      }),
      result: Effect.gen(function*() {
        while ((yield* Fiber.poll(fiber))._tag === "None") {
          yield* eventLoopTurn
          yield* TestClock.adjust(Duration.minutes(1))
        }
        return yield* Fiber.join(fiber)
      }),
      interrupt: Effect.asVoid(Fiber.interrupt(fiber))
    }
  })

/** Returns the path of a file in a new folder. */
export const temporaryFile = (name: string): string => join(temporaryFolder(memory), name)
