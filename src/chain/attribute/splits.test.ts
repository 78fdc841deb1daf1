import { describe, expect, test } from 'vitest'
import { ADDRESS } from '../../../sim/contracts/addresses.js'
import { encodeAct } from '../../../sim/contracts/encode.js'
import type { LogBody } from '../../../sim/contracts/log.js'
import { createEvent, createWallet, first, onlyMarket } from '../../../sim/contracts/test-world.js'
import { ZERO_WORD } from '../../upstreams/polygon/abi.js'
import { attributeBatch } from './attribute-batch.js'
import { ZERO_ADDRESS } from './roles.js'
import { balancesOfFacts, balancesOfLogs } from './test-balances.js'
import { toChainLogs } from './test-chain-logs.js'
import { encodeLog, marketMakerCreation, SPLIT, transferBatch, transferSingle } from './test-encode-log.js'

const MERGE = SPLIT.replace('PositionSplit', 'PositionsMerge')
const { ctf, usdce } = ADDRESS
const { address: user } = createWallet(1, 'safe')
const { address: friend } = createWallet(2, 'safe')
const condition = `0x${'c0'.repeat(32)}`
const AMOUNT = 1_000_000n

type Custom = { collateral?: string; parent?: string; stakeholder?: string }

function split(partition: readonly bigint[], custom: Custom = {}, signature = SPLIT): LogBody {
  return encodeLog(ctf, signature, {
    stakeholder: custom.stakeholder ?? user,
    collateralToken: custom.collateral ?? usdce,
    parentCollectionId: custom.parent ?? ZERO_WORD,
    conditionId: condition,
    partition,
    amount: AMOUNT,
  })
}

const mint = (ids: readonly bigint[], to: string = user): LogBody =>
  transferBatch(
    ctf,
    to,
    ZERO_ADDRESS,
    to,
    ids,
    ids.map(() => AMOUNT),
  )
const burn = (ids: readonly bigint[]): LogBody =>
  transferBatch(
    ctf,
    user,
    user,
    ZERO_ADDRESS,
    ids,
    ids.map(() => AMOUNT),
  )
const word = (id: bigint): string => `0x${id.toString(16).padStart(64, '0')}`

function read(...bodies: LogBody[]) {
  const logs = toChainLogs(bodies)
  const facts = attributeBatch({ logs, blocks: [] })
  expect(balancesOfFacts(facts)).toEqual(balancesOfLogs(logs))
  return facts
}

describe('a full set', () => {
  test('has its tokens by outcome, in whatever order the partition is', () => {
    const { splits, outcomes } = read(mint([22n, 11n]), split([2n, 1n]))
    expect(splits).toMatchObject([{ tokens: [word(11n), word(22n)], isCore: true, isUser: true }])
    expect(outcomes).toMatchObject([{ condition, tokens: [word(11n), word(22n)] }])
  })

  test('of 256 outcomes is kept whole and bears no profit', () => {
    const ids = Array.from({ length: 256 }, (_, outcome) => BigInt(outcome + 1000))
    const partition = ids.map((_, outcome) => 1n << BigInt(outcome))
    for (const logs of [
      [mint(ids), split(partition)],
      [burn(ids), split(partition, {}, MERGE)],
    ]) {
      const { splits, transfers } = read(...logs)
      expect(splits).toMatchObject([{ tokens: ids.map(word), isCore: true, isUser: false }])
      expect(transfers).toEqual([])
    }
  })

  test('of a market maker bears no cost, in its own batch and in later ones', () => {
    const pool = friend
    const creation = marketMakerCreation(pool, user, condition)
    const logs = [mint([1n, 2n], pool), split([1n, 2n], { stakeholder: pool })]
    const isUser = false
    expect(read(...logs, creation).splits).toMatchObject([{ wallet: pool, isUser }])
    expect(
      attributeBatch({ logs: toChainLogs(logs), blocks: [], pools: new Set([pool]) }).splits,
    ).toMatchObject([{ wallet: pool, isUser }])
    expect(read(...logs).splits).toMatchObject([{ wallet: pool, isUser: true }])
  })

  test('and a gift out of it are a split and a gift', () => {
    const gift = transferSingle(ctf, user, user, friend, 1n, 400n)
    const { splits, transfers } = read(mint([1n, 2n]), split([1n, 2n]), gift)
    expect(splits).toHaveLength(1)
    expect(transfers).toMatchObject([
      { from: user, to: friend, token: word(1n), amount: 400n, sub: 0, isInternal: false },
    ])
  })
})

