/** Usage in a file, and its recorder: what is read is the sum of what was recorded, after crashes, failures and compaction too. */
import { StoreError } from "@blockquarry/http/gateway/StoreError"
import * as UsageStore from "@blockquarry/redis/UsageStore"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { dirname, join } from "node:path"
import * as RecordUsage from "../../src/admin/RecordUsage.ts"
import * as UsageFile from "../../src/admin/UsageFile.ts"

const rows = FastCheck.record({
  day: FastCheck.constantFrom("2026-11-23", "2026-11-24"),
  team: FastCheck.constantFrom("", "web"),
  client: FastCheck.constantFrom("shop", "lab"),
  operation: FastCheck.constant("tokenPrice"),
  key: FastCheck.constantFrom("", "main"),
  requests: FastCheck.nat(9),
  attempts: FastCheck.nat(9),
  price: FastCheck.nat(1000),
  unsettledPrice: FastCheck.nat(1000),
  savedPrice: FastCheck.nat(1000),
  failures: FastCheck.nat(9)
})

const sumsOf = (rows: ReadonlyArray<UsageStore.UsageRow>) => {
  const sums = UsageStore.makeSums(UsageStore.dimensions)
  for (const row of rows) sums.add(row)
  return sums.rows()
}

const readAll = (store: UsageStore.UsageStoreService) =>
  Effect.gen(function*() {
    const read: Array<UsageStore.UsageRow> = []
    yield* store.read("2026-11-01", "2026-11-30", (row) => read.push(row))
    return sumsOf(read)
  })

const withFile = <A, E>(use: (file: string) => Effect.Effect<A, E, FileSystem.FileSystem>) =>
  FileSystem.FileSystem.pipe(
    Effect.flatMap((files) => files.makeTempDirectoryScoped()),
    Effect.flatMap((folder) => use(`${folder}/usage.ndjson`)),
    Effect.scoped,
    Effect.provide(NodeFileSystem.layer)
  )

