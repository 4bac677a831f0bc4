/** Tests the cache in memory above a remote one: hits without round trips, slow reads, purges and outages. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import { StoreError } from "@blockquarry/http/gateway/StoreError"
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"

const minute = 60_000

const entry = (version: number, freshUntil = minute, bytes = 1): CacheStore.CacheEntry => ({
  response: { status: 200, headers: {}, bytes: new Uint8Array(bytes) },
  version,
  storedAt: 0,
  freshUntil,
  expiresAt: 2 * minute
})

/** A remote cache whose replies the test can delay or fail, and its commands. */
const remoteCache = () => {
  const entries = new Map<string, CacheStore.CacheEntry>()
  const state = {
    unavailable: false,
    version: 100,
    watchers: Array.of<() => void>(),
    commands: Array.of<string>(),
    /** Delays the replies of the following commands. */
    delay: Effect.void as Effect.Effect<unknown>
  }
  const command = <A>(name: string, execute: () => A): Effect.Effect<A, StoreError> =>
    Effect.suspend(() => {
      state.commands.push(name)
      if (state.unavailable) return Effect.fail(new StoreError({ reason: "refused" }))
      const reply = execute()
      return Effect.as(state.delay, reply)
    })
  /** Sends the message of a removal, which processes get again after an outage. */
  const announce = () => {
    for (const watch of state.watchers) watch()
  }
  const backend: CacheStore.RemoteCacheBackend = {
    get: (key) => command(`get ${key}`, () => entries.get(key) ?? null),
    set: (key, entry) =>
      command(`set ${key}`, () => {
        if ((entries.get(key)?.version ?? 0) <= entry.version) entries.set(key, entry)
      }),
    nextVersion: (after) => command("nextVersion", () => state.version = Math.max(state.version, after) + 1),
    remove: (key) =>
      command(`remove ${key}`, () => {
        entries.delete(key)
        announce()
      }),
    clear: command("clear", () => {
      entries.clear()
      announce()
    }),
    watchRemovals: (onRemoval) => Effect.sync(() => void state.watchers.push(onRemoval)),
    ping: Effect.suspend(() =>
      state.unavailable ? Effect.fail(new StoreError({ reason: "refused" })) : Effect.void
    )
  }
  const setAvailable = (available: boolean) => {
    state.unavailable = !available
    if (available) announce()
  }
  /** Runs an effect and returns its result with its commands. */
  const commandsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const before = state.commands.length
      return Effect.map(effect, (result) => [result, state.commands.slice(before)] as const)
    })
  return { announce, backend, commandsOf, entries, setAvailable, state }
}

const withRemote = Effect.gen(function*() {
  const remote = remoteCache()
  return { ...remote, store: yield* CacheStore.tiered(remote.backend) }
})

/** Delays all replies until the returned effect runs. */
const delayReplies = (state: { delay: Effect.Effect<unknown> }) =>
  Effect.map(Deferred.make<void>(), (released) => {
    state.delay = Deferred.await(released)
    return Effect.sync(() => {
      state.delay = Effect.void
    }).pipe(Effect.zipRight(Deferred.succeed(released, undefined)))
  })

