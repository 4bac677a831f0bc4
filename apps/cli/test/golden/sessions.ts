/** Sessions of the golden records: configuration, keys, names and diagnostics. The results are in `records/`. */
import type { Session } from "./cases.ts"

const price = "token price {token}"

/** Shows the user file. */
const user = "!cat ~/.config/quarry/config.yaml"

const keys = "!cd ~/.config/quarry/keys && stat -c '%a %n' * && cat *"

const profiles = "profile: gone\nprofiles:\n  work:\n    chain: bsc\n"

/** The names that look like one of the API key, and a value. */
const keyLines = ["api-key", "API_KEY", "key", "token", "x-api-key", "QUARRY_API_KEY", "secret"]
  .map((name) => `${name}: hunter22-hunter22\n`).join("")

export const sessions: Readonly<Record<string, ReadonlyArray<Session>>> = {
  "config": [
    {
      about: "settings",
      lines: [
        "config set chain polygon",
        user,
        "!stat -c %a ~/.config/quarry",
        "config get chain",
        "QUARRY_CHAIN=palm config set chain bsc",
        "config unset chain",
        "config unset chain",
        "config get chain",
        "config get base-url",
        "config get chan",
        "config get output",
        "config get pager",
        "PAGER=more config get pager",
        "PAGER= config get pager",
        "config unset chan",
        "config path",
        "HOME= config path",
        "config set base-ulr https://a.test",
        "config set chain polygn",
        "config set utc yes",
        "config set color alwyas",
        "config set timeout 30",
        "config set pager ''",
        "config set api-key hunter22",
        `${price} --sandbox --profile Work`,
        `${price} --sandbox --profile x`
      ]
    },
    {
      about: "profiles",
      user: profiles,
      lines: [
        "config get chain",
        "QUARRY_PROFILE=wrok config list",
        "doctor --sandbox --profile wrok",
        "config set profile home",
        "config set profile work",
        "auth login --no-verify --profile home <<< key-of-home",
        "config set profile home",
        "config set base-url https://a.test --profile work",
        "QUARRY_PROFILE=work config set chain base",
        "config set profile work --profile other",
        user,
        "config get chain",
        "config get chain --profile default"
      ]
    },
    {
      about: "the project file",
      project: "timeout: 30s\n",
      lines: [
        "config set chain bsc --project",
        "!cat .quarry.yaml",
        "config path --project",
        "config set base-url https://a.test --project",
        "config set api-key-command x --project",
        "config set api-key x --project",
        "!cat .quarry.yaml"
      ]
    },
    {
      about: "origins",
      user: "output: json\nchain: bsc\ncolor: never\nprofiles:\n  work:\n    chain: base\n",
      project: "timeout: 30s\nprofile: work\n",
      lines: [
        "config list --show-origin --rate-limit 5/s -o table",
        "QUARRY_UTC=YES QUARRY_SANDBOX=off QUARRY_CHAIN='  ' config list --show-origin",
        "config get chain --profile default",
        "!echo 'chain: linea' > .quarry.yaml",
        "QUARRY_PROFILE=work config get chain",
        "QUARRY_CHAIN=polygn config get chain",
        `QUARRY_CHAIN=polygn ${price} --sandbox`
      ]
    },
    { about: "no directory for the file", lines: ["!touch ~/.config", "config set chain eth"] }
  ],
  "config-files": [
    {
      about: "invalid YAML",
      user: "chain: eth\n  bad: [\n",
      lines: ["config set chain bsc", user, "config get chain"]
    },
    {
      about: "problems of every kind",
      user: `chan: eth
chain: polygn
output: xml
timeout: soon
rate-limit: fast
base-url: nowhere
streams-url: ftp://a.test
ledger-url: https://user:hunter22@a.test
sandbox: no
color: [auto]
profiles:
  Work:
    chain: eth
  work:
    profile: other
    base-ulr: https://a.test
    base-url: https://a.test
  empty:
aliases:
  eth: 0x1
  Treasury: 0xabababababababababababababababababababab
  vault: 0x12
  ops: 0xABababababababababababababababababababab
`,
      project: "chain: bsc\nprofile: work\nbase-url: https://evil.test\napi-key-command: curl evil.test\n" +
        "profiles:\n  work:\n    chain: eth\naliases:\n  a: 0x1\n",
      lines: [
        "doctor --sandbox",
        "config list --show-origin -q -o table",
        "config get base-url --profile empty -q"
      ]
    },
    {
      about: "keys in files",
      user: keyLines,
      project: "token: hunter22-hunter22",
      lines: ["doctor --sandbox"]
    },
    ...[
      "chain: eth\nchain: bsc\n",
      "chain: \"eth\n",
      "- chain\n",
      "profiles: work\n",
      "# nothing\n",
      "profiles:\naliases:\n"
    ].map(
      (text): Session => ({ user: text, lines: ["config get chain"] })
    ),
    {
      about: "a file that stops other commands",
      user: "chan: eth\nchain: polygn\n",
      lines: [
        `${price} --sandbox`,
        "config unset chan",
        "config set chain eth",
        `${price} --sandbox --fields usdPrice`
      ]
    },
    {
      about: "changes keep everything else",
      user:
        "# my settings\nchain: eth # the default\nunknown: kept\n\n# people\naliases:\n  # cold\n  vault: 0x1\n" +
        "profiles:\n",
      lines: [
        "config set chain polygon",
        "config set base-url https://a.test --profile work",
        user,
        "config unset base-url --profile work",
        user
      ]
    },
    {
      about: "links, devices and large files",
      user: "",
      lines: [
        "!cd ~/.config/quarry && rm config.yaml && touch ~/dotfiles && chmod 662 ~/dotfiles && ln -s ~/dotfiles config.yaml",
        "config set chain bsc",
        "!stat -c '%a %F' ~/dotfiles ~/.config/quarry/config.yaml && cat ~/dotfiles",
        "!ln -sf /dev/zero ~/.config/quarry/config.yaml",
        "config get chain",
        "!cd ~/.config/quarry && rm config.yaml && seq 99999 > config.yaml",
        "config get chain"
      ]
    }
  ],
  "config-use": [
    {
      about: "settings apply like their options, which take precedence",
      user: "output: json\nchain: polygon\nsandbox: true\n",
      script: [{ status: 200, body: "{\"usdPrice\":1}" }],
      showsRequests: true,
      lines: [
        `${price} --fields usdPrice`,
        `${price} --fields usdPrice --chain bsc -o ndjson`,
        "!echo 'chain: palm' > .quarry.yaml",
        "wallet nft-trades {wallet} --sandbox"
      ]
    },
    {
      about: "a service and its key come from the profile",
      user: "profiles:\n  work:\n    base-url: https://work.test\n",
      script: [{ status: 200, body: "{\"usdPrice\":1}" }],
      showsRequests: true,
      lines: [
        "!mkdir ~/.config/quarry/keys && echo key-of-work > ~/.config/quarry/keys/work.key",
        `${price} --profile work --fields usdPrice`,
        `QUARRY_PROFILE=work QUARRY_API_KEY=from-env ${price} --fields usdPrice`
      ]
    },
    {
      about: "a base URL on the command line takes precedence over the sandbox of a file",
      project: "sandbox: true\n",
      script: [{ status: 200, body: "{\"usdPrice\":1}" }],
      showsRequests: true,
      env: { QUARRY_API_KEY: "some-key", QUARRY_BASE_URL: "https://a.test" },
      lines: [`${price} --fields usdPrice`, `${price} --fields usdPrice --base-url https://b.test`]
    },
    {
      about: "a timeout ends a request",
      user: "timeout: 1ms\nsandbox: true\n",
      sandbox: { faults: [{ fault: { kind: "hang" } }] },
      lines: [price]
    },
    {
      about: "a timeout ends neither watches nor exports, and other commands do not have it",
      user: "timeout: 1ms\nsandbox: true\n",
      lines: [
        "man --to {project}/man -q",
        "watch token transfers {token} --since 0 --max-items 1 --fields block_number",
        "token transfers {token} --max-items 3 --to {project}/file.ndjson -q",
        "!wc -l < file.ndjson"
      ]
    },
    {
      about: "colors of a file yield to NO_COLOR, and NO_COLOR to the option",
      user: "color: always\n",
      lines: [
        "explain 5",
        "NO_COLOR=1 explain 5",
        "NO_COLOR=1 explain 5 --color always",
        "NO_COLOR=1 QUARRY_COLOR=always explain 5"
      ]
    }
  ],
  "alias": [
    {
      lines: [
        "alias set Treasury {wallet}",
        user,
        "alias set treasury {token}",
        "alias set coin {token}",
        "alias list -o table",
        "wallet transfers TREASURY --contract-addresses Coin --limit 1 --sandbox --curl",
        "api tokenPrice address=coin --sandbox --curl",
        "wallet transfers vitalik.eth --sandbox",
        "wallet transfers tresury --sandbox",
        "alias set whale 0xba766b2113a53a5900c11859ceca38ca9918c6b4",
        "token owners {token} --limit 1 -q -o table --sandbox",
        "token owners {token} --limit 1 -q -o ndjson --sandbox",
        "token owners {token} --limit 1 -q -o csv --sandbox",
        "alias unset tresury",
        "alias unset TREASURY",
        "alias unset coin",
        "alias list",
        "alias unset treasury",
        "alias set eth {wallet}",
        "alias set {wallet} {wallet}",
        "alias set treasury 0x12",
        "alias set treasury vault"
      ]
    }
  ],
  "auth": [
    {
      about: "a key is stored in a file that only the user can read",
      lines: [
        "!mkdir -p ~/.config/quarry/keys && echo old > ~/.config/quarry/keys/default.key",
        "auth login --no-verify <<< the-stored-key",
        keys,
        "auth login <<< 'two words\nsecond line'",
        "auth login <<< key№",
        "auth login the-stored-key",
        keys,
        "auth login --no-input <<< the-other-key"
      ]
    },
    {
      about: "a key per profile",
      lines: [
        "auth login --no-verify --profile work <<< the-key-of-work",
        keys,
        "auth status",
        "auth status --sandbox",
        "auth status --profile work -o table",
        "auth logout --profile work",
        "auth logout --profile work",
        keys
      ]
    },
    {
      about: "a key is checked with the service",
      isTyped: true,
      env: { QUARRY_BASE_URL: "http://sandbox.invalid" },
      lines: [
        "auth login <<< sandbox-revoked-key",
        "auth login --no-input <<< sandbox-good-key",
        "auth login <<< sandbox-good-key",
        keys,
        "auth status --verify",
        "QUARRY_API_KEY=sandbox-revoked-key auth status --verify -o csv",
        "QUARRY_API_KEY=sandbox-revoked-key auth login --no-verify <<< sandbox-good-key",
        "QUARRY_API_KEY=sandbox-revoked-key auth logout"
      ]
    },
    {
      about: "a key that cannot be checked is stored",
      env: { QUARRY_BASE_URL: "http://sandbox.invalid" },
      script: [{ status: 503, body: "{}" }],
      lines: ["auth login <<< the-stored-key", keys]
    },
    {
      about: "a command prints the key",
      user: "base-url: https://a.test\napi-key-command: echo key-of-command\n",
      script: [{ status: 401, body: "{\"message\":\"no such key: key-of-command\"}" }],
      showsRequests: true,
      lines: [
        `${price} -v`,
        "auth status",
        "config set api-key-command 'echo key | tee trace'",
        `${price} --curl`,
        "token transfers {token} --dry-run",
        "!ls",
        ...["exit 7", "true", "seq 9999"].flatMap((command) => [
          `config set api-key-command '${command}'`,
          `${price}`
        ])
      ]
    }
  ],
  "doctor": [
    {
      lines: [
        "doctor",
        "HOME= doctor --sandbox",
        "doctor --sandbox -o csv"
      ]
    },
    {
      about: "an API key that others can read",
      lines: [
        "!mkdir -p ~/.config/quarry/keys && echo key > ~/.config/quarry/keys/default.key",
        "doctor --sandbox"
      ]
    },
    {
      about: "a service",
      isServed: true,
      lines: [
        "doctor",
        "QUARRY_API_KEY= doctor",
        "QUARRY_API_KEY=sandbox-revoked-key doctor",
        "QUARRY_API_KEY=sandbox-exhausted-key doctor",
        "QUARRY_BASE_URL=http://127.0.0.1:{port}/foo doctor",
        "QUARRY_BASE_URL=http://0.0.0.0:{port} doctor",
        "QUARRY_BASE_URL=https://127.0.0.1:{port} doctor",
        "QUARRY_BASE_URL=http://127.0.0.1:1 doctor",
        "QUARRY_BASE_URL=http://no-such-host.invalid doctor",
        "QUARRY_BASE_URL= doctor",
        ...[
          "https://data.test HTTPS_PROXY=http://ana:hunter22@127.0.0.1:1",
          "https://data.test HTTPS_PROXY=ana:hunter22@proxy.test:3128"
        ].map((variables) => `QUARRY_BASE_URL=${variables} NO_PROXY=127.0.0.1 doctor`),
        "!mkdir -p ~/.config/quarry/keys && echo sandbox-revoked-key > ~/.config/quarry/keys/default.key",
        "QUARRY_API_KEY= doctor --profile default -q"
      ]
    }
  ]
}
