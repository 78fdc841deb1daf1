import { type Command, InvalidArgumentError, Option } from 'commander'
import { readConfig } from '../config/setting-flags.js'
import { OperatorError } from '../core/errors.js'
import { parseUtcDay } from '../core/unix-time.js'
import { stopSignal } from '../lib/stop-signal.js'
import type { WithDatabase } from '../store/with-database.js'

export type ArchiveFlags = {
  to?: string
  from?: string
  restore?: boolean
  replays?: DayRange
  verify?: boolean
}

type DayRange = { fromDay: string; toDay: string }

/** Adds `archive` to the command line. Results go to stdout, the progress to stderr. */
export function addArchiveCommand(program: Command, withDatabase: WithDatabase): Command {
  return program
    .command('archive')
    .description('history as Parquet files: write it, verify it, build a database from it')
    .option('--to <place>', 'write what is missing there: a folder, or s3://bucket/prefix')
    .option('--from <place>', 'the archive to verify or to restore')
    .option('--verify', 'read every file and compare it with its manifest')
    .addOption(new Option('--restore', 'build a new database from the archive').conflicts('verify'))
    .option('--replays <days>', 'with --restore: only what replays of these days need', parseDays)
    .addHelpText('after', HELP)
    .action(async (flags: ArchiveFlags, command: Command) => {
      const { to, from, restore = false, verify = false, replays } = flags
      refuseUnclear(flags)
      const show = await import('./show.js')
      const signal = stopSignal()
      if (verify && from !== undefined) {
        await show.verify({ location: from, signal })
      } else if (restore && from !== undefined) {
        const { config } = readConfig(command)
        if (replays === undefined) await show.restore({ location: from, config, signal })
        else await show.restoreForReplays({ location: from, config, range: replays, signal })
      } else if (to !== undefined) {
        await withDatabase(
          command,
          async (_pool, { target }) => show.archive({ location: to, target, signal }),
          {
            acceptsDemo: true,
          },
        )
      }
    })
}

const DAYS = /^(\d{4}-\d\d-\d\d)(?:\.\.(\d{4}-\d\d-\d\d))?$/

function parseDays(text: string): DayRange {
  const [, fromDay = '', toDay = fromDay] = DAYS.exec(text) ?? []
  const isRange = parseUtcDay(fromDay) !== undefined && parseUtcDay(toDay) !== undefined && fromDay <= toDay
  if (isRange) return { fromDay, toDay }
  throw new InvalidArgumentError('It must be a day, as 2026-01-31, or two of them: 2026-01-31..2026-02-02.')
}

function refuseUnclear({ to, from, restore = false, replays, verify = false }: ArchiveFlags): void {
  const reads = restore || verify
  if (replays !== undefined && !restore) throw new OperatorError('--replays goes with --restore.', 2)
  if (reads && to === undefined && from !== undefined) return
  if (!reads && to !== undefined && from === undefined) return
  throw new OperatorError(
    'Say what to do: `auspex archive --to <place>` writes, `--verify --from <place>` checks,\n' +
      '`--restore --from <place>` builds a new database. `auspex archive --help` has examples.',
    2,
  )
}

const HELP = `
A place is a folder or s3://bucket/prefix. A day is archived when it is over and no reorganisation can change it:
about ten minutes after midnight UTC. Files that are there already are left as they are, so the command may be
stopped and run again at any time, beside a running service. With AUSPEX_ARCHIVE_TO the service does the same by itself.

The files are at table=<name>/day=<day>/part-0000.parquet, which DuckDB, pandas, Spark and Trino read as they are.
--verify prints what is damaged or missing and exits with 1 then.
--restore needs a new data folder (or an empty DATABASE_URL). It copies the facts, checks each day against the
original, and computes positions, profits and candles from them. Stopped, the same command goes on. With --replays
it copies the published events and the recorded books of these days alone: a server for replays, in minutes.

S3 takes keys and region from where all tools of AWS do: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION,
profiles, roles. AWS_ENDPOINT_URL names another server than Amazon's.

Examples:
  $ auspex archive --to /srv/archive
  $ auspex archive --to s3://research/polymarket
  $ auspex archive --verify --from /srv/archive
  $ auspex archive --restore --from s3://research/polymarket --data /srv/auspex-2
  $ auspex archive --restore --replays 2026-11-14..2026-11-15 --from /srv/archive --data /srv/replays
  $ duckdb -c "select day, sum(usd) from read_parquet('/srv/archive/table=fills/*/*.parquet') group by day"
`
