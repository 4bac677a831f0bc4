/** `quarry alias`, and names in place of addresses. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { exampleValues } from "../../src/help/Help.ts"
import { records } from "../support/quarry.ts"
import { directories } from "./support.ts"

const { token, wallet } = exampleValues

it.live("names an address, lists it, and removes it", () =>
  Effect.gen(function*() {
    const { readUser, run } = yield* directories
    expect(yield* run(["alias", "set", "Treasury", wallet])).toMatchObject({
      code: 0,
      err: `treasury is ${wallet}\n`
    })
    expect(readUser()).toBe(`aliases:\n  treasury: ${wallet}\n`)
    expect((yield* run(["alias", "set", "treasury", token])).err).toContain(`no longer ${wallet}`)
    expect(records((yield* run(["alias", "list"])).out)).toEqual([{ name: "treasury", address: token }])
    expect((yield* run(["alias", "unset", "tresury"])).err).toContain("did you mean treasury?")
    expect((yield* run(["alias", "unset", "TREASURY"])).code).toBe(0)
    expect(yield* run(["alias", "list"])).toMatchObject({
      code: 0,
      out: "",
      err: expect.stringContaining("no aliases")
    })
    expect((yield* run(["alias", "unset", "treasury"])).code).toBe(3)
  }).pipe(Effect.scoped))

it.live("rejects names that look like addresses or chains, and texts that are no addresses", () =>
  Effect.gen(function*() {
    const { run } = yield* directories
    for (
      const [name, address] of [["eth", wallet], [wallet, wallet], ["treasury", "0x12"], [
        "treasury",
        "vault"
      ]]
    ) {
      expect((yield* run(["alias", "set", name ?? "", address ?? ""])).code).toBe(2)
    }
  }).pipe(Effect.scoped))

it.live("is accepted by arguments and options, in any case", () =>
  Effect.gen(function*() {
    const { run } = yield* directories
    yield* run(["alias", "set", "treasury", wallet])
    yield* run(["alias", "set", "coin", token])
    const argv = (address: string, contract: string) => [
      "wallet",
      "transfers",
      address,
      "--contract-addresses",
      contract,
      "--limit",
      "3",
      "--sandbox"
    ]
    const named = yield* run(argv("TREASURY", "Coin"))
    expect(named).toMatchObject({ code: 0, out: (yield* run(argv(wallet, token))).out })
    expect((yield* run(["api", "tokenPrice", "address=coin", "--sandbox"])).code).toBe(0)
    expect((yield* run(argv("vitalik.eth", token))).err).toContain("quarry alias set vitalik <address>")
    expect(yield* run(argv("tresury", token))).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /<address>: expected an address or an alias, got "tresury"\n.*did you mean treasury\?/
      )
    })
  }).pipe(Effect.scoped))

it.live("is shown in tables, and never in JSON and CSV", () =>
  Effect.gen(function*() {
    const { run } = yield* directories
    const argv = ["token", "owners", token, "--limit", "3", "--sandbox"]
    const [{ owner_address } = { owner_address: "" }] = records((yield* run([...argv, "-o", "ndjson"])).out)
    yield* run(["alias", "set", "largest-holder", String(owner_address)])
    expect((yield* run([...argv, "-o", "table"], { terminal: 120 })).out).toContain("largest-holder")
    for (const format of ["json", "ndjson", "csv"]) {
      expect((yield* run([...argv, "-o", format])).out).not.toContain("largest-holder")
    }
  }).pipe(Effect.scoped))
