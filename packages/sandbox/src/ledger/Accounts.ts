/** Wallets of people, exchanges and contracts, with and without labels. */
import type { Address } from "@blockquarry/core/Address"
import * as Struct from "effect/Struct"
import { addresses } from "./Identifiers.ts"
import type { Wallet } from "./Model.ts"

type AccountRole = "person" | "exchange" | "pool" | "marketplace" | "vault"

type NamedAccount = readonly [role: AccountRole, label: string | null, entity: string | null]

const namedAccounts: ReadonlyArray<NamedAccount> = [
  ["exchange", "Northwind: Hot Wallet 1", "Northwind Exchange"],
  ["exchange", "Northwind: Hot Wallet 2", "Northwind Exchange"],
  ["exchange", "Northwind: Cold Wallet", "Northwind Exchange"],
  ["exchange", "東京取引所: ホットウォレット", "東京取引所"],
  ["exchange", "Биржа «Север»: кошелёк 7", "Биржа «Север»"],
  ["exchange", "محفظة الخليج", "بورصة الخليج"],
  ["pool", "Sluice V2: WETH/QUSD", "Sluice"],
  ["pool", "Sluice V3: GBTC/QUSD", "Sluice"],
  ["pool", "Κρήνη: δεξαμενή", "Κρήνη"],
  ["marketplace", "Bazaar: Exchange v1.6", "Bazaar"],
  ["marketplace", "集市: 市场合约", "集市"],
  ["vault", "Keystone Bridge", "Keystone"],
  ["vault", "Team multisig", null],
  ["vault", "सुरक्षित तिजोरी", null],
  ["person", "jürgen.example", null],
  ["person", "Ólafur Þórsson", null],
  ["person", "김하늘", null],
  ["person", "แม่น้ำ 🌊", null],
  ["person", "Quote \" backslash \\ <b>&amp;", null]
]

const unnamedCount = 33

/** The wallets of a ledger by role. */
export interface Accounts extends ReturnType<typeof makeAccounts> {}

/** Creates the accounts of a seed. */
export const makeAccounts = (seed: string) => {
  const address = addresses(`${seed}/wallet`)
  const wallet = ([role, label, entity]: NamedAccount, index: number) => ({
    role,
    address: address(index),
    label,
    entity,
    entityLogo: entity === null ? null : `https://logos.example/entities/${encodeURIComponent(entity)}.png`,
    isContract: role === "pool" || role === "marketplace" || role === "vault"
  })
  const wallets = [
    ...namedAccounts.map(wallet),
    ...Array.from({ length: unnamedCount }, (_, index) => wallet(["person", null, null], 1000 + index))
  ]
  const empty = address(1001)
  const withRoles = (...roles: ReadonlyArray<AccountRole>): ReadonlyArray<Address> =>
    wallets.filter(({ role }) => roles.includes(role)).map(({ address }) => address)
  return {
    all: wallets.map((wallet): Wallet => Struct.omit(wallet, "role")),
    /** Active on most chains. */
    main: address(1000),
    /** Sender or recipient of every transfer of the busy token. */
    busy: address(0),
    /** Has no activity. */
    empty,
    /** Wallets that send, receive and trade. */
    participants: withRoles("person", "exchange", "vault").filter((wallet) => wallet !== empty),
    pools: withRoles("pool"),
    marketplaces: withRoles("marketplace")
  }
}