describe("a cache above a remote one", () => {
  it.scoped("returns entries from memory while they are fresh, until any process removes entries", () =>
    Effect.gen(function*() {
      const { announce, commandsOf, entries, store } = yield* withRemote
      const stored = entry(5)
      entries.set("a", stored)
      expect(store.peek?.("a")).toBeUndefined()
      expect(yield* commandsOf(store.get("a"))).toEqual([stored, ["get a"]])
      yield* TestClock.adjust(minute - 1)
      expect(yield* commandsOf(store.get("a"))).toEqual([stored, []])
      expect(store.peek?.("a")).toBe(stored)
      announce()
      expect(store.peek?.("a")).toBeUndefined()
      expect(yield* commandsOf(store.get("a"))).toEqual([stored, ["get a"]])
    }))

  it.scoped("reads the newer one of a stale entry, and returns its own if there is none", () =>
    Effect.gen(function*() {
      const { commandsOf, entries, store } = yield* withRemote
      const [stale, newer] = [entry(2, 1000), entry(3)]
      yield* store.set("a", stale)
      yield* TestClock.adjust(1000)
      entries.delete("a")
      expect(yield* commandsOf(store.get("a"))).toEqual([stale, ["get a"]])
      entries.set("a", entry(1))
      expect(yield* store.get("a")).toBe(stale)
      entries.set("a", newer)
      expect([store.peek?.("a"), yield* store.get("a"), store.peek?.("a")]).toEqual([undefined, newer, newer])
    }))

  it.scoped("does not return an entry whose read began before it was removed", () =>
    Effect.gen(function*() {
      const { backend, entries, state, store } = yield* withRemote
      for (const purge of [store.remove("a"), store.clear, backend.remove("a")]) {
        entries.set("a", entry(1))
        const release = yield* delayReplies(state)
        const reading = yield* Effect.fork(store.get("a"))
        yield* Effect.yieldNow()
        state.delay = Effect.void
        expect(yield* purge).not.toBe(false)
        expect(yield* store.get("a")).toBeNull()
        yield* release
        yield* Fiber.join(reading)
        expect([store.peek?.("a"), yield* store.get("a")]).toEqual([undefined, null])
      }
    }))

  it.scoped("keeps an entry that was set while an older one was read", () =>
    Effect.gen(function*() {
      const { entries, state, store } = yield* withRemote
      entries.set("a", entry(1))
      const release = yield* delayReplies(state)
      const reading = yield* Effect.fork(store.get("a"))
      yield* Effect.yieldNow()
      const newer = entry(2)
      yield* store.set("a", newer)
      yield* release
      expect(yield* Fiber.join(reading)).toBe(newer)
      expect(store.peek?.("a")).toBe(newer)
    }))

  it.scoped("waits for at most 250 ms, and not at all while a read takes longer, whose result it uses later", () =>
    Effect.gen(function*() {
      const { commandsOf, entries, state, store } = yield* withRemote
      for (const key of ["a", "b"]) entries.set(key, entry(1))
      const release = yield* delayReplies(state)
      const first = yield* Effect.fork(store.get("a"))
      yield* TestClock.adjust(249)
      expect(first.unsafePoll()).toBeNull()
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(first)).toBeNull()
      // Completes without an adjustment of the clock
      expect(yield* commandsOf(store.get("a"))).toEqual([null, []])
      expect(yield* commandsOf(store.get("b"))).toEqual([null, []])
      yield* release
      yield* Effect.yieldNow()
      expect(store.peek?.("a")).toBe(entries.get("a"))
    }))

  it.scoped("does not wait for writes, has at most 8 MiB of them in flight, and uses further entries alone", () =>
    Effect.gen(function*() {
      const { commandsOf, entries, state, store } = yield* withRemote
      const release = yield* delayReplies(state)
      const keys = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
      const sets = Effect.forEach(keys, (key) => store.set(key, entry(1, minute, 1024 * 1024)))
      const [, commands] = yield* commandsOf(sets)
      expect(commands).toHaveLength(8)
      yield* release
      yield* Effect.yieldNow()
      yield* store.set("k", entry(1, minute, 1024 * 1024))
      expect([...entries.keys()]).toEqual([...keys.slice(0, 8), "k"])
      expect(store.peek?.("j")).toBeDefined()
    }))

  it.scoped("returns during an outage what is in memory, also if it is stale, and removes nothing", () =>
    Effect.gen(function*() {
      const { entries, setAvailable, store } = yield* withRemote
      const [known, added] = [entry(1), entry(2)]
      yield* store.set("known", known)
      entries.set("unknown", entry(3))
      setAvailable(false)
      expect(yield* store.get("unknown")).toBeNull()
      expect(yield* store.get("known")).toBe(known)
      yield* TestClock.adjust(minute)
      expect(store.peek?.("known")).toBe(known)
      yield* store.set("added", added)
      expect(store.peek?.("added")).toBe(added)
      expect([yield* store.remove("known"), yield* store.clear]).toEqual([false, false])
      // Not by this process either
      expect([store.peek?.("known"), store.peek?.("added")]).toEqual([undefined, undefined])
      expect([...entries.keys()]).toEqual(["known", "unknown"])
    }))

  it.scoped("has versions that are higher than its own, which were higher than those of other processes", () =>
    Effect.gen(function*() {
      const { backend, setAvailable } = remoteCache()
      yield* TestClock.adjust(1000)
      const [one, other] = yield* Effect.all([CacheStore.tiered(backend), CacheStore.tiered(backend)])
      const before = yield* other.nextVersion
      setAvailable(false)
      const during = [yield* one.nextVersion, yield* one.nextVersion]
      setAvailable(true)
      yield* TestClock.adjust(500)
      const versions = [before, ...during, yield* one.nextVersion, yield* other.nextVersion]
      expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b))
    }))
})

it.scoped.prop(
  "returns in every process nothing that one has removed, and of stale entries none that is older than the remote one",
  {
    steps: FastCheck.array(
      FastCheck.record({
        do: FastCheck.constantFrom("set", "set", "get", "get", "remove", "clear", "outage", "wait"),
        process: FastCheck.nat(1),
        key: FastCheck.constantFrom("a", "b"),
        age: FastCheck.nat(3)
      }),
      { maxLength: 30 }
    )
  },
  ({ steps }) =>
    Effect.gen(function*() {
      const { backend, entries, setAvailable, state } = remoteCache()
      const stores = yield* Effect.replicateEffect(CacheStore.tiered(backend), 2)
      const set: Array<readonly [key: string, entry: CacheStore.CacheEntry]> = []
      const removed = new Set<CacheStore.CacheEntry | null>()
      const noteRemoved = (key?: string) => {
        for (const [other, entry] of set) if (key === undefined || key === other) removed.add(entry)
      }
      for (const { age, do: step, key, process } of steps) {
        const store = stores[process]
        if (store === undefined) continue
        if (step === "set") {
          const added = entry((yield* store.nextVersion) - age, 2000)
          set.push([key, added])
          yield* store.set(key, added)
        } else if (step === "get") {
          const found = yield* store.get(key)
          expect(found !== null && removed.has(found)).toBe(false)
        } else if (step === "remove") {
          if (yield* store.remove(key)) noteRemoved(key)
        } else if (step === "clear") {
          if (yield* store.clear) noteRemoved()
        } else if (step === "outage") setAvailable(state.unavailable)
        else yield* TestClock.adjust(700)
      }
      setAvailable(true)
      yield* TestClock.adjust(2500)
      for (const store of stores) {
        for (const key of ["a", "b"]) {
          expect((yield* store.get(key))?.version ?? 0).toBeGreaterThanOrEqual(entries.get(key)?.version ?? 0)
        }
      }
    })
)
