/**
 * The client: one function for each operation, with promises and async iterators.
 *
 * @since 0.1.0
 */
import type * as Inputs from "./Inputs.ts"
import * as Calls from "./internal/Calls.ts"
import type * as Models from "./Models.ts"
import type { CallOptions, ClientOptions, ListOptions } from "./Options.ts"
import type { CollectionPage, Page } from "./Page.ts"

/**
 * Calls an operation. The promise rejects with a `CallError`.
 *
 * @since 0.1.0
 * @category models
 */
export interface OperationFunction<in Input, out Output> {
  (input: Input, options?: CallOptions): Promise<Output>
}

/**
 * Calls a list operation: for one page, or for all pages or all records. The promise and the iterators reject with a
 * `ListError`.
 *
 * An iterable sends nothing before it is iterated, and starts anew with each iteration. Breaking out of a loop cancels the
 * requests in flight.
 *
 * @since 0.1.0
 * @category models
 */
export interface ListOperationFunction<in Input, out Output, out Item>
  extends OperationFunction<Input, Output>
{
  /** Returns all pages. The `cursor` of a page continues the list after it; null on the last page. */
  readonly pages: (input: Input, options?: ListOptions) => AsyncIterable<Output>
  /** Returns all records. The next page is requested when its records are needed. */
  readonly items: (input: Input, options?: ListOptions) => AsyncIterable<Item>
}

/**
 * A client of all APIs.
 *
 * @since 0.1.0
 * @category models
 */
export interface Client extends AsyncDisposable {
  /** Lists the ERC20 transfers of a wallet, newest block first by default. */
  readonly walletTransfers: ListOperationFunction<
    Inputs.WalletTransfersInput,
    Page<Models.Erc20Transfer>,
    Models.Erc20Transfer
  >
  /** Lists the transfers of an ERC20 token. */
  readonly tokenTransfers: ListOperationFunction<
    Inputs.TokenTransfersInput,
    Page<Models.Erc20Transfer>,
    Models.Erc20Transfer
  >
  /**
   * Lists the NFTs of a contract. The first request for a collection starts its indexing. Pages are incomplete until
   * `status` is `SYNCED`.
   */
  readonly contractNfts: ListOperationFunction<
    Inputs.ContractNftsInput,
    CollectionPage<Models.Nft>,
    Models.Nft
  >
  /**
   * Lists the owners of an NFT. The first request for a collection starts its indexing. Pages are incomplete until
   * `status` is `SYNCED`.
   */
  readonly nftOwners: ListOperationFunction<
    Inputs.NftOwnersInput,
    CollectionPage<Models.OwnedNft>,
    Models.OwnedNft
  >
  /** Lists the NFT trades of a wallet. */
  readonly walletNftTrades: ListOperationFunction<
    Inputs.WalletNftTradesInput,
    Page<Models.NftTrade>,
    Models.NftTrade
  >
  /**
   * Lists the holders of an ERC20 token. On chains other than eth the upstream returns
   * them in the wrong order.
   */
  readonly tokenOwners: ListOperationFunction<
    Inputs.TokenOwnersInput,
    Page<Models.TokenOwner>,
    Models.TokenOwner
  >
  /**
   * Returns the metadata of an NFT. The first request for a collection starts its indexing. Until it completes, an NFT may
   * be reported as not found.
   */
  readonly nftMetadata: OperationFunction<Inputs.NftMetadataInput, Models.Nft>
  /** Returns the price of an ERC20 token in US dollars and in the chain's native token. */
  readonly tokenPrice: OperationFunction<Inputs.TokenPriceInput, Models.TokenPrice>
  /** Lists the chains on which a wallet is active. */
  readonly walletChains: OperationFunction<Inputs.WalletChainsInput, Models.WalletChains>
  /** Sets the status of a stream. A failed request is retried only if the upstream cannot have applied it. */
  readonly updateStreamStatus: OperationFunction<Inputs.UpdateStreamStatusInput, Models.StreamRecord>
  /** Returns a ledger transaction by its hash. */
  readonly ledgerTransaction: OperationFunction<Inputs.LedgerTransactionInput, Models.LedgerTransaction>
  /**
   * Cancels all calls, which reject with `ClientClosedError`, and waits until they have ended. Later calls reject with the
   * same error. An open client does not keep a program running.
   */
  readonly close: () => Promise<void>
}

/**
 * Creates a client. Its calls share rate limits, cooldowns, circuit breakers and the cache, so a program needs one client
 * for each API key. Throws a `ConfigurationError` if an option is missing or invalid.
 *
 * @example
 * import { createClient } from "@blockquarry/client"
 *
 * const client = createClient({ apiKey: "…", baseUrl: "https://…" })
 *
 * const price = await client.tokenPrice({ address: "0x…", chain: "eth" })
 *
 * for await (const transfer of client.walletTransfers.items({ address: "0x…" }, { maxItems: 250 })) {
 *   console.log(transfer.block_number, transfer.value)
 * }
 *
 * @since 0.1.0
 * @category constructors
 */
export const createClient = (options: ClientOptions): Client => {
  const { apis: { data, ledger, streams }, close, list, one } = Calls.make(options)
  const client: Client = {
    walletTransfers: list("data", "walletTransfers", data?.walletTransfers),
    tokenTransfers: list("data", "tokenTransfers", data?.tokenTransfers),
    contractNfts: list("data", "contractNfts", data?.contractNfts),
    nftOwners: list("data", "nftOwners", data?.nftOwners),
    walletNftTrades: list("data", "walletNftTrades", data?.walletNftTrades),
    tokenOwners: list("data", "tokenOwners", data?.tokenOwners),
    nftMetadata: one("data", "nftMetadata", data?.nftMetadata),
    tokenPrice: one("data", "tokenPrice", data?.tokenPrice),
    walletChains: one("data", "walletChains", data?.walletChains),
    updateStreamStatus: one("streams", "updateStreamStatus", streams?.updateStreamStatus),
    ledgerTransaction: one("ledger", "ledgerTransaction", ledger?.ledgerTransaction),
    close,
    [Symbol.asyncDispose]: close
  }
  // Where there is no `Symbol.asyncDispose`, its member has the name "undefined".
  Reflect.deleteProperty(client, "undefined")
  return client
}
