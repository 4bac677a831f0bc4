/** Wallets of people, exchanges and contracts, with and without labels. */
import type { Address } from "@blockquarry/core/Address"
import { addresses } from "./Identifiers.ts"
import type { Wallet } from "./Model.ts"

type AccountRole = "person" | "exchange" | "pool" | "marketplace" | "vault"

type NamedAccount = readonly [role: AccountRole, label: string, entity: string | null]

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
export interface Accounts {
  readonly all: ReadonlyArray<Wallet>
  /** Active on most chains. */
  readonly main: Address
  /** Sender or recipient of every transfer of the busy token. */
  readonly busy: Address
  /** Has no activity. */
  readonly empty: Address
  /** Wallets that send, receive and trade. */
  readonly participants: ReadonlyArray<Address>
  readonly pools: ReadonlyArray<Address>
  readonly marketplaces: ReadonlyArray<Address>
}

const isContract = (role: AccountRole): boolean =>
  role === "pool" || role === "marketplace" || role === "vault"

const logo = (entity: string): string => `https://logos.example/entities/${encodeURIComponent(entity)}.png`

/** Creates the accounts of a seed. */
export const makeAccounts = (seed: string): Accounts => {
  const address = addresses(`${seed}/wallet`)
  const wallets = [
    ...namedAccounts.map(([role, label, entity], index) => ({
      role,
      wallet: {
        address: address(index),
        label,
        entity,
        entityLogo: entity === null ? null : logo(entity),
        isContract: isContract(role)
      }
    })),
    ...Array.from({ length: unnamedCount }, (_, index) => ({
      role: "person" as const,
      wallet: {
        address: address(1000 + index),
        label: null,
        entity: null,
        entityLogo: null,
        isContract: false
      }
    }))
  ]
  const main = address(1000)
  const busy = address(0)
  const empty = address(1001)
  const withRoles = (...roles: ReadonlyArray<AccountRole>): ReadonlyArray<Address> =>
    wallets.filter(({ role }) => roles.includes(role)).map(({ wallet }) => wallet.address)
  return {
    all: wallets.map(({ wallet }) => wallet),
    main,
    busy,
    empty,
    participants: withRoles("person", "exchange", "vault").filter((wallet) => wallet !== empty),
    pools: withRoles("pool"),
    marketplaces: withRoles("marketplace")
  }
}