describe("a file of usage", () => {
  it.effect.prop(
    "has all rows of all processes, except for a line that a crash cut off",
    { batches: FastCheck.array(FastCheck.tuple(FastCheck.array(rows), FastCheck.boolean())) },
    ({ batches }) =>
      withFile((file) =>
        Effect.gen(function*() {
          const files = yield* FileSystem.FileSystem
          let store = yield* UsageFile.make({ file, retention: 400 })
          yield* store.add([], 0)
          expect(yield* readAll(store)).toEqual([])
          for (const [index, [batch, crashes]] of batches.entries()) {
            yield* store.add(batch, index + 1)
            if (!crashes) continue
            // All but the last byte of a batch
            const cutOff = `\n${JSON.stringify(batch).slice(0, -1)}`
            yield* files.writeFileString(file, cutOff, { flag: "a" })
            store = yield* UsageFile.make({ file, retention: 400 })
          }
          expect(yield* readAll(store)).toEqual(sumsOf(batches.flatMap(([batch]) => batch)))
        })
      )
  )

  const row = {
    day: "2026-11-24",
    team: "web",
    client: "shop",
    // So long that 12,500 rows are 8 MiB
    operation: "tokenPrice".padEnd(560, "-"),
    key: "",
    requests: 1,
    attempts: 0,
    price: 0,
    unsettledPrice: 0,
    savedPrice: 50,
    failures: 0
  }

  /** About 8 MiB, and a row beyond a retention of one day. */
  const manyRows = [
    { ...row, day: "2026-11-22" },
    ...Array.from({ length: 12_500 }, () => ({ ...row, requests: 4, savedPrice: 200 }))
  ]

  const sizeOf = (file: string) =>
    Effect.flatMap(FileSystem.FileSystem, (files) => Effect.map(files.stat(file), ({ size }) => Number(size)))

  it.effect("is replaced by its sums when it has grown, without rows beyond the retention", () =>
    withFile((file) =>
      Effect.gen(function*() {
        yield* TestClock.setTime(Date.parse("2026-11-24T12:00:00Z"))
        const store = yield* UsageFile.make({ file, retention: 1 })
        yield* store.add(manyRows, 1)
        expect(yield* sizeOf(file)).toBeLessThan(2000)
        expect(yield* readAll(store)).toEqual([{ ...row, requests: 50_000, savedPrice: 2_500_000 }])
        yield* store.add([row], 2)
        expect(yield* readAll(store)).toEqual([{ ...row, requests: 50_001, savedPrice: 2_500_050 }])
      })
    ))

  it.effect("is read without its damaged lines, which the log counts", () =>
    withFile((file) =>
      Effect.gen(function*() {
        const store = yield* UsageFile.make({ file, retention: 400 })
        for (const batch of [1, 2, 3]) yield* store.add([row], batch)
        const files = yield* FileSystem.FileSystem
        const text = yield* files.readFileString(file)
        // Another process is writing the last line.
        yield* files.writeFileString(file, `${text.replace("[", "x")}\n[{"day":"20`)
        const messages: Array<string> = []
        const logger = Logger.make(({ message }) => void messages.push(String(message)))
        const read = yield* Effect.provide(readAll(store), Logger.replace(Logger.defaultLogger, logger))
        expect(read).toEqual(sumsOf([row, row]))
        expect(messages).toEqual([`${file}: damaged lines not read: 1`])
      })
    ))

  it.effect("is replaced by its sums by the next process, however short each one lives", () =>
    withFile((file) =>
      Effect.gen(function*() {
        yield* TestClock.setTime(Date.parse("2026-11-24T12:00:00Z"))
        for (let start = 0; start < 10; start++) {
          const store = yield* UsageFile.make({ file, retention: 1 })
          yield* store.add(manyRows.slice(0, 1251), start + 1)
        }
        const store = yield* UsageFile.make({ file, retention: 1 })
        yield* store.add([row], 1)
        expect(yield* sizeOf(file)).toBeLessThan(2_000_000)
        expect(yield* readAll(store)).toEqual([{ ...row, requests: 50_001, savedPrice: 2_500_050 }])
      })
    ))

  const namesIn = (file: string) =>
    Effect.flatMap(FileSystem.FileSystem, (files) => files.readDirectory(dirname(file)))

  /** A store of another process, some of whose steps the test changes. */
  const storeWith = (file: string, steps: (files: FileSystem.FileSystem) => Partial<FileSystem.FileSystem>) =>
    Effect.flatMap(FileSystem.FileSystem, (files) =>
      Effect.provideService(
        UsageFile.make({ file, retention: 400 }),
        FileSystem.FileSystem,
        { ...files, ...steps(files) }
      ))

  it.effect.each(["open", "stream", "stat", "rename"] as const)(
    "is replaced and keeps what another process appends meanwhile, before each %s",
    (step) =>
      withFile((file) =>
        Effect.gen(function*() {
          yield* TestClock.setTime(Date.parse("2026-11-24T12:00:00Z"))
          const other = yield* UsageFile.make({ file, retention: 400 })
          let appended = 0
          const append = Effect.suspend(() => Effect.orDie(other.add([row], ++appended)))
          const store = yield* storeWith(file, (files) =>
            ({
              open: { open: (path, options) => Effect.zipRight(append, files.open(path, options)) },
              stream: {
                stream: (path, options) => Stream.unwrap(Effect.as(append, files.stream(path, options)))
              },
              stat: { stat: (path) => Effect.zipRight(append, files.stat(path)) },
              rename: { rename: (from, to) => Effect.zipRight(append, files.rename(from, to)) }
            } satisfies Record<typeof step, Partial<FileSystem.FileSystem>>)[step])
          yield* store.add(manyRows.slice(1), 1)
          expect(appended).toBeGreaterThan(0)
          expect(yield* sizeOf(file)).toBeLessThan(5000)
          const requests = 50_000 + appended
          expect(yield* readAll(other)).toEqual([{ ...row, requests, savedPrice: 50 * requests }])
          expect(yield* namesIn(file)).toEqual(["usage.ndjson"])
        })
      )
  )

  it.effect("is replaced and keeps a batch that another process is writing meanwhile", () =>
    withFile((file) =>
      Effect.gen(function*() {
        yield* TestClock.setTime(Date.parse("2026-11-24T12:00:00Z"))
        const batch = `\n${JSON.stringify([row])}`
        const store = yield* storeWith(file, (files) => {
          const write = (part: string) => Effect.orDie(files.writeFileString(file, part, { flag: "a" }))
          return {
            stream: (path, options) =>
              Stream.unwrap(Effect.as(write(batch.slice(0, 40)), files.stream(path, options))),
            rename: (from, to) => Effect.zipRight(write(batch.slice(40)), files.rename(from, to))
          }
        })
        yield* store.add(manyRows.slice(1), 1)
        expect(yield* sizeOf(file)).toBeLessThan(2000)
        const other = yield* UsageFile.make({ file, retention: 400 })
        expect(yield* readAll(other)).toEqual([{ ...row, requests: 50_001, savedPrice: 2_500_050 }])
      })
    ))

  it.effect.each(
    [
      ["opened", "while"],
      ["opened", "after"],
      ["checked", "while"],
      ["checked", "after"]
    ] as const
  )(
    "keeps a batch of a process that has %s it, and writes %s another replaces it",
    ([step, when]) =>
      withFile((file) =>
        Effect.gen(function*() {
          yield* TestClock.setTime(Date.parse("2026-11-24T12:00:00Z"))
          const [paused, proceed] = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
          const pause = Effect.zipRight(Deferred.succeed(paused, undefined), Deferred.await(proceed))
          const slow = yield* storeWith(file, (files) =>
            step === "opened"
              ? { open: (path, options) => Effect.tap(files.open(path, options), () => pause) }
              : { stat: (path) => Effect.tap(files.stat(path), () => pause) })
          const store = yield* storeWith(file, (files) => ({
            rename: (from, to) =>
              Effect.zipLeft(
                files.rename(from, to),
                when === "while"
                  ? Effect.zipRight(Deferred.succeed(proceed, undefined), Effect.orDie(Fiber.join(adding)))
                  : Effect.void
              )
          }))
          yield* store.add([row], 1)
          const adding = yield* Effect.fork(slow.add([row], 1))
          yield* Deferred.await(paused)
          yield* store.add(manyRows.slice(1), 2)
          yield* Deferred.succeed(proceed, undefined)
          yield* Fiber.join(adding)
          expect(yield* sizeOf(file)).toBeLessThan(2000)
          expect(yield* readAll(store)).toEqual([{ ...row, requests: 50_002, savedPrice: 2_500_100 }])
        })
      )
  )

  /** Runs an effect, and returns what it logs. */
  const logOf = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String(message)))
    return Effect.as(Effect.provide(effect, Logger.replace(Logger.defaultLogger, logger)), logged)
  }

  const systemError = (reason: PlatformError.SystemErrorReason, description: string) =>
    new PlatformError.SystemError({ reason, module: "FileSystem", method: "rename", description })

  it.effect.each(
    [
      ["Busy", "EBUSY: resource busy or locked", /EBUSY.* mount its folder instead of the file alone$/],
      ["PermissionDenied", "EACCES: permission denied", /EACCES: permission denied$/],
      ["Unknown", "ENOSPC: no space left on device", /ENOSPC: no space left on device$/]
    ] as const
  )(
    "loses nothing if it cannot be replaced, and the log has the cause: %s",
    ([reason, description, log]) =>
      withFile((file) =>
        Effect.gen(function*() {
          yield* TestClock.setTime(Date.parse("2026-11-24T12:00:00Z"))
          const store = yield* storeWith(file, () => ({
            rename: () => Effect.fail(systemError(reason, description))
          }))
          const logged = yield* logOf(Effect.zipRight(store.add(manyRows.slice(1), 1), store.add([row], 2)))
          expect(yield* readAll(store)).toEqual([{ ...row, requests: 50_001, savedPrice: 2_500_050 }])
          expect(yield* namesIn(file)).toEqual(["usage.ndjson"])
          expect(logged).toEqual([expect.stringMatching(log)])
        })
      )
  )

  it.effect.each([[1, []], [2, [expect.stringMatching(/^compaction lost usage: .*ENOSPC/)]]] as const)(
    "repeats what it copies after it is replaced, and the log says what is lost, after %s failures",
    ([failures, log]) =>
      withFile((file) =>
        Effect.gen(function*() {
          yield* TestClock.setTime(Date.parse("2026-11-24T12:00:00Z"))
          const other = yield* UsageFile.make({ file, retention: 400 })
          let left = 0
          const store = yield* storeWith(file, (files) => ({
            rename: (from, to) =>
              Effect.orDie(other.add([row], 1)).pipe(
                Effect.zipRight(files.rename(from, to)),
                Effect.tap(() => Effect.sync(() => void (left = failures)))
              ),
            open: (path, options) =>
              Effect.suspend(() =>
                left-- > 0
                  ? Effect.fail(systemError("Unknown", "ENOSPC: no space left on device"))
                  : files.open(path, options)
              )
          }))
          expect(yield* logOf(store.add(manyRows.slice(1), 1))).toEqual(log)
          const requests = 50_000 + (failures === 1 ? 1 : 0)
          expect(yield* readAll(store)).toEqual([{ ...row, requests, savedPrice: 50 * requests }])
        })
      )
  )

  it.effect("is replaced an hour after a compaction was killed, although the process restarted at once", () =>
    withFile((file) =>
      Effect.gen(function*() {
        const files = yield* FileSystem.FileSystem
        const killedAt = Date.parse("2026-11-24T12:00:00Z")
        const killed = yield* storeWith(file, () => ({
          rename: () => Effect.die("killed"),
          remove: () => Effect.void
        }))
        yield* TestClock.setTime(killedAt)
        yield* Effect.exit(killed.add(manyRows.slice(1), 1))
        const [left = ""] = (yield* namesIn(file)).filter((name) => name !== "usage.ndjson")
        expect(left).not.toBe("")
        yield* files.utimes(join(dirname(file), left), killedAt / 1000, killedAt / 1000)
        const store = yield* UsageFile.make({ file, retention: 400 })
        // Another process may still be replacing it.
        expect(yield* logOf(store.add([row], 1))).toEqual([])
        expect(yield* namesIn(file)).toContain(left)
        yield* TestClock.setTime(killedAt + 3_600_001)
        yield* store.add([row], 2)
        expect(yield* namesIn(file)).toEqual(["usage.ndjson"])
        expect(yield* sizeOf(file)).toBeLessThan(2000)
        expect(yield* readAll(store)).toEqual([{ ...row, requests: 50_002, savedPrice: 2_500_100 }])
      })
    ))

  it.effect("is not replaced by the unfinished file of another process", () =>
    withFile((file) =>
      Effect.gen(function*() {
        yield* TestClock.setTime(Date.parse("2026-11-24T12:00:00Z"))
        const unfinished = `${file}.compacting`
        const store = yield* storeWith(file, (files) => ({
          stream: (path, options) =>
            files.remove(unfinished).pipe(
              Effect.zipRight(files.writeFileString(unfinished, "")),
              Effect.as(files.stream(path, options)),
              Stream.unwrap
            )
        }))
        yield* store.add(manyRows.slice(1), 1)
        expect(yield* sizeOf(unfinished)).toBe(0)
        const other = yield* UsageFile.make({ file, retention: 400 })
        expect(yield* readAll(other)).toEqual([{ ...row, requests: 50_000, savedPrice: 2_500_000 }])
      })
    ))

  it.effect("that cannot be written or read is an error with its path and the cause", () =>
    withFile((file) =>
      Effect.gen(function*() {
        const store = yield* UsageFile.make({ file: `${file}/a`, retention: 400 })
        const failures = [yield* Effect.flip(store.add([], 0)), yield* Effect.flip(readAll(store))]
        for (const failure of failures) {
          expect(failure.reason).toMatch(/usage\.ndjson\/a: ENOENT: no such file or directory/)
          expect(failure.fix).toBe("expected a file that this process can write")
        }
      })
    ))
})

