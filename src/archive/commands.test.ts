import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createTestDatabase, urlOf } from '../../test/database.js'
import { makeOpenFolder } from '../../test/open-folder.js'
import { bookHistory, type TestLedger } from '../audit/test-booked-history.js'
import { addSettingFlags, DATABASE_SETTINGS } from '../config/setting-flags.js'
import { OperatorError } from '../core/errors.js'
import { withDatabase } from '../store/with-database.js'
import { addArchiveCommand } from './commands.js'
import { createArchive } from './domain.js'

const HISTORY = { startMs: Date.UTC(2026, 10, 14, 23, 40), hours: 0.55, intensity: 1 }
const never = new AbortController().signal

let ledger: TestLedger
let folder: string
beforeAll(async () => {
  ledger = await bookHistory(HISTORY)
  await ledger.database.sql`insert into dataset (name, chain_id) values ('demo', 137)`
  folder = makeOpenFolder('archive-command')
}, 120_000)
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await ledger.database.drop()
})

/** What the command printed. */
async function run(...args: string[]): Promise<string> {
  const lines: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
  const program = new Command('auspex').exitOverride()
  addSettingFlags(addArchiveCommand(program, withDatabase), DATABASE_SETTINGS)
  try {
    await program.parseAsync(['node', 'auspex', 'archive', ...args])
  } finally {
    log.mockRestore()
  }
  return lines.join('\n')
}

test('the command archives, finds everything archived, verifies and restores', async () => {
  const location = join(folder, 'by-command')
  const database = ['--database-url', urlOf(ledger.database)]
  expect(await run('--to', location, ...database)).toMatch(
    /^Wrote \d+ days up to 2026-11-14 to .* rows in \d+ files/,
  )
  expect(await run('--to', location, ...database)).toMatch(/^Nothing to write: all \d+ days up to 2026-11-14/)
  expect(await run('--verify', '--from', location)).toMatch(/^All as the manifests say: \d+ days/)

  const empty = await createTestDatabase({ isEmpty: true })
  onTestFinished(() => empty.drop())
  expect(await run('--restore', '--from', location, '--database-url', urlOf(empty))).toMatch(
    /^Restored \d+ days up to block \d+, dataset demo/,
  )
  await expect(run('--restore', '--from', location, '--database-url', urlOf(empty))).rejects.toThrow(
    /holds blocks of the chain already/,
  )

  const replays = await createTestDatabase({ isEmpty: true })
  onTestFinished(() => replays.drop())
  const restoreReplays = (days: string) =>
    run('--restore', '--replays', days, '--from', location, '--database-url', urlOf(replays))
  await expect(restoreReplays('2026-12-01..2026-12-31')).rejects.toThrow(
    /^None of these days is in .*: it has .* to 2026-11-14\.$/,
  )
  expect(await restoreReplays('2026-11-14')).toBe(
    'Restored the replays of one day.\nTo serve them: auspex up --roles api,stream',
  )
}, 60_000)

test('verification of what is damaged fails, and says where', async () => {
  const location = join(folder, 'damaged')
  await run('--to', location, '--database-url', urlOf(ledger.database))
  rmSync(join(location, 'table=fills/day=2026-11-14/part-0000.parquet'))
  await expect(run('--verify', '--from', location)).rejects.toThrow(/^1 problems in /)
  await expect(run('--verify', '--from', join(folder, 'nothing'))).rejects.toThrow(/There is no archived day/)
})

test.each([
  [[]],
  [['--to', '/a', '--from', '/b']],
  [['--restore']],
  [['--verify', '--to', '/a']],
  [['--from', '/a']],
  [['--replays', '2026-11-14', '--to', '/a']],
])('%j says what to write instead', async (args) => {
  await expect(run(...args)).rejects.toThrow(OperatorError)
})

test.each(['2026-11', '2026-11-31', '2026-11-15..2026-11-14', 'yesterday'])(
  '--replays %s is refused',
  async (days) => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    onTestFinished(() => void vi.restoreAllMocks())
    await expect(run('--restore', '--from', '/a', '--replays', days)).rejects.toThrow(/It must be a day/)
  },
)

test('with AUSPEX_ARCHIVE_TO a worker archives by itself; without it there is no job', async () => {
  const archiveTo = join(folder, 'by-job')
  const log = { info: vi.fn() }
  type Platform = Parameters<typeof createArchive>[0]
  const platform = (config: object) =>
    ({ config: { dataset: 'demo', ...config }, log }) as unknown as Platform
  const { target } = ledger.database
  expect(createArchive(platform({}), { target }).jobs).toBeUndefined()
  const [job] = createArchive(platform({ archiveTo }), { target }).jobs ?? []
  expect(job).toMatchObject({ name: 'archive', roles: ['worker'], runsIn: 'one process' })
  await job?.run(never)
  expect(existsSync(join(archiveTo, '_days/2026-11-14.json'))).toBe(true)
  expect(log.info).toHaveBeenCalledWith(expect.objectContaining({ lastDay: '2026-11-14' }), 'archived')
})
