import { describe, expect, test } from 'vitest'
import { ALICE, address, makeFill } from '../../events/test-facts.js'
import { insertTestWebhook, type TestWebhook } from '../deliver/test-webhook.js'
import type { Detector } from './detector.js'
import { DETECTORS } from './matcher.js'
import { ActiveWebhooks } from './pass.js'
import { timeOfBlock } from './test-facts.js'
import { TestMatching } from './test-matching.js'

/** A block with one fill in a transaction of this name. */
const trade = (matching: TestMatching, tx: string) =>
  matching.append((at) => ({ fills: [makeFill(3, { ...at(3, tx), wallet: address(tx) })] }))

/** The transactions that a webhook hears of, with the state of each delivery. */
async function heardOf(matching: TestMatching, webhook: TestWebhook): Promise<string[]> {
  const events = await matching.eventsOf(webhook)
  return events.map(({ state, data }) => {
    const tx = String(data.transaction_hash).replace(/^0x0*/, '')
    return state === 'pending' ? tx : `${tx} ${state}`
  })
}

const cursorOf = async ({ facts }: TestMatching) => {
  const [row] = await facts.sql<{ seq: number }[]>`select seq::float8 from webhook_cursor`
  return row?.seq
}

describe('what a webhook sees', () => {
  test('is what comes after it was made, and nothing while it is paused', async () => {
    const matching = await TestMatching.open()
    const { sql } = matching.facts
    await trade(matching, 'a1')
    const webhook = await matching.watch(['trade'])
    await trade(matching, 'a2')
    await matching.match()
    await sql`update webhooks set active = false where id = ${webhook.id}`
    await trade(matching, 'a3')
    await matching.match()
    await trade(matching, 'a4')
    await sql`
      update webhooks
         set active = true, from_seq = ${matching.facts.headSeq},
             active_since = ${new Date(matching.clock.now())}
       where id = ${webhook.id}`
    await trade(matching, 'a5')
    await matching.match()
    expect(await heardOf(matching, webhook)).toEqual(['a2', 'a5'])
    await sql`update webhooks set deleted_at = ${new Date(0)} where id = ${webhook.id}`
    await trade(matching, 'a6')
    await matching.match()
    expect(matching.webhooks.index.size).toBe(0)
    expect(await cursorOf(matching)).toBe(matching.facts.headSeq)
  })

  test('is not what happened before it, also where the chain is read late', async () => {
    const matching = await TestMatching.open()
    const madeMs = timeOfBlock(matching.facts.head + 2) * 1000 + 61_000
    matching.clock.set(madeMs)
    const webhook = await matching.watch(['trade'])
    for (const tx of ['a1', 'a2', 'a3']) await trade(matching, tx)
    matching.clock.set(madeMs + 1)
    await matching.match()
    expect(await heardOf(matching, webhook)).toEqual(['a3'])
  })

  test('does not wait for a clock that was ahead when it was made', async () => {
    const matching = await TestMatching.open()
    matching.clock.advance(24 * 60 * 60_000)
    const webhook = await matching.watch(['trade'])
    await trade(matching, 'a1') // sets the clock right
    await matching.match()
    for (let block = 0; block < 20; block++) await matching.append()
    await trade(matching, 'a2')
    await matching.match()
    expect(await heardOf(matching, webhook)).toEqual(['a1', 'a2'])
  })

  test('follows its changed filters', async () => {
    const matching = await TestMatching.open()
    const webhook = await matching.watch(['trade'], { wallet_addresses: [address('d1')] })
    await trade(matching, 'd1')
    await trade(matching, 'd2')
    await matching.match()
    await matching.facts.sql`
      update webhooks set filters = ${JSON.stringify({ wallet_addresses: [address('d4')] })}::text::jsonb
       where id = ${webhook.id}`
    await trade(matching, 'd3')
    await trade(matching, 'd4')
    await matching.match()
    expect(await heardOf(matching, webhook)).toEqual(['d1', 'd4'])
  })
})