describe('kept raw, with its transfers: a set', () => {
  const fine = { ids: [1n, 2n], partition: [1n, 2n] }

  test.each([
    ['of a token that is not ours', fine, { collateral: friend }],
    ['under another collection', fine, { parent: condition }],
    ['of outcomes together', { ids: [3n, 4n], partition: [3n, 4n] }, {}],
    ['without the first outcome', { ids: [2n, 4n], partition: [2n, 4n] }, {}],
    ['with an outcome twice', { ids: [1n, 1n], partition: [1n, 1n] }, {}],
  ])('%s', (_why, { ids, partition }, custom) => {
    const { splits, transfers, outcomes, rawLogs } = read(mint(ids), split(partition, custom))
    expect([splits, outcomes]).toEqual([[], []])
    expect(rawLogs).toMatchObject([{ kind: 'ctfSplit' }])
    expect(transfers).toMatchObject(
      ids.map((id, sub) => ({
        from: ZERO_ADDRESS,
        to: user,
        token: word(id),
        sub,
        isInternal: true,
      })),
    )
  })

  test('of two outcomes out of three', () => {
    const both = 12n
    const parted = read(
      transferSingle(ctf, user, user, ZERO_ADDRESS, both, AMOUNT),
      mint([1n, 2n]),
      split([1n, 2n]),
    )
    const joined = read(
      burn([1n, 2n]),
      transferSingle(ctf, user, ZERO_ADDRESS, user, both, AMOUNT),
      split([1n, 2n], {}, MERGE),
    )
    for (const { splits, transfers, rawLogs } of [parted, joined]) {
      expect([splits.length, transfers.length, rawLogs.length]).toEqual([0, 3, 1])
    }
  })
})

test('a set that its receiver makes within another one is not taken for it', () => {
  const fake = split([1n, 2n], { collateral: friend })
  const { outcomes, splits, transfers } = read(mint([1n, 2n]), mint([8n, 9n]), fake, split([1n, 2n]))
  expect(outcomes).toMatchObject([{ condition, tokens: [word(1n), word(2n)] }])
  expect(splits).toMatchObject([{ tokens: [word(1n), word(2n)] }])
  expect(transfers.map(({ token }) => token)).toEqual([word(8n), word(9n)])
})

describe('two acts in one transaction', () => {
  const wallet = createWallet(1, 'safe')
  const other = createWallet(2, 'proxy')
  const event = createEvent(3)
  const grouped = first(event.markets)

  test('of two wallets through the same adapters are distinguished', () => {
    const logs = [wallet, other].flatMap((each) => [
      ...encodeAct({ kind: 'split', era: 'v2', wallet: each, market: grouped, amount: 10 }),
      ...encodeAct({ kind: 'merge', era: 'v2', wallet: each, market: onlyMarket(), amount: 10 }),
    ])
    const { splits, transfers } = read(...logs)
    const users = splits.filter(({ isUser }) => isUser).map((row) => row.wallet)
    expect(users).toEqual([wallet.address, wallet.address, other.address, other.address])
    expect(transfers).toEqual([])
  })

  test('a conversion within another one is distinguished from it', () => {
    const [outer, inner] = [1, 6].map((indexSet) =>
      encodeAct({ kind: 'convert', route: 'adapter', wallet, event, indexSet, amount: 10 }),
    )
    if (outer === undefined || inner === undefined) throw new Error('there are two')
    const apart = read(...outer, ...inner).conversions.map(({ given, taken }) => [given, taken])
    const end = outer.findLastIndex(({ address }) => address === ADDRESS.negRiskAdapter)
    const nested = read(...outer.slice(0, end), ...inner, ...outer.slice(end))
    expect(nested.quarantine).toEqual([])
    expect(nested.conversions.map(({ given, taken }) => [given, taken])).toEqual(apart.toReversed())
  })

  test('a split beside a conversion keeps its wallet', () => {
    const { splits, conversions } = read(
      ...encodeAct({ kind: 'split', era: 'v2', wallet, market: grouped, amount: 10 }),
      ...encodeAct({
        kind: 'convert',
        route: 'adapter',
        wallet: other,
        event,
        indexSet: 1,
        amount: 10,
      }),
    )
    expect(splits.map((row) => row.wallet)).toEqual([
      wallet.address,
      wallet.address,
      ADDRESS.negRiskAdapter,
      ADDRESS.negRiskAdapter,
    ])
    expect(conversions).toMatchObject([{ wallet: other.address }])
  })
})