const stepKinds = ["record", "save", "fails", "loses its reply"] as const

describe("a recorder", () => {
  it.effect.prop(
    "repeats a batch that failed, with the same number, and loses and doubles nothing",
    { steps: FastCheck.array(FastCheck.constantFrom(...stepKinds)) },
    ({ steps }) =>
      Effect.gen(function*() {
        const saved = new Map<number, ReadonlyArray<UsageStore.UsageRow>>()
        let state: typeof stepKinds[number] = "save"
        const { add, save } = yield* RecordUsage.recorder({
          add: (rows, number) =>
            Effect.suspend(() => {
              if (state !== "fails" && !saved.has(number)) saved.set(number, rows)
              return state === "save" ? Effect.void : Effect.fail(new StoreError({ reason: state }))
            }),
          read: () => Effect.void
        })
        const row = { team: "web", client: "shop", operation: "walletTransfers", requests: 1, savedPrice: 7 }
        const expected = UsageStore.makeSums(UsageStore.dimensions)
        for (const step of steps) {
          if (step === "record") {
            add(row)
            expected.add({ ...row, day: "1970-01-01" })
          } else {
            state = step
            yield* Effect.ignore(save)
          }
        }
        state = "save"
        yield* save
        expect(sumsOf([...saved.values()].flat())).toEqual(expected.rows())
      })
  )

  it.effect("counts usage on the day that it is", () =>
    Effect.gen(function*() {
      const days: Array<string> = []
      const { add, save } = yield* RecordUsage.recorder({
        add: (rows) => Effect.sync(() => void days.push(...rows.map(({ day }) => day))),
        read: () => Effect.void
      })
      for (const time of ["2026-02-28T23:59:59.999Z", "2026-03-01T00:00:00Z", "2026-02-28T12:00:00Z"]) {
        yield* TestClock.setTime(Date.parse(time))
        add({ client: "shop", requests: 1 })
      }
      yield* save
      expect(days).toEqual(["2026-02-28", "2026-03-01"])
    }))
})
