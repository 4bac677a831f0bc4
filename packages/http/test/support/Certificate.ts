/** Makes certificates of servers on the loopback interface. */
import { generateKeyPairSync, sign } from "node:crypto"

export interface Certificate {
  /** In PEM format. */
  readonly cert: string
  readonly key: string
}

/** Encodes a value in DER. */
const der = (tag: number, ...contents: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(contents)
  const length = content.length < 0x80
    ? [content.length]
    : [0x82, content.length >> 8, content.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const sequence = (...members: ReadonlyArray<Uint8Array>) => der(0x30, ...members)
const integer = (value: number) => der(0x02, Buffer.from([value]))
const text = (tag: number, value: string) => der(tag, Buffer.from(value))
const objectId = (...bytes: ReadonlyArray<number>) => der(0x06, Buffer.from(bytes))

const ecdsaWithSha256 = sequence(objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
const name = sequence(der(0x31, sequence(objectId(0x55, 0x04, 0x03), text(0x0c, "Blockquarry test"))))
const validity = sequence(text(0x18, "20000101000000Z"), text(0x18, "21000101000000Z"))
/** The subject alternative name 127.0.0.1. */
const extensions = sequence(
  sequence(
    objectId(0x55, 0x1d, 0x11),
    der(0x04, sequence(der(0x87, Buffer.from([127, 0, 0, 1]))))
  )
)

/** Makes a self-signed certificate for 127.0.0.1. */
export const make = (): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const version3 = der(0xa0, integer(2))
  const certified = sequence(
    version3,
    integer(1),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions)
  )
  const signature = sign("sha256", certified, privateKey)
  const certificate = sequence(certified, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature))
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ type: "pkcs8", format: "pem" }))
  }
}
