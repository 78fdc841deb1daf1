import type { Config } from '../config/config.js'
import { OperatorError } from '../core/errors.js'
import { createLog } from '../lib/log.js'
import { formatCount, formatSeconds, Progress } from '../lib/progress.js'
import type { Pool, Target } from '../store/connection.js'
import { openDatabase } from '../store/database.js'
import { migrate, readMigrations } from '../store/migrate.js'
import { openArchivePool } from './archive-pool.js'
import { restoreArchive } from './restore/restore-archive.js'
import { retentionOf } from './restore/restore-record.js'
import { restoreReplays } from './restore/restore-replays.js'
import { runArchive } from './run-archive.js'
import type { ArchiveStore } from './store/archive-store.js'
import { openArchiveStore } from './store/open-store.js'
import { verifyArchive } from './verify-archive.js'

const MB = 1_000_000
const INTERRUPTED = 130

type ShowOptions = { location: string; signal: AbortSignal }

/** `auspex archive --to`. */
export async function archive({ location, target, signal }: ShowOptions & { target: Target }): Promise<void> {
  await withStore(location, async (store) => {
    const pool = openArchivePool(target)
    const bar = new Bar('Archiving', 'tables')
    const sinceMs = performance.now()
    try {
      const [row] = await pool<{ name: string }[]>`select name from dataset`
      const result = await stoppable(signal, () =>
        runArchive(
          {
            pool,
            store,
            dataset: row?.name ?? '',
            onProgress: ({ done, total, day, table, bytes }) =>
              bar.show(done, total, `${day} ${table}, ${formatCount(bytes / MB)} MB`),
          },
          signal,
        ),
      )
      bar.end()
      const { days, lastDay, daysWritten, files, rows, bytes } = result
      if (lastDay === undefined) {
        console.log('No day is over yet whose blocks are all final: there is nothing to archive.')
      } else if (daysWritten === 0) {
        console.log(`Nothing to write: all ${days} days up to ${lastDay} are in ${store.location} already.`)
      } else {
        console.log(
          `Wrote ${daysWritten} days up to ${lastDay} to ${store.location}: ${formatCount(rows)} rows in ${files} files, ` +
            `${formatCount(bytes / MB)} MB, in ${formatSeconds((performance.now() - sinceMs) / 1000)}.`,
        )
      }
    } finally {
      bar.end()
      await pool.end({ timeout: 1 })
    }
  })
}

/** `auspex archive --verify`. */
export async function verify({ location, signal }: ShowOptions): Promise<void> {
  await withStore(location, async (store) => {
    const bar = new Bar('Verifying', 'days')
    const onDay = ({ done, total, day }: { done: number; total: number; day: string }) =>
      bar.show(done, total, day)
    const result = await stoppable(signal, () => verifyArchive({ store, signal, onDay })).finally(() =>
      bar.end(),
    )
    const { days, files, bytes, problems } = result
    for (const problem of problems) console.log(problem)
    const size = `${days} days, ${files} files, ${formatCount(bytes / MB)} MB`
    if (days === 0) throw new OperatorError(`There is no archived day in ${store.location}.`)
    if (problems.length > 0) throw new OperatorError(`${problems.length} problems in ${size}.`)
    console.log(`All as the manifests say: ${size}.`)
  })
}

type RestoreOptions = ShowOptions & { config: Config }

/** `auspex archive --restore`. */
export async function restore({ location, config, signal }: RestoreOptions): Promise<void> {
  const retention = retentionOf(config, Date.now())
  await withNewDatabase(location, config, async (pool, store) => {
    const copying = new Bar('Copying facts', 'days')
    const folding = new Bar('Computing the ledger', 'blocks')
    const sinceMs = performance.now()
    const onDay = ({ done, total, day }: DayProgress) => copying.show(done, total, day)
    const onFold = (block: number, lastBlock: number) => folding.show(block, lastBlock)
    try {
      const { days, block, dataset } = await stoppable(signal, () =>
        restoreArchive({ pool, store, retention, onDay, onFold }, signal),
      )
      folding.end()
      const seconds = formatSeconds((performance.now() - sinceMs) / 1000)
      console.log(
        `Restored ${days} days up to block ${block}, dataset ${dataset}, in ${seconds}.\n` +
          `To go on from there: auspex up${dataFlag(config)}`,
      )
    } finally {
      copying.end()
      folding.end()
    }
  })
}

/** `auspex archive --restore --replays`. */
export async function restoreForReplays({
  location,
  config,
  range,
  signal,
}: RestoreOptions & { range: { fromDay: string; toDay: string } }): Promise<void> {
  await withNewDatabase(location, config, async (pool, store) => {
    const bar = new Bar('Copying replays', 'days')
    const onDay = ({ done, total, day }: DayProgress) => bar.show(done, total, day)
    const { days } = await stoppable(signal, () =>
      restoreReplays({ pool, store, range, onDay }, signal),
    ).finally(() => bar.end())
    console.log(
      `Restored the replays of ${days === 1 ? 'one day' : `${days} days`}.\n` +
        `To serve them: auspex up --roles api,stream${dataFlag(config)}`,
    )
  })
}

type DayProgress = { done: number; total: number; day: string }

const dataFlag = ({ databaseUrl, dataDir }: Config): string =>
  databaseUrl === undefined ? ` --data ${dataDir}` : ''

/** The database is made if it is not there: no service has to have run. */
async function withNewDatabase(
  location: string,
  config: Config,
  work: (pool: Pool, store: ArchiveStore) => Promise<void>,
): Promise<void> {
  await withStore(location, async (store) => {
    const log = createLog('error', process.stderr)
    const database = await openDatabase(config, {
      command: 'auspex archive --restore',
      isService: false,
      log,
    })
    const pool = openArchivePool(database.target)
    try {
      await migrate(pool, readMigrations())
      await work(pool, store)
    } finally {
      await pool.end({ timeout: 1 })
      await database.close()
    }
  })
}

async function withStore(location: string, work: (store: ArchiveStore) => Promise<void>): Promise<void> {
  const store = await openArchiveStore(location)
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

async function stoppable<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!signal.aborted) throw error
    throw new OperatorError('Stopped. The same command goes on from here.', INTERRUPTED)
  }
}

/** A progress bar whose total is known with its first step. */
class Bar {
  readonly #title: string
  readonly #unit: string
  #progress: Progress | undefined

  constructor(title: string, unit: string) {
    this.#title = title
    this.#unit = unit
  }

  show(done: number, total: number, note = ''): void {
    this.#progress ??= new Progress({ title: this.#title, unit: this.#unit, total, from: done })
    this.#progress.show(done, note)
  }

  end(): void {
    this.#progress?.end()
    this.#progress = undefined
  }
}
