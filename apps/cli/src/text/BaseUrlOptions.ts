/** Base URLs, with the environment variables that the options override. */
export const baseUrlOptions = [
  { name: "base-url", variable: "QUARRY_BASE_URL", api: "data", description: "Base URL of the data API" },
  {
    name: "streams-url",
    variable: "QUARRY_STREAMS_URL",
    api: "streams",
    description: "Base URL of the streams API"
  },
  {
    name: "ledger-url",
    variable: "QUARRY_LEDGER_URL",
    api: "ledger",
    description: "Base URL of the ledger API"
  },
  {
    name: "ledger-testnet-url",
    variable: "QUARRY_LEDGER_TESTNET_URL",
    api: "ledger",
    description: "Base URL of the ledger API for the testnet"
  }
] as const
