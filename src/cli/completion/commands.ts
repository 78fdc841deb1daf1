import { Argument, type Command } from 'commander'

/** What can follow the words of a command: `auspex keys` is followed by `create`, `--help` and so on. */
type Completion = { path: string; words: string[] }

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** Adds `completion` to the command line, which knows all commands that were added before it runs. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands and flags in your shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: (typeof SHELLS)[number]) => {
      const completions = listCompletions(program, program.name())
      console.log(shell === 'fish' ? forFish(completions) : forBash(completions, shell))
    })
}

const HELP = `
Examples:
  $ auspex completion bash >> ~/.bashrc
  $ auspex completion zsh >> ~/.zshrc
  $ auspex completion fish > ~/.config/fish/completions/auspex.fish
`

function listCompletions(command: Command, path: string): Completion[] {
  const flags = command.options.flatMap(({ long }) => (long == null ? [] : [long]))
  const names = command.commands.map((each) => each.name())
  return [
    { path, words: [...names, ...flags, '--help'] },
    ...command.commands.flatMap((each) => listCompletions(each, `${path} ${each.name()}`)),
  ]
}

/** What most shells have loaded already, with the emulation of bash, which needs it. */
const ZSH_PREPARATION = `(( $+functions[compdef] )) || { autoload -U compinit && compinit; }
autoload -U +X bashcompinit && bashcompinit
`

/** zsh runs the same script, with its own emulation of what bash has for completions. */
function forBash(completions: readonly Completion[], shell: 'bash' | 'zsh'): string {
  const cases = completions.map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`)
  return `${shell === 'zsh' ? ZSH_PREPARATION : ''}_auspex() {
  local path=auspex words word count=$((COMP_CWORD - 1))
  for word in "\${COMP_WORDS[@]:1:$count}"; do
    [[ $word == -* ]] && break
    path="$path $word"
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _auspex auspex`
}

function forFish(completions: readonly Completion[]): string {
  const lines = completions.map(({ path, words }) => {
    const [, ...parents] = path.split(' ')
    const seen = parents.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ')
    return `complete -c auspex -n '${seen || '__fish_use_subcommand'}' -f -a '${words.join(' ')}'`
  })
  return lines.join('\n')
}
