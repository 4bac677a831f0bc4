/** The completion scripts of the shells. Each passes the words before the cursor to `quarry __complete`. */

export const shells = ["bash", "zsh", "fish", "powershell"] as const

type Shell = (typeof shells)[number]

export const isShell = (text: string): text is Shell => shells.some((shell) => shell === text)

const bash = `# Completions of quarry for bash. To install them:
#   mkdir -p ~/.local/share/bash-completion/completions
#   quarry completions bash > ~/.local/share/bash-completion/completions/quarry
#   Or, without the package bash-completion, in ~/.bashrc: source <(quarry completions bash)

_quarry() {
  local i n=0 joins= line value current=
  local words=()
  # Bash splits --name=value into three words
  for ((i = 1; i <= COMP_CWORD; i++)); do
    if [[ \${COMP_WORDS[i]} == "=" ]] && ((n > 0)); then
      words[n-1]+="="
      joins=1
    elif [[ -n $joins ]]; then
      words[n-1]+=\${COMP_WORDS[i]}
      joins=
    else
      words[n]=\${COMP_WORDS[i]}
      n=$((n + 1))
    fi
  done
  current=\${words[n-1]}
  unset "words[n-1]"
  COMPREPLY=()
  while IFS= read -r line; do
    value=\${line%%$'\\t'*}
    case $value in
      :files) compopt -o default 2>/dev/null ;;
      :directories) compopt -o dirnames 2>/dev/null ;;
      :nospace) compopt -o nospace 2>/dev/null ;;
      *)
        # Bash replaces only what follows the "="
        [[ $current == --*=* ]] && value=\${value#*=}
        COMPREPLY+=("$value")
        ;;
    esac
  done < <(quarry __complete "=$current" "\${words[@]}" 2>/dev/null)
}
complete -F _quarry quarry
`

/** The first line of a zsh function file names its command. */
const zsh = `#compdef quarry
# Completions of quarry for zsh. To install them:
#   mkdir -p ~/.zfunc && quarry completions zsh > ~/.zfunc/_quarry
#   In ~/.zshrc: fpath+=~/.zfunc; autoload -Uz compinit && compinit
#   Or, after compinit in ~/.zshrc: source <(quarry completions zsh)

_quarry() {
  local line value description
  local -a candidates options
  for line in "\${(@f)$(quarry __complete "=\${(Q)words[CURRENT]}" "\${(@Q)words[2,CURRENT-1]}" 2>/dev/null)}"; do
    value=\${line%%$'\\t'*}
    case $value in
      # Only what follows the "=" is a path
      :files) compset -P "--*="; _files; return ;;
      :directories) compset -P "--*="; _files -/; return ;;
      :nospace) options=(-S "") ;;
      "") ;;
      *)
        # The value and its description, if it has one, separated by a colon
        description=\${line#*$'\\t'}
        candidates+=("\${value//:/\\\\:}\${description:+:}\${description}")
        ;;
    esac
  done
  (( \${#candidates} )) && _describe -V quarry candidates "\${options[@]}"
}
# Loaded by the completion system, or evaluated
if [[ \${funcstack[1]} == _quarry ]]; then _quarry "$@"; else compdef _quarry quarry; fi
`

const fish = `# Completions of quarry for fish. To install them:
#   quarry completions fish > ~/.config/fish/completions/quarry.fish

function __quarry_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    # Only what follows the "=" is a path
    set -l option (string match -r -- '^--[^=]+=' $current)
    set -l path (string replace -r -- '^--[^=]+=' '' $current)
    for line in (quarry __complete "=$current" $words 2>/dev/null)
        switch $line
            case ':files*'
                string replace -r -- '^' "$option" (__fish_complete_path "$path")
            case ':directories*'
                string replace -r -- '^' "$option" (__fish_complete_directories "$path")
            case ':nospace*'
            case '*'
                echo $line
        end
    end
end
complete -c quarry -f -k -a '(__quarry_complete)'
`

const powershell = `# Completions of quarry for powershell. To install them:
#   In $PROFILE: quarry completions powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName quarry -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
    & quarry __complete "=$wordToComplete" @words 2>$null | ForEach-Object {
        $value, $description = $_ -split "\`t", 2
        if ($value.StartsWith(':')) { return }
        if (-not $description) { $description = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
    }
}
`

/** The scripts begin with their installation as comments. */
export const completionScripts: { readonly [S in Shell]: string } = { bash, zsh, fish, powershell }
