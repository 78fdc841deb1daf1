import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { seqOf } from '../../core/seq.js'
import { NONE } from '../../ledger/entry.js'
import type { FillFact } from '../facts/fill.js'
import type { BatchFacts } from '../facts/registry.js'
import { createBatchFacts } from '../facts/registry.js'
import { deleteFactsFrom } from '../write/fact-writer.js'
import { address, FIRST_BLOCK, testBatch, word, writeTestBatch } from '../write/test-batch.js'
import { IdRegistry } from './id-registry.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(() => deleteFrom(FIRST_BLOCK - 1_000))

const deleteFrom = (fromBlock: number) => database.sql.begin((tx) => deleteFactsFrom(tx, fromBlock))
const resolve = (names: IdRegistry, batch: BatchFacts, journal = false) =>
  database.sql.begin((tx) => names.resolve(tx, batch, { journal }))

const YES = word(1)
const NO = word(2)
const CONDITION = word(3)

function sliceAt(block: number, facts: Partial<BatchFacts>): BatchFacts {
  const header = { number: block, hash: word(block), parentHash: undefined, timeSec: block }
  return { ...createBatchFacts(), blocks: [header], ...facts }
}

/** States which tokens the condition has. */
const stating = (block: number, tokens = [YES, NO]): BatchFacts =>
  sliceAt(block, { outcomes: [{ seq: seqOf(block, 5), condition: CONDITION, tokens }] })

/** IdRegistry a token and nothing of its condition. */
const trading = (block: number, token = YES, wallet = address(1)): BatchFacts => {
  const [fill] = testBatch(FIRST_BLOCK, FIRST_BLOCK + 20).fills
  const seq = seqOf(block, 3)
  return sliceAt(block, { fills: [{ ...(fill as FillFact), seq, token, wallet }] })
}

const readTokens = () =>
  database.sql`
    select '0x' || encode(token, 'hex') as token, condition, stated_in, outcome,
           (since >> 20)::int as since
      from tokens order by id`

const sinceOf = async (name: string): Promise<number | undefined> => {
  const [row] = await database.sql<{ block: number }[]>`
    select (since >> 20)::int as block from wallets where address = decode(${name.slice(2)}, 'hex')`
  return row?.block
}

