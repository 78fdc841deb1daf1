import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { countRules } from './test-rule-counts.js'
import { Universe } from './universe.js'

const HISTORY_MS = 3 * 86_400_000
const START_MS = Date.UTC(2026, 10, 12, 12)
const TIMEOUT_MS = 120_000

/** The rows of the table of the documentation: a rule, how often it was counted, how often at least. */
function readFloors(): Map<string, number> {
  const page = readFileSync(new URL('../../docs/simulator.md', import.meta.url), 'utf8')
  const rows = page.matchAll(/^\| ([^|]+?) +\| +[\d.]+ \| +(\d+) \|$/gm)
  return new Map([...rows].map(([, rule = '', floor]) => [rule, Number(floor)]))
}

test(
  'three days of history show each rule as often as the documentation says',
  () => {
    const universe = new Universe({ seed: 1, startMs: START_MS })
    universe.advance(START_MS + HISTORY_MS)
    const seen = countRules(universe)
    const floors = readFloors()
    expect([...floors.keys()].sort()).toEqual([...seen.keys()].sort())
    const tooRare = [...floors].filter(([rule, floor]) => (seen.get(rule) ?? 0) < floor)
    expect(tooRare.map(([rule, floor]) => [rule, seen.get(rule), floor])).toEqual([])
  },
  TIMEOUT_MS,
)
