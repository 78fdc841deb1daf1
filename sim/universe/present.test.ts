import { expect, test } from 'vitest'
import { WHOLE_WORLD } from '../run.js'
import type { Act } from './acts.js'
import { Universe } from './universe.js'

const START_MS = Date.UTC(2026, 10, 12, 6)
const PRESENT_MS = START_MS + 2 * 3_600_000
const LOOK_MS = 10 * 60_000
const options = { seed: 1, startMs: START_MS }

/** The acts of the blocks after the one of that number. */
function actsAfter({ chain }: Universe, number: number): Act[] {
  const acts: Act[] = []
  for (let next = number + 1; next <= chain.head.number; next++) {
    for (const { act } of chain.block(next)?.transactions ?? []) acts.push(act)
  }
  return acts
}

test('the past is the same whether a present follows or not', () => {
  const headOf = (presentMs: number | undefined) => {
    const universe = new Universe({ ...options, ...(presentMs !== undefined && { presentMs }) })
    universe.advance(PRESENT_MS - 60_000)
    return universe.chain.hashOf(universe.chain.head)
  }
  expect(headOf(PRESENT_MS)).toBe(headOf(undefined))
})

test.each(['00:07', '01:37', '07:08', '20:34'])(
  'four hours until %s have combos that were redeemed',
  (time) => {
    const presentMs = Date.parse(`2026-11-19T${time}Z`)
    const startMs = presentMs - 4 * 3_600_000
    const universe = new Universe({ seed: 1, startMs, presentMs, ...WHOLE_WORLD })
    universe.advance(presentMs)
    const acts = actsAfter(universe, universe.chain.firstNumber)
    expect(acts.filter(({ kind }) => kind === 'redeemCombo').length).toBeGreaterThan(2)
  },
)

test('ten minutes of the present show all that a webhook tells of, several times', () => {
  const universe = new Universe({ ...options, presentMs: PRESENT_MS })
  universe.advance(PRESENT_MS)
  const { number } = universe.chain.head
  let created = 0
  universe.on('created', () => created++)
  universe.advance(PRESENT_MS + LOOK_MS)
  const acts = actsAfter(universe, number)
  const countOf = (kind: Act['kind']) => acts.filter((act) => act.kind === kind).length
  for (const kind of ['split', 'merge', 'convert', 'redeem', 'resolve'] as const)
    expect(countOf(kind), kind).toBeGreaterThan(5)
  expect(created).toBeGreaterThan(5)

  const orders = acts.flatMap((act) => (act.kind === 'match' ? [act.taker] : []))
  const again = orders.length - new Set(orders.map(({ order }) => order)).size
  expect(again).toBeGreaterThan(5)
})

test('any ten minutes of the present have combos that are made and traded, migrations and a reorganisation', () => {
  const universe = new Universe({ ...options, presentMs: PRESENT_MS, hasReorgs: true })
  universe.advance(PRESENT_MS)
  let reorgs = 0
  universe.on('reorg', () => reorgs++)
  for (let fromMs = PRESENT_MS; fromMs < PRESENT_MS + 12 * LOOK_MS; fromMs += LOOK_MS) {
    const { number } = universe.chain.head
    reorgs = 0
    universe.advance(fromMs + LOOK_MS)
    const acts = actsAfter(universe, number)
    const seen = {
      made: acts.some(({ kind }) => kind === 'prepareCombo'),
      traded: acts.some((act) => act.kind === 'match' && act.of.kind === 'combo' && act.of.legs.length > 1),
      migrated: acts.some(({ kind }) => kind === 'migrate'),
      reorganised: reorgs > 0,
    }
    expect(seen).toEqual({ made: true, traded: true, migrated: true, reorganised: true })
  }
})

test('reorganisations of its own are part of the universe: another life has the same, and none twice', () => {
  const live = (reorgs: Universe['reorgs']) => {
    const universe = new Universe({ ...options, presentMs: START_MS, hasReorgs: true, reorgs })
    universe.advance(START_MS + 2 * LOOK_MS)
    return universe
  }
  const first = live([])
  expect(first.reorgs).toEqual([])
  first.reorg(40)
  first.advance(START_MS + 3 * LOOK_MS)
  const again = live(first.reorgs)
  again.advance(START_MS + 3 * LOOK_MS)
  expect(again.chain.hashOf(again.chain.head)).toBe(first.chain.hashOf(first.chain.head))
})