describe('an event is queued once', () => {
  test('also when the process ends between reading and writing', async () => {
    const matching = await TestMatching.open()
    const webhook = await matching.watch(['trade', 'wallet_activity'], {
      wallet_addresses: [ALICE],
    })
    let failures = 2
    const failing: Detector = {
      types: ['trade'],
      detect: async () => ({
        occurrences: [],
        store: async () => {
          if (failures-- > 0) throw new Error('the process is killed')
        },
      }),
    }
    const detectors = [...DETECTORS, failing]
    await trade(matching, 'a1')
    await expect(matching.pass({ detectors })).rejects.toThrow('killed')
    await trade(matching, 'a2')
    await expect(matching.pass({ detectors })).rejects.toThrow('killed')
    expect(await heardOf(matching, webhook)).toEqual([])
    await matching.match({ detectors })
    expect(await heardOf(matching, webhook)).toEqual(['a1', 'a1', 'a2', 'a2'])
  })

  test('also when two processes match at once', async () => {
    const matching = await TestMatching.open()
    const webhook = await matching.watch(['trade'])
    const expected: string[] = []
    for (let block = 10; block < 20; block++) {
      await trade(matching, `a${block}`)
      expected.push(`a${block}`)
      const results = await Promise.all([
        matching.pass(),
        matching.pass({ webhooks: new ActiveWebhooks() }),
        matching.pass({ webhooks: new ActiveWebhooks() }),
      ])
      expect(results.flatMap(({ queued }) => queued)).toHaveLength(1)
    }
    await matching.match()
    expect(await heardOf(matching, webhook)).toEqual(expected)
    const ids = (await matching.eventsOf(webhook)).map(({ id }) => id)
    expect(new Set(ids).size).toBe(expected.length)
  })

  test('with the same id and bytes for all webhooks that get the same', async () => {
    const matching = await TestMatching.open()
    const one = await matching.watch(['trade'])
    const two = await matching.watch(['trade', 'large_trade'], { min_amount_usd: 1 })
    await trade(matching, 'a1')
    await matching.match()
    const [event] = await matching.eventsOf(one)
    const others = await matching.eventsOf(two)
    expect(others).toHaveLength(2)
    expect(others.find(({ type }) => type === 'trade')).toEqual(event)
    expect(others.find(({ type }) => type === 'large_trade')?.id).not.toBe(event?.id)
  })

  test('in steps as in one pass, while the matcher lags', async () => {
    const matching = await TestMatching.open()
    const webhook = await matching.watch(['trade', 'first_trade'])
    for (let block = 10; block < 34; block++) {
      const fills = block % 5
      await matching.append((at) => ({
        fills: Array.from({ length: fills }, (_, log) => makeFill(log, at(log, `a${block}${log}`))),
      }))
    }
    const limits = { liveBlocks: 1, blocksMax: 4, fillsMax: 5, draftsMax: 1_000 }
    expect(await matching.match({ limits })).toBeGreaterThan(6)
    const stepped = await matching.eventsOf(webhook)
    expect(stepped).toHaveLength(46 + 1)
    await matching.facts.sql`delete from webhook_deliveries`
    await matching.facts.sql`update webhook_cursor set seq = ${matching.facts.headSeq - 24 * 2 ** 20}`
    expect(await matching.match({ limits: { ...limits, liveBlocks: 100, draftsMax: 10 } })).toBe(6)
    expect(await matching.eventsOf(webhook)).toEqual(stepped)
  })
})

test('an account with very many deliveries has them queued after those of others, each once when the process is killed between the two', async () => {
  const matching = await TestMatching.open()
  const single = await matching.watch(['trade'])
  const first = await matching.watch(['trade'])
  const { accountId } = first
  const second = await matching.watch(['trade'], {}, { accountId })
  const third = await matching.watch(['trade'], {}, { accountId })
  const limits = { draftsOfAccount: 2 }
  const heard = () => Promise.all([single, first, second, third].map((webhook) => heardOf(matching, webhook)))

  await trade(matching, 'a1')
  const kill = () => {
    throw new Error('killed')
  }
  await expect(matching.pass({ limits, onQueued: kill })).rejects.toThrow('killed')
  expect(await heard()).toEqual([['a1'], [], [], []])
  await trade(matching, 'a2')
  await matching.match({ limits })
  expect(await heard()).toEqual(Array.from({ length: 4 }, () => ['a1', 'a2']))
})

