/** OpenZeppelin contracts, and random transactions with them. */
import { expect } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Hex } from "viem"
import { encodeDeployData, parseAbi } from "viem"
import { makeRandom } from "../../src/ledger/Random.ts"
import type { AnvilClient } from "./anvil.ts"

const require = createRequire(import.meta.url)

export const erc20 = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "constructor(string name, string symbol)",
  "function mint(address to, uint256 amount)",
  "function burn(uint256 amount)",
  "function transfer(address to, uint256 amount) returns (bool)",
  "function balanceOf(address owner) view returns (uint256)",
  "function totalSupply() view returns (uint256)"
])
const fixed = parseAbi(["constructor(string name, string symbol, uint256 supply, address owner)"])
export const erc721 = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
  "constructor(string name, string symbol, string uri)",
  "function mint(address to)",
  "function burn(uint256 tokenId)",
  "function transferFrom(address from, address to, uint256 tokenId)",
  "function ownerOf(uint256 tokenId) view returns (address)",
  "function balanceOf(address owner) view returns (uint256)",
  "function totalSupply() view returns (uint256)"
])
export const erc1155 = parseAbi([
  "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
  "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] amounts)",
  "constructor(string uri)",
  "function mintBatch(address to, uint256[] ids, uint256[] amounts, bytes data)",
  "function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)",
  "function burn(address owner, uint256 id, uint256 amount)",
  "function balanceOf(address owner, uint256 id) view returns (uint256)"
])

const bytecode = (contract: string): Hex => {
  const file = require.resolve(`@openzeppelin/contracts/build/contracts/${contract}.json`)
  const artifact = Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({
    bytecode: Schema.TemplateLiteral("0x", Schema.String)
  })))(readFileSync(file, "utf8"))
  return artifact.bytecode
}

const gas = 3_000_000n

/** Deploys contracts and sends transactions of every kind, several per block. `moves` is the number of transactions. */
export const runTransactions = async (client: AnvilClient) => {
  const { below, bigBelow, chance, pick } = makeRandom("anvil")
  const accounts = await client.getAddresses()
  const [minter, owner] = accounts
  if (minter === undefined || owner === undefined) throw new Error("no accounts")

  const deploy = async (data: Hex): Promise<Hex> => {
    const sent = await client.sendTransaction({ account: minter, data, gas: 9_000_000n })
    const { contractAddress } = await client.waitForTransactionReceipt({ hash: sent, pollingInterval: 20 })
    if (contractAddress === null || contractAddress === undefined) throw new Error("not deployed")
    return contractAddress
  }
  const minted = await deploy(
    encodeDeployData({ abi: erc20, bytecode: bytecode("ERC20PresetMinterPauser"), args: ["Quartz", "QTZ"] })
  )
  const preset = await deploy(encodeDeployData({
    abi: fixed,
    bytecode: bytecode("ERC20PresetFixedSupply"),
    args: ["Everything", "ALL", 2n ** 256n - 1n, owner]
  }))
  const unique = await deploy(encodeDeployData({
    abi: erc721,
    bytecode: bytecode("ERC721PresetMinterPauserAutoId"),
    args: ["Stones", "ST", "https://stones.example/"]
  }))
  const several = await deploy(
    encodeDeployData({
      abi: erc1155,
      bytecode: bytecode("ERC1155PresetMinterPauser"),
      args: ["https://x.example/"]
    })
  )
  const largeId = 2n ** 255n - 19n

  await client.setAutomine(false)
  let sent: Array<Hex> = []
  let moves = 0
  const mineBlock = async () => {
    await client.mine({ blocks: 1 })
    for (const hash of sent) {
      const { status } = await client.getTransactionReceipt({ hash })
      expect(status).toBe("success")
    }
    moves += sent.length
    sent = []
  }

  /** Transfers or burns a random part of the balance of `account`. */
  const transferToken = async (token: Hex, account: Hex) => {
    const balance = await client.readContract({
      abi: erc20,
      address: token,
      functionName: "balanceOf",
      args: [account]
    })
    const amount = balance === 0n ? 0n : chance(15) ? balance : bigBelow(balance)
    sent.push(
      chance(25)
        ? await client.writeContract({
          account,
          gas,
          abi: erc20,
          address: token,
          functionName: "burn",
          args: [amount]
        })
        : await client.writeContract({
          account,
          gas,
          abi: erc20,
          address: token,
          functionName: "transfer",
          args: [pick(accounts), amount]
        })
    )
  }

  let nextId = 0n
  const alive = new Set<bigint>()
  for (let round = 0; round < 18; round++) {
    // The transactions of a block use different accounts or contracts, so their order does not matter
    const account = pick(accounts)
    sent.push(
      await client.writeContract({
        account: minter,
        gas,
        abi: erc20,
        address: minted,
        functionName: "mint",
        args: [pick(accounts), bigBelow(10n ** 24n)]
      })
    )
    if (round > 1) await transferToken(minted, account)
    await transferToken(preset, round < 3 ? owner : pick(accounts))
    if (round % 2 === 0) {
      sent.push(
        await client.writeContract({
          account: minter,
          gas,
          abi: erc721,
          address: unique,
          functionName: "mint",
          args: [pick(accounts)]
        })
      )
      sent.push(
        await client.writeContract({
          account: minter,
          gas,
          abi: erc1155,
          address: several,
          functionName: "mintBatch",
          args: [pick(accounts), [BigInt(round), largeId], [1n + bigBelow(50n), 2n ** 64n], "0x"]
        })
      )
      await mineBlock()
      alive.add(nextId++)
      continue
    }
    const id = pick([...alive])
    const holder = await client.readContract({
      abi: erc721,
      address: unique,
      functionName: "ownerOf",
      args: [id]
    })
    if (chance(30) && alive.size > 1) {
      sent.push(
        await client.writeContract({
          account: holder,
          gas,
          abi: erc721,
          address: unique,
          functionName: "burn",
          args: [id]
        })
      )
      alive.delete(id)
    } else {
      sent.push(
        await client.writeContract({
          account: holder,
          gas,
          abi: erc721,
          address: unique,
          functionName: "transferFrom",
          args: [holder, pick(accounts), id]
        })
      )
    }
    for (const from of accounts) {
      const held = await client.readContract({
        abi: erc1155,
        address: several,
        functionName: "balanceOf",
        args: [from, largeId]
      })
      if (held === 0n || chance(40)) continue
      const amount = chance(20) ? held : 1n + bigBelow(held)
      sent.push(
        below(4) === 0
          ? await client.writeContract({
            account: from,
            gas,
            abi: erc1155,
            address: several,
            functionName: "burn",
            args: [from, largeId, amount]
          })
          : await client.writeContract({
            account: from,
            gas,
            abi: erc1155,
            address: several,
            functionName: "safeTransferFrom",
            args: [from, pick(accounts), largeId, amount, "0x"]
          })
      )
    }
    await mineBlock()
  }
  return { accounts, minted, preset, unique, several, ids: nextId, alive, moves }
}