describe('IdRegistry', () => {
  test('ids go up from 1 in the order of the chain; the zero address is 0', async () => {
    const names = new IdRegistry()
    const fresh = await resolve(names, testBatch(FIRST_BLOCK, FIRST_BLOCK + 30))
    expect(fresh.wallets).toEqual(fresh.wallets.map((_, index) => index + 1))
    expect(fresh.tokens).toEqual(fresh.tokens.map((_, index) => index + 1))
    expect(names.wallet(`0x${'0'.repeat(40)}`)).toBe(0)
    for (const table of ['wallets', 'tokens', 'conditions', 'builders']) {
      const rows = await database.sql`select since from ${database.sql(table)} order by id`
      expect(rows).toEqual(rows.toSorted((a, b) => Number(a.since - b.since)))
    }
    expect(await resolve(names, testBatch(FIRST_BLOCK, FIRST_BLOCK + 30))).toEqual({
      wallets: [],
      tokens: [],
    })
  })

  test('what was not resolved has no number', () => {
    expect(() => new IdRegistry().wallet(address(1))).toThrow('not resolved')
    expect(() => new IdRegistry().conditionOf(1)).toThrow('not resolved')
  })

  test('combos are known by their ids, whether they were created, found or kept', async () => {
    const combo = `0x03${'ab'.repeat(18)}${'00'.repeat(8)}0000000001`
    const others = [`0x03${'ab'.repeat(18)}01000000000000000000000001`, `0x02${combo.slice(4)}`, YES]
    const fills = [combo, ...others].flatMap((token) => trading(FIRST_BLOCK, token).fills)
    const batch = sliceAt(FIRST_BLOCK, {
      fills: fills.map((fill, index) => ({ ...fill, seq: seqOf(FIRST_BLOCK, index) })),
      outcomes: [{ seq: seqOf(FIRST_BLOCK, 9), condition: CONDITION, tokens: [combo, NO] }],
    })
    const creator = new IdRegistry({ walletsMax: 0, tokensMax: 0 })
    await resolve(creator, batch)
    const finder = new IdRegistry({ walletsMax: 0, tokensMax: 0 })
    for (const names of [creator, finder]) {
      for (let round = 0; round < 3; round++) {
        await resolve(names, batch)
        const areCombos = [combo, ...others].map((token) => names.isCombo(names.token(token)))
        expect(areCombos).toEqual([true, false, false, false])
      }
    }
    const reader = new IdRegistry()
    const id = finder.token(NO)
    const sibling = {
      kind: 'supply',
      seq: 1,
      timeSec: 1,
      token: id,
      minted: 1n,
      burned: 0n,
    } as const
    await reader.resolveEntries(database.sql, [sibling])
    expect(reader.isCombo(finder.token(combo))).toBe(true)
  })

  test('two at once on two connections give every name one number', async () => {
    const batches = Array.from({ length: 12 }, (_, index) =>
      testBatch(FIRST_BLOCK, FIRST_BLOCK + 8 + index, index % 3),
    )
    const racers = [new IdRegistry(), new IdRegistry({ walletsMax: 5, tokensMax: 5 }), new IdRegistry()]
    await Promise.all(
      racers.map(async (names, racer) => {
        for (const batch of racer === 1 ? batches.toReversed() : batches) await resolve(names, batch)
      }),
    )
    for (const table of ['wallets', 'tokens', 'conditions', 'builders']) {
      const [row] = await database.sql`
        select count(*)::int as count, max(id) as last, min(id) as first
          from ${database.sql(table)}`
      expect(row?.count).toBe(row?.last - row?.first + 1)
    }
    for (const batch of batches) {
      await Promise.all(racers.map((names) => resolve(names, batch)))
      for (const { wallet, token } of batch.fills) {
        expect(new Set(racers.map((names) => names.wallet(wallet))).size).toBe(1)
        expect(new Set(racers.map((names) => names.token(token))).size).toBe(1)
      }
    }
  })

  test('a token learns its condition later, in memory and in its row', async () => {
    const names = new IdRegistry()
    await resolve(names, trading(FIRST_BLOCK))
    expect(names.conditionOf(names.token(YES))).toBe(NONE)
    await resolve(names, stating(FIRST_BLOCK + 1))
    const condition = names.condition(CONDITION)
    const [yes, no] = [names.token(YES), names.token(NO)]
    for (const knowing of [names, new IdRegistry()]) {
      await resolve(knowing, trading(FIRST_BLOCK + 2))
      expect(knowing.conditionOf(yes)).toBe(condition)
      expect(knowing.conditionOf(no)).toBe(condition)
      expect(knowing.tokensOf(condition)).toEqual([yes, no])
    }
  })

  test('a block sees the outcomes that it and the blocks before it state, in whatever batch they come', async () => {
    const batch = trading(FIRST_BLOCK)
    batch.outcomes.push(...stating(FIRST_BLOCK + 1).outcomes)
    const fresh = new IdRegistry()
    const entries = await writeTestBatch(database.sql, fresh, batch)
    const stored = new IdRegistry()
    await stored.resolveEntries(database.sql, entries)
    for (const names of [fresh, stored]) {
      const token = fresh.token(YES)
      const condition = fresh.condition(CONDITION)
      expect(names.conditionOf(token, FIRST_BLOCK)).toBe(NONE)
      expect(names.conditionOf(token, FIRST_BLOCK + 1)).toBe(condition)
      expect(names.tokensOf(condition, FIRST_BLOCK)).toEqual([])
      expect(names.tokensOf(condition, FIRST_BLOCK + 1)).toHaveLength(2)
    }
  })

  test('the first set has the outcomes, another one only shares the condition', async () => {
    const names = new IdRegistry()
    await resolve(names, stating(FIRST_BLOCK))
    await resolve(names, stating(FIRST_BLOCK + 1, [word(8), word(9)]))
    const condition = names.condition(CONDITION)
    expect(names.conditionOf(names.token(word(8)))).toBe(condition)
    expect(names.tokensOf(condition)).toEqual([1, 2])
    const again = new IdRegistry()
    await resolve(again, trading(FIRST_BLOCK + 2, word(9)))
    expect(again.conditionOf(again.token(word(9)))).toBe(condition)
    expect(again.tokensOf(condition)).toEqual([1, 2])
  })

  test('outcomes that another process wrote are found before they are written again', async () => {
    const [one, other] = [new IdRegistry(), new IdRegistry()]
    await resolve(one, trading(FIRST_BLOCK))
    await resolve(other, stating(FIRST_BLOCK + 1))
    await resolve(one, stating(FIRST_BLOCK + 2, [NO, YES]))
    expect(one.tokensOf(one.condition(CONDITION))).toEqual([one.token(YES), one.token(NO)])
    expect(await readTokens()).toMatchObject([{ outcome: 0 }, { outcome: 1 }])
  })

  test('stored entries have their conditions and tokens after resolveEntries', async () => {
    const names = new IdRegistry({ walletsMax: 1, tokensMax: 1 })
    const entries = await writeTestBatch(database.sql, names, testBatch(FIRST_BLOCK, FIRST_BLOCK + 30))
    const reader = new IdRegistry()
    await reader.resolveEntries(database.sql, entries)
    for (const entry of entries) {
      if (entry.kind === 'fill') expect(reader.conditionOf(entry.token)).toBe(names.conditionOf(entry.token))
      if (entry.kind === 'split')
        expect(reader.tokensOf(entry.condition)).toEqual(names.tokensOf(entry.condition))
    }
  })
})