describe('a reorganisation', () => {
  test('announces what is new, and nothing again that returns in another block', async () => {
    const matching = await TestMatching.open()
    const webhook = await matching.watch(['trade'])
    await trade(matching, 'a1')
    const block = await trade(matching, 'a2')
    await trade(matching, 'a3')
    await matching.match()
    await matching.facts.revertTo(block - 1)
    await trade(matching, 'b1')
    await matching.match()
    await trade(matching, 'a2')
    await matching.match()
    // a3 is not in the new blocks: it was announced, and stays so.
    expect((await heardOf(matching, webhook)).sort()).toEqual(['a1', 'a2', 'a3', 'b1'])
    expect(await cursorOf(matching)).toBe(matching.facts.headSeq)
  })

  test('is seen with others before it, also when the blocks were not matched', async () => {
    const matching = await TestMatching.open()
    const webhook = await matching.watch(['trade'])
    const block = await trade(matching, 'a1')
    await matching.match()
    await trade(matching, 'a2')
    await matching.facts.revertTo(block)
    await trade(matching, 'a3')
    await matching.facts.revertTo(block - 1)
    await trade(matching, 'a4')
    await trade(matching, 'a5')
    await matching.match()
    expect((await heardOf(matching, webhook)).sort()).toEqual(['a1', 'a4', 'a5'])
  })

  test('shows a webhook that was made above it the new blocks', async () => {
    const matching = await TestMatching.open()
    const block = await trade(matching, 'a1')
    await trade(matching, 'a2')
    const webhook = await matching.watch(['trade'])
    await matching.match()
    await matching.facts.revertTo(block)
    await trade(matching, 'a3')
    await matching.match()
    expect(await heardOf(matching, webhook)).toEqual(['a3'])
  })

  test('between reading and writing has the pass made again', async () => {
    const matching = await TestMatching.open()
    const webhook = await matching.watch(['trade'], { confirmations: 1 })
    const block = await trade(matching, 'a1')
    await trade(matching, 'a2')
    const slow: Detector = {
      types: ['trade'],
      async detect() {
        if (matching.facts.head > block) {
          await matching.facts.revertTo(block - 1)
          await trade(matching, 'a3')
        }
        return { occurrences: [] }
      },
    }
    expect(await matching.pass({ detectors: [...DETECTORS, slow] })).toMatchObject({ queued: [] })
    await matching.match()
    expect(await heardOf(matching, webhook)).toEqual(['a3 held'])
  })
})

describe('confirmations', () => {
  test('hold an event until this many blocks are on top', async () => {
    const matching = await TestMatching.open()
    const webhook = await matching.watch(['trade'], { confirmations: 3 })
    await trade(matching, 'a1')
    const seen: string[][] = []
    for (let block = 0; block < 4; block++) {
      await matching.match()
      seen.push(await heardOf(matching, webhook))
      await matching.append()
    }
    expect(seen).toEqual([['a1 held'], ['a1 held'], ['a1 held'], ['a1']])
  })

  test('keep an event from being sent that is reverted', async () => {
    const matching = await TestMatching.open()
    const webhook = await matching.watch(['trade'], { confirmations: 3 })
    const block = await trade(matching, 'a1')
    await trade(matching, 'a2')
    await matching.match()
    await matching.facts.revertTo(block - 1)
    await trade(matching, 'a2')
    for (let count = 0; count < 5; count++) await matching.append()
    await matching.match()
    expect(await heardOf(matching, webhook)).toEqual(['a2'])
  })
})

test('the matcher begins at the head, and keeps nothing that no webhook waits for', async () => {
  const matching = await TestMatching.open()
  const { sql } = matching.facts
  await sql`update webhook_cursor set seq = null`
  await sql`insert into new_markets values (1)`
  await trade(matching, 'a1')
  const webhook = await insertTestWebhook(sql, { nowMs: matching.clock.now() })
  await matching.match()
  expect(await cursorOf(matching)).toBe(matching.facts.headSeq)
  expect(await heardOf(matching, webhook)).toEqual([])
  expect(await sql`select from new_markets`).toHaveLength(0)
})
