import type { Command } from 'commander'
import type { Config } from '../config/config.js'
import { OperatorError } from '../core/errors.js'
import { formatTable } from '../lib/table.js'

/** Adds `upstreams` to the command line. */
export function addUpstreamCommands(program: Command, readConfig: (command: Command) => Config): Command {
  return program
    .command('upstreams')
    .description('ask every configured upstream one question and print what it answers')
    .action((_options: object, command: Command) => showUpstreams(readConfig(command)))
}

/** The connectors are loaded only here: most commands do without them. */
async function showUpstreams(config: Config): Promise<void> {
  const { checkUpstreams } = await import('./check.js')
  const findings = await checkUpstreams(config)
  const rows = findings.map(({ upstream, state, answer, tookMs }) => [
    upstream,
    state === 'failed' ? 'FAILED' : state,
    state === 'off' ? '' : `${tookMs} ms`,
    answer,
  ])
  console.log(formatTable(rows))
  const failed = findings.filter(({ state }) => state === 'failed')
  if (failed.length === 0) return
  throw new OperatorError(`${failed.length} of ${findings.length} upstreams gave no answer.`)
}
