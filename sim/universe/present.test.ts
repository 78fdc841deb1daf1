import { expect, test } from 'vitest'
import type { Act } from './acts.js'
import { Universe } from './universe.js'

const START_MS = Date.UTC(2026, 10, 12, 6)
const PRESENT_MS = START_MS + 2 * 3_600_000
const LOOK_MS = 10 * 60_000
const options = { seed: 1, startMs: START_MS }

/** The acts of the blocks behind the one of that number. */
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
