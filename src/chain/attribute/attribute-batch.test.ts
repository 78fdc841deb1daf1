import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Universe } from '../../../sim/universe/universe.js'
import { endOfBlock, seqOf } from '../../core/seq.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { BatchFacts } from '../facts/registry.js'
import { attributeBatch } from './attribute-batch.js'
import { balancesOfFacts, balancesOfLogs, suppliesOfFacts, suppliesOfLogs } from './test-balances.js'
import { expectAct, idOf } from './test-expect-act.js'
import { emptyLike, factsByTransaction } from './test-facts-by-transaction.js'
import { simulatedActs, simulatedLogs } from './test-simulated-logs.js'

const startMs = Date.UTC(2026, 10, 14, 12)
const universe = new Universe({ seed: 5, startMs })
universe.advance(startMs + 2 * 3_600_000)
const logs = simulatedLogs(universe)
const acts = simulatedActs(universe)
const facts = attributeBatch({ logs, blocks: [] })

describe('the facts of a universe', () => {
  test('are of every kind, and none is in quarantine', () => {
    expect(facts.quarantine).toEqual([])
    expect(facts.unknownOperators).toEqual([])
    expect(facts.rawLogs.filter(({ kind }) => kind === 'unknown')).toEqual([])
    expect(new Set(facts.fills.map(({ generation }) => generation))).toEqual(new Set([1, 2, 3]))
    const kinds = new Set(acts.map(({ act }) => act.kind))
    for (const kind of ['split', 'merge', 'redeem', 'redeemCombo', 'convert', 'transfer'] as const)
      expect(kinds).toContain(kind)
  })

  test('describe the act of every transaction', () => {
    const factsByHash = factsByTransaction(facts)
    for (const { txHash, act } of acts) expectAct(act, factsByHash.get(txHash) ?? emptyLike(facts))
  })

  test('give every wallet the balance that the transfer logs give', () => {
    expect(balancesOfFacts(facts)).toEqual(balancesOfLogs(logs))
    expect(suppliesOfFacts(facts)).toEqual(suppliesOfLogs(logs))
  })

  test('count the volume of a match once', () => {
    let volume = 0n
    for (const { act } of acts) if (act.kind === 'match') volume += BigInt(act.taker.usd)
    const takers = facts.fills.filter(({ isTaker }) => isTaker)
    expect(takers.reduce((sum, { usd }) => sum + usd, 0n)).toBe(volume)
  })

  test('have the tokens of a condition once, in the order of its outcomes', () => {
    const tokens = new Map(facts.outcomes.map(({ condition, tokens: ids }) => [condition, ids]))
    expect(tokens.size).toBe(facts.outcomes.length)
    for (const { act } of acts) {
      if (act.kind !== 'split' && act.kind !== 'prepareCombo') continue
      const { conditionId, tokens: pair } = act.kind === 'split' ? act.market : act.combo
      expect(tokens.get(conditionId.padEnd(66, '0'))).toEqual(pair.map(idOf))
    }
  })

  test('have the owners of wallets', () => {
    const owners = acts.flatMap(({ act }) => (act.kind === 'createWallet' ? [act.wallet] : []))
    const known = owners.filter(({ kind }) => kind === 'safe' || kind === 'proxy')
    expect(facts.walletOwners).toMatchObject(
      known.map(({ address: wallet, owner, kind }) => ({ wallet, owner, kind })),
    )
  })

  test('has each list in the order of the chain', () => {
    for (const rows of Object.values(facts)) {
      const seqs = rows.map((row) => ('seq' in row ? row.seq : 0))
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
    }
  })
})

describe('the facts are the same', () => {
  const some = logs.slice(-3_000)
  const whole = attributeBatch({ logs: some, blocks: [] })

  test('however the logs come', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (numbers) => {
        const next = () => numbers.next().value ?? 0
        const repeated = [...some, ...some.filter(() => next() % 4 === 0)]
        const removed = some.filter(() => next() % 4 === 0).map(takeBack)
        const shuffled = [...repeated, ...removed]
          .map((log) => ({ log, order: next() }))
          .sort((a, b) => a.order - b.order)
          .map(({ log }) => log)
        expect(attributeBatch({ logs: shuffled, blocks: [] })).toEqual(whole)
      }),
      { numRuns: 10 },
    )
  })

  test('in one piece and in two', () => {
    const blocks = [...new Set(some.map(({ at }) => at.blockNumber))]
    fc.assert(
      fc.property(fc.constantFrom(...blocks), (cut) => {
        const [first, second] = [
          some.filter(({ at }) => at.blockNumber < cut),
          some.filter(({ at }) => at.blockNumber >= cut),
        ].map((part) => attributeBatch({ logs: part, blocks: [] }))
        expect(join(first, second)).toEqual({ ...whole, outcomes: expect.anything() })
      }),
      { numRuns: 20 },
    )
  })

  test('with headers as without, but for the parents that only headers name', () => {
    const headers = whole.blocks.map((block) => ({ ...block, parentHash: block.hash }))
    const dateless = some.map((log) => ({ ...log, at: { ...log.at, timestampSec: undefined } }))
    const last = { number: 99_999_999, hash: '0x01', parentHash: '0x02', timeSec: 1 }
    expect(attributeBatch({ logs: dateless, blocks: [last, ...headers] })).toEqual({
      ...whole,
      blocks: [...headers, last],
    })
    expect(() => attributeBatch({ logs: dateless, blocks: [] })).toThrow('no log or header has the time')
  })
})

test('a log that its block does not have is kept apart and not booked', () => {
  const [log] = logs
  if (log === undefined) throw new Error('there are no logs')
  const absurd = { ...log, at: { ...log.at, logIndex: 2 ** 40 } }
  const { quarantine, ...rest } = attributeBatch({ logs: [], refused: [log, absurd], blocks: [] })
  const seq = seqOf(log.at.blockNumber, log.at.logIndex)
  const reason = 'not_in_receipts'
  expect(quarantine).toMatchObject([
    { seq, reason },
    { seq: endOfBlock(log.at.blockNumber), reason },
  ])
  expect(Object.values(rest).flat()).toEqual([])
})

function takeBack(log: ChainLog): ChainLog {
  return { ...log, removed: true, at: { ...log.at, blockHash: `0x${'9'.repeat(64)}` } }
}

function join(first: BatchFacts | undefined, second: BatchFacts | undefined): BatchFacts {
  const joined = emptyLike(facts)
  for (const name of Object.keys(joined) as (keyof BatchFacts)[]) {
    const list: unknown[] = joined[name]
    list.push(...(first?.[name] ?? []), ...(second?.[name] ?? []))
  }
  return joined
}
