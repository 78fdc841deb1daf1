import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { sumMetric } from '../../../test/upstream-socket.js'
import { seqOf } from '../../core/seq.js'
import { createBatchFacts } from '../facts/registry.js'
import { ChainWatch } from './chain-watch.js'

const BLOCK = 86_000_000
const OPERATOR = '0x00000000000000000000000000000000000000e4'

function factsAt(number: number, transfers: number) {
  const block = { number, hash: '0x1', parentHash: undefined, timeSec: 1 }
  const unknownOperators = [{ seq: seqOf(number, 0), operator: OPERATOR, transfers }]
  return { ...createBatchFacts(), blocks: [block], unknownOperators }
}

test('counts the logs that attribution and the ledger could not book', async () => {
  const registry = new Registry()
  const watch = new ChainWatch(registry)
  watch.start({ fillsByBlock: [], quarantined: 3 })
  watch.onBooked(factsAt(BLOCK, 1), [{ seq: seqOf(BLOCK, 1), reason: 'column_full' }])()
  expect(watch.quarantined).toBe(4)
  expect(watch.warnings).toEqual([expect.stringContaining('4 logs could not be booked')])
  expect(await sumMetric(registry, 'auspex_chain_quarantined_total')).toBe(1)
})

test('warns of an unknown operator until a reorganisation reverts what it did', async () => {
  const registry = new Registry()
  const watch = new ChainWatch(registry)
  watch.onBooked(factsAt(BLOCK, 10), [])()
  watch.onBooked(factsAt(BLOCK + 1, 100), [])()
  expect(watch.warnings).toEqual([expect.stringContaining(`${OPERATOR} moved`)])
  expect(await sumMetric(registry, 'auspex_chain_strange_operators')).toBe(1)
  watch.onReverted(BLOCK, 0)
  expect(watch.warnings).toEqual([])
  expect(await sumMetric(registry, 'auspex_chain_strange_operators')).toBe(0)
})
