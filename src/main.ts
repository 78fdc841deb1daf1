#!/usr/bin/env node
import { Command } from 'commander'
import { addAccountCommands } from './accounts/commands.js'
import { type Config, describeConfig } from './config.js'
import { messageOf, OperatorError, reportAndExit } from './errors.js'
import { createLog } from './log.js'
import { startService } from './service.js'
import {
  addSettingFlags,
  DATABASE_SETTINGS,
  describeEnvironment,
  readConfig,
} from './setting-flags.js'
import { createPool, isOutage, type Pool } from './store/connection.js'
import { borrowDatabase } from './store/database.js'
import { migrate, readMigrations } from './store/migrate.js'
import { untilStopped } from './until-stopped.js'
import { addUpstreamCommands } from './upstreams/commands.js'
import { VERSION } from './version.js'

const program = new Command('auspex')
  .description('A prediction-market data service that runs on your own machine.')
  .version(VERSION)
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

for (const group of addAccountCommands(program, withDatabase)) {
  for (const command of group.commands) addSettingFlags(command, DATABASE_SETTINGS)
}

await program.parseAsync().catch(reportAndExit)

async function up(config: Config): Promise<void> {
  const log = createLog(config.logLevel, process.stdout)
  const service = await startService(config, { command: 'auspex up', log })
  await untilStopped(service)
}

/** Opens the database for one command. A database that a service has open already is shared. */
async function withDatabase(command: Command, work: (pool: Pool) => Promise<void>): Promise<void> {
  const { config } = readConfig(command)
  const log = createLog('error', process.stderr)
  const name = `auspex ${command.parent?.name()} ${command.name()}`
  const database = await borrowDatabase(config, { command: name, isService: false, log })
  const pool = createPool(database.target, 2)
  try {
    await migrate(pool, readMigrations())
    await work(pool)
  } catch (error) {
    if (!isOutage(error)) throw error
    throw new OperatorError(`The database does not answer: ${messageOf(error)}`)
  } finally {
    await pool.end({ timeout: 1 })
    await database.close()
  }
}
