/** Numbers and times are short and have a unit. */
import { describe, expect, it } from "@effect/vitest"
import {
  ago,
  bytes,
  duration,
  millis,
  number,
  percent
} from "../../../../src/admin/page/browser/formatting.ts"

describe("formatting", () => {
  it.each([
    [number(0), "0"],
    [number(3.14159), "3.14"],
    [number(4004), "4,004"],
    [number(1_234_567), "1.23M"],
    [percent(0.63123), "63.1 %"],
    [bytes(999), "999 B"],
    [bytes(36_000_000), "36 MB"],
    [millis(0), "0 µs"],
    [millis(0.25), "250 µs"],
    [millis(12.34), "12.3 ms"],
    [millis(2500), "2.5 s"],
    [duration(4000), "4 s"],
    [duration(125_000), "2 min 5 s"],
    [duration(3 * 3_600_000), "3 h 0 min"],
    [duration(97_200_000), "1 d 3 h"],
    [ago(1000, 1500), "now"],
    [ago(0, 20_000), "20 s ago"]
  ])("%s", (formatted, expected) => {
    expect(formatted).toBe(expected)
  })
})