describe('a journal near the head', () => {
  test('reverts what was stated of an older token, and not what was stated before', async () => {
    const names = new IdRegistry()
    await resolve(names, trading(FIRST_BLOCK), true)
    const unstated = await readTokens()
    await resolve(names, stating(FIRST_BLOCK + 1), true)
    const stated = await readTokens()
    await resolve(names, stating(FIRST_BLOCK + 2), true)
    await deleteFrom(FIRST_BLOCK + 2)
    expect(await readTokens()).toEqual(stated)
    await deleteFrom(FIRST_BLOCK + 1)
    expect(await readTokens()).toEqual(unstated)
    names.forget()
    await resolve(names, stating(FIRST_BLOCK + 1), true)
    expect(await readTokens()).toEqual(stated)
  })

  test('works by block within one batch', async () => {
    const batch = trading(FIRST_BLOCK)
    batch.outcomes.push(...stating(FIRST_BLOCK + 1).outcomes)
    await resolve(new IdRegistry(), batch, true)
    expect(await readTokens()).toMatchObject([{ outcome: 0 }, { outcome: 1 }])
    await deleteFrom(FIRST_BLOCK + 1)
    expect(await readTokens()).toEqual([
      { token: YES, condition: null, statedIn: null, outcome: null, since: FIRST_BLOCK },
    ])
  })
})

describe('names of older blocks, beside a live head', () => {
  const OLD = FIRST_BLOCK - 500

  test('become older, so that no reorganisation at the head takes them away', async () => {
    await resolve(new IdRegistry(), trading(FIRST_BLOCK, YES, address(1)), true)
    await resolve(new IdRegistry(), trading(FIRST_BLOCK, YES, address(2)), true)
    const names = new IdRegistry()
    await names.resolveEarly(database.sql, trading(OLD, YES, address(1)))
    const number = names.wallet(address(1))
    await deleteFrom(FIRST_BLOCK)
    expect(await sinceOf(address(1))).toBe(OLD)
    expect(await sinceOf(address(2))).toBeUndefined()
    const head = new IdRegistry()
    await resolve(head, trading(FIRST_BLOCK, YES, address(1)))
    expect(head.wallet(address(1))).toBe(number)
  })

  test('are as old as the oldest block that names them, in whatever order these come', async () => {
    const names = new IdRegistry()
    for (const block of [OLD + 2, OLD + 1, OLD + 3, OLD]) {
      await names.resolveEarly(database.sql, trading(block))
    }
    expect(await sinceOf(address(1))).toBe(OLD)
  })

  test('keep their condition when a block at the head that states it too is reverted', async () => {
    const head = new IdRegistry()
    await resolve(head, trading(FIRST_BLOCK), true)
    const early = new IdRegistry()
    await early.resolveEarly(database.sql, trading(OLD))
    await resolve(head, stating(FIRST_BLOCK + 1), true)
    await early.resolveEarly(database.sql, stating(OLD + 1))
    await deleteFrom(FIRST_BLOCK)
    expect(await readTokens()).toEqual([
      { token: YES, condition: 1, statedIn: OLD + 1, outcome: 0, since: OLD },
      { token: NO, condition: 1, statedIn: OLD + 1, outcome: 1, since: OLD + 1 },
    ])
  })

  test('have their condition from the first of several blocks that state it', async () => {
    const head = new IdRegistry()
    await resolve(head, stating(FIRST_BLOCK + 1), true)
    const blocks = [OLD + 1, OLD + 2, OLD + 3]
    const outcomes = blocks.flatMap((block) => stating(block).outcomes)
    // In any order: which of several rows an update takes is not said.
    for (const given of [outcomes, outcomes.toReversed()]) {
      await new IdRegistry().resolveEarly(database.sql, { ...stating(OLD + 1), outcomes: given })
      expect((await readTokens()).map(({ statedIn }) => statedIn)).toEqual([OLD + 1, OLD + 1])
      await database.sql`update tokens set stated_in = ${FIRST_BLOCK + 1}`
    }
  })

  test('never meet the numbers that the head gives at the same time', async () => {
    const head = new IdRegistry()
    const early = new IdRegistry()
    const at = (block: number) => testBatch(FIRST_BLOCK, FIRST_BLOCK + (block % 40))
    await Promise.all([
      (async () => {
        for (let block = 0; block < 15; block++) await resolve(head, at(block))
      })(),
      (async () => {
        for (let block = 0; block < 15; block++) await early.resolveEarly(database.sql, at(block + 3))
      })(),
    ])
    const [row] = await database.sql`select count(*)::int as count, max(id) as last from wallets`
    expect(row?.count).toBe(row?.last + 1)
  })
})
