#!/usr/bin/env node
import { Command } from 'commander'
import { CODE_MINUTES, inviteOperator, signInUrl } from './accounts/sign-in-codes.js'
import { addAccountCommands } from './admin/account-commands.js'
import { addDashboardCommand } from './admin/dashboard-command.js'
import { addKeyCommands } from './admin/key-commands.js'
import { addArchiveCommand } from './archive/commands.js'
import { addLedgerCommands } from './audit/commands.js'
import { addBackupCommands } from './backup/commands.js'
import { addChainCommands } from './chain/commands.js'
import { addCitusCommands } from './citus/commands.js'
import { addCompletionCommand } from './cli/completion/commands.js'
import { addDemoCommand } from './cli/demo/commands.js'
import { addListenCommand } from './cli/listen/commands.js'
import { addMcpCommand } from './cli/mcp/commands.js'
import { addReplayCommand } from './cli/replay/commands.js'
import { addTailCommand } from './cli/tail/commands.js'
import { addCompareCommand } from './compare/commands.js'
import { type Config, describeConfig } from './config/config.js'
import {
  addSettingFlags,
  DATABASE_SETTINGS,
  describeEnvironment,
  readConfig,
} from './config/setting-flags.js'
import { codeOf, reportAndExit } from './core/errors.js'
import { addDoctorCommand } from './doctor/commands.js'
import { faultFields } from './lib/fault-fields.js'
import { keepHeapSmall } from './lib/heap.js'
import { createLog } from './lib/log.js'
import { stopSignals } from './lib/stop-signal.js'
import { COMMIT, VERSION } from './lib/version.js'
import type { Service } from './service.js'
import { withDatabase } from './store/with-database.js'
import { addUpstreamCommands } from './upstreams/commands.js'

keepHeapSmall()

const program = new Command('auspex')
  .description('A prediction-market data service that runs on your own machine.')
  .version(COMMIT === undefined ? VERSION : `${VERSION} (${COMMIT})`)
  .showHelpAfterError('(add --help for how to use it)')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))

const upCommand = program
  .command('up')
  .description('run the service until it is stopped with Ctrl-C or SIGTERM')
  .addHelpText('after', describeEnvironment())
  .addHelpText('after', '\nExample:\n  $ auspex up --port 9000 --data /srv/auspex')
  .action((_options: object, command: Command) => up(readConfig(command).config))
addSettingFlags(upCommand)

const configCommand = program
  .command('config')
  .description('print every setting, secrets masked, and where its value comes from')
  .action((_options: object, command: Command) => console.log(describeConfig(readConfig(command))))
addSettingFlags(configCommand)

addSettingFlags(
  addUpstreamCommands(program, (command) => readConfig(command).config),
  ['polygonUrl', 'polygonWsUrl'],
)

addSettingFlags(
  addDoctorCommand(program, (command) => readConfig(command).config),
  [...DATABASE_SETTINGS, 'polygonUrl', 'polygonWsUrl'],
)

addSettingFlags(addChainCommands(program, withDatabase), [...DATABASE_SETTINGS, 'polygonUrl'])
addSettingFlags(addLedgerCommands(program, withDatabase), [...DATABASE_SETTINGS, 'polygonUrl'])

addSettingFlags(addCompareCommand(program, withDatabase), DATABASE_SETTINGS)

for (const command of addBackupCommands(program, withDatabase)) {
  addSettingFlags(command, DATABASE_SETTINGS)
}

addSettingFlags(addArchiveCommand(program, withDatabase), DATABASE_SETTINGS)

addSettingFlags(addCitusCommands(program, withDatabase), DATABASE_SETTINGS)

addDemoCommand(program)
addTailCommand(program)
addReplayCommand(program)
addListenCommand(program)
addMcpCommand(program)

const accountCommands = addAccountCommands(program, withDatabase)
for (const group of [accountCommands, ...addKeyCommands(program, withDatabase)]) {
  for (const command of group.commands) {
    addSettingFlags(command, [...DATABASE_SETTINGS, 'plansFile'])
  }
}

addSettingFlags(addDashboardCommand(program, withDatabase), [
  ...DATABASE_SETTINGS,
  'host',
  'port',
  'publicUrl',
  'plansFile',
])

addCompletionCommand(program)

await program.parseAsync().catch(reportAndExit)

async function up(config: Config): Promise<void> {
  // Half of what there is to load, and no other command needs it.
  const { startService, untilStopped } = await import('./service.js')
  const log = createLog(config.logLevel, process.stdout)
  // The reader of the log may leave (`auspex up | head`): the service goes on without it.
  process.stdout.on('error', (error) => {
    if (codeOf(error) !== 'EPIPE') throw error
  })
  const { stop: signal, hurry } = stopSignals()
  const starting = startService(config, { command: 'auspex up', log, signal })
  const service = await starting.catch((error) => {
    // Ctrl-C ends the child processes of the start too, which is no fault then.
    if (!signal.aborted) throw error
    log.info('stopped')
  })
  if (service === undefined) return
  if (process.stdout.isTTY) console.log(formatWelcome(service.url, config))
  printInvitation(service).catch((error) => log.warn(faultFields(error), 'no sign-in link was made'))
  await untilStopped(service, signal, { hurry })
}

/** Prints a link that makes the first account, while there is none: to stderr, because it is not for the log. */
async function printInvitation({ url, platform, databaseReady }: Service): Promise<void> {
  await databaseReady
  const code = await inviteOperator(platform.sql)
  if (code === undefined) return
  console.error(`
There is no account yet. This link makes the first one and its key; it is good
once, for ${CODE_MINUTES} minutes. \`npx auspex dashboard\` prints another.
  ${signInUrl(platform.config.publicUrl ?? url, code)}
`)
}

/** For a person who starts the service for the first time: what to set, and where to look. */
function formatWelcome(url: string, { polygonUrl, dataDir }: Config): string {
  // No line is wider than 80 columns.
  const node = `
No chain data will come without a Polygon node. Stop this, and name one:
  export AUSPEX_POLYGON_URL=https://<your node>
  export AUSPEX_POLYGON_WS_URL=wss://<your node>
  npx auspex upstreams        asks every upstream one question
  npx auspex up
More in docs/going-live.md. \`npm run demo\` needs no node.
`
  return `
Auspex listens on ${url}. Ctrl-C stops it.
  Reference  ${url}/docs
  State      ${url}/readyz
  Data       ${dataDir}
${polygonUrl === undefined ? node : ''}
Accounts and keys, in a second terminal in the same folder:
  npx auspex accounts create --name "trading desk" --plan growth
  npx auspex keys create --account acc_1 --name bot
  npx auspex dashboard        prints a link that signs a browser in
`
}
