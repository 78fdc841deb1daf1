import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { counts, isLong } from '../counts.js'

const MAIN = join(import.meta.dirname, '../../dist/test/universes/main.js')
const MINUTES_MAX = counts({ short: 8, long: 60 })

/** One process each, with faults of nearly every kind between them. */
const SHORT = { from: 84, seeds: 3, seconds: 4 }

/** What it prints, whether all universes were right or not. */
async function runUniverses(...args: string[]): Promise<string> {
  const run = promisify(execFile)(process.execPath, [MAIN, '--keep-going', ...args])
  const { stdout } = await run.catch((error: { stdout: string }) => error)
  return stdout
}

test('universes in which everything breaks end as the truth says', {
  timeout: MINUTES_MAX * 60_000,
}, async () => {
  const { from, seeds, seconds } = counts({ short: SHORT, long: { from: 1, seeds: 20, seconds: 8 } })
  const options = ['--from', from, '--seeds', seeds, '--seconds', seconds]
  const printed = await runUniverses(...options.map(String))
  expect(printed).not.toContain('WRONG')
  expect(printed).toMatch(new RegExp(`^${seeds} universes in `, 'm'))
})

test.runIf(isLong)('plans that once failed are right', { timeout: MINUTES_MAX * 60_000 }, async () => {
  const printed = await runUniverses('--kept')
  expect(printed).not.toContain('WRONG')
  expect(printed).toMatch(/^\d+ universes in /m)
})
