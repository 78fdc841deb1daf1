import { resolve } from 'node:path'
import type { Command } from 'commander'
import { readConfig } from '../config/setting-flags.js'
import { createLog } from '../lib/log.js'
import { stopSignal } from '../lib/stop-signal.js'
import type { WithDatabase } from '../store/with-database.js'

/** Adds `backup` and `restore` to the command line. Results go to stdout, the progress to stderr. */
export function addBackupCommands(program: Command, withDatabase: WithDatabase): Command[] {
  const backup = program
    .command('backup')
    .description('write the embedded database into one file, while the service goes on')
    .argument('<file>', 'the file to make; it must not exist yet')
    .addHelpText('after', BACKUP_HELP)
    .action((file: string, _flags: object, command: Command) =>
      withDatabase(command, async (pool, { config }) => {
        const { runBackup } = await import('./run-backup.js')
        await runBackup({ pool, config, file: resolve(file), signal: stopSignal() })
      }),
    )
  const restore = program
    .command('restore')
    .description('put a backup into a new data folder, and audit it')
    .argument('<file>', 'a file that `auspex backup` made')
    .addHelpText('after', RESTORE_HELP)
    .action(async (file: string, _flags: object, command: Command) => {
      const { config } = readConfig(command)
      const { runRestore } = await import('./run-restore.js')
      const log = createLog('error', process.stderr)
      await runRestore({ config, file: resolve(file), log, signal: stopSignal() })
    })
  return [backup, restore]
}

const BACKUP_HELP = `
The file holds the database as it is when the command ends, and secret.key of the data folder, which
decrypts the secrets of webhooks: only its owner may read the file (mode 0600), keep it so. A key that
is set as AUSPEX_SECRET_KEY is not in it.

It runs beside a service on the same data folder, or without one. A backup that is killed leaves
<file>.partial-<number> at most: <file> is there only when it is whole.
Of a server of your own (DATABASE_URL) make backups with its own tools.

Examples:
  $ auspex backup /backups/auspex-$(date +%F).tar.gz --data /srv/auspex
  $ auspex restore /backups/auspex-2026-11-17.tar.gz --data /srv/auspex-restored
`

const RESTORE_HELP = `
The data folder must be new or empty. The checksum of the file is verified before its database gets
its name; a file of another version of PostgreSQL, of another kind of machine, or of a newer Auspex is
refused. Then PostgreSQL recovers, and the database is audited as \`auspex audit\` does it. What fails
leaves the folder empty; differences that the audit finds are printed, and the folder stays.
Restore files of your own only: a database can hold settings that run programs.

Example:
  $ auspex restore /backups/auspex-2026-11-17.tar.gz --data /srv/auspex-restored
  $ auspex up --data /srv/auspex-restored
`
