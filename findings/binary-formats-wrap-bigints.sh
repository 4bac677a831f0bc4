#!/usr/bin/env bash
# bson 7.3.4 (of the MongoDB driver), @msgpack/msgpack 3.1.3 with useBigInt64 and protobufjs 8.8.1 write a bigint beyond 64 bits modulo 2^64,
# without an error: 2^64 + 5 is 5, 2^256 - 1 is -1 in bson. Its EJSON text is cut too (and rounds 2^53 + 1), Long.fromString also, and
# protobufjs does the same to digits as text; "1e18" there is 1. A bigint of bson comes back as a number up to 2^53, and as a Long beyond.
# @bufbuild/protobuf 2.17.0 reports an error, Decimal128 of bson too: it holds 34 digits. Guess: an error. Needs Node 20 or later and the npm
# registry.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel=error --no-audit --no-fund bson@7.3.4 @msgpack/msgpack@3.1.3 protobufjs@8.8.1 @bufbuild/protobuf@2.17.0 >/dev/null

cat >program.mjs <<'PROGRAM'
import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import { UInt64ValueSchema } from "@bufbuild/protobuf/wkt"
import { decode, encode } from "@msgpack/msgpack"
import { Decimal128, deserialize, EJSON, Long, serialize } from "bson"
import protobuf from "protobufjs"
const max = 2n ** 256n - 1n
const show = (value) => (typeof value === "object" ? `${value.constructor.name} ${value}` : `${typeof value} ${value}`).replace(max, "MAX")
const attempt = (run) => {
  try {
    return show(run())
  } catch {
    return "error"
  }
}
const message = protobuf.parse('syntax = "proto3"; message Transfer { uint64 value = 1; }').root.lookupType("Transfer")
const formats = {
  bson: (value) => deserialize(serialize({ value })).value,
  "bson, EJSON": (value) => EJSON.stringify({ value }).slice(9, -1),
  "bson, Long.fromString": (value) => Long.fromString(`${value}`),
  "bson, Decimal128": (value) => Decimal128.fromString(`${value}`),
  "@msgpack/msgpack": (value) => decode(encode(value, { useBigInt64: true }), { useBigInt64: true }),
  protobufjs: (value) => message.toObject(message.decode(message.encode(message.fromObject({ value })).finish()), { longs: String }).value,
  "protobufjs, text": (value) => message.toObject(message.decode(message.encode(message.fromObject({ value: `${value}` })).finish()), { longs: String }).value,
  "@bufbuild/protobuf": (value) => fromBinary(UInt64ValueSchema, toBinary(UInt64ValueSchema, create(UInt64ValueSchema, { value }))).value
}
for (const [name, format] of Object.entries(formats)) {
  const values = { "2^53 - 1": 2n ** 53n - 1n, "2^53 + 1": 2n ** 53n + 1n, "2^64 + 5": 2n ** 64n + 5n, MAX: max }
  console.log(`${name}: ${Object.entries(values).map(([text, value]) => `${text} is ${attempt(() => format(value))}`).join(", ")}`)
}
console.log("protobufjs, 1e18 as text:", attempt(() => formats.protobufjs("1e18")))
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
bson: 2^53 - 1 is number 9007199254740991, 2^53 + 1 is Long 9007199254740993, 2^64 + 5 is number 5, MAX is number -1
bson, EJSON: 2^53 - 1 is string 9007199254740991, 2^53 + 1 is string 9007199254740992, 2^64 + 5 is string 5, MAX is string -1
bson, Long.fromString: 2^53 - 1 is Long 9007199254740991, 2^53 + 1 is Long 9007199254740993, 2^64 + 5 is Long 5, MAX is Long -1
bson, Decimal128: 2^53 - 1 is Decimal128 9007199254740991, 2^53 + 1 is Decimal128 9007199254740993, 2^64 + 5 is Decimal128 18446744073709551621, MAX is error
@msgpack/msgpack: 2^53 - 1 is bigint 9007199254740991, 2^53 + 1 is bigint 9007199254740993, 2^64 + 5 is bigint 5, MAX is bigint 18446744073709551615
protobufjs: 2^53 - 1 is string 9007199254740991, 2^53 + 1 is string 9007199254740993, 2^64 + 5 is string 5, MAX is string 18446744073709551615
protobufjs, text: 2^53 - 1 is string 9007199254740991, 2^53 + 1 is string 9007199254740993, 2^64 + 5 is string 5, MAX is string 18446744073709551615
@bufbuild/protobuf: 2^53 - 1 is bigint 9007199254740991, 2^53 + 1 is bigint 9007199254740993, 2^64 + 5 is error, MAX is error
protobufjs, 1e18 as text: string 1
EXPECTED
