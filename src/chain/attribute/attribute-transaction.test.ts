import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ADDRESS } from '../../../sim/contracts/addresses.js'
import { encodeAct } from '../../../sim/contracts/encode.js'
import vectors from '../../../sim/contracts/fixtures/chain-vectors.json' with { type: 'json' }
import type { LogBody } from '../../../sim/contracts/log.js'
import { oneOfEach } from '../../../sim/contracts/test-acts.js'
import { createWallet } from '../../../sim/contracts/test-world.js'
import { brokenJson } from '../../../test/mutate-json.js'
import { AMOUNT_MAX } from '../../core/money.js'
import { CONTRACTS } from '../../upstreams/polygon/contracts.js'
import { LogDecoder } from '../../upstreams/polygon/decode.js'
import { ROLE_EVENTS } from '../../upstreams/polygon/events.js'
import { type ChainLog, parseLogs } from '../../upstreams/polygon/log.js'
import type { BatchFacts } from '../facts/registry.js'
import { attributeBatch } from './attribute-batch.js'
import { ZERO_ADDRESS } from './roles.js'
import { balancesOfFacts, balancesOfLogs } from './test-balances.js'
import { toChainLogs } from './test-chain-logs.js'
import { encodeLog, transferBatch, transferSingle } from './test-encode-log.js'
import { expectAct } from './test-expect-act.js'

const { address: user } = createWallet(1, 'safe')
const { address: friend } = createWallet(2, 'safe')
const { ctf, exchangeV2 } = ADDRESS
const HUGE = 2n ** 256n - 1n

const logsOf = (name: string): LogBody[] => {
  const found = oneOfEach().find((each) => each.name === name)
  if (found === undefined) throw new Error(`no act is called ${name}`)
  return encodeAct(found.act)
}
/** Its caches take longer to make than a batch to read; the service keeps one decoder too. */
const decoder = new LogDecoder()
const attribute = (logs: ChainLog[]) => attributeBatch({ logs, blocks: [], decoder })
const read = (...transactions: LogBody[][]) => attribute(toChainLogs(...transactions))
const gift = (amount: bigint, token = 1n) => transferSingle(ctf, user, user, friend, token, amount)
const bookedIn = (facts: BatchFacts) =>
  [facts.fills, facts.splits, facts.transfers, facts.fees, facts.supplies].flat().length

describe('a transaction of which nothing is booked', () => {
  const match = logsOf('v2 BUY set fee 4321')
  const token = BigInt(read(match).fills[0]?.token ?? 0)

  test.each([
    ['with an absurd transfer of what it trades', gift(HUGE, token), 'absurd_amount'],
    ['with one just above the limit', gift(AMOUNT_MAX + 1n, token), 'absurd_amount'],
    ['with more tokens than amounts', transferBatch(ctf, user, user, friend, [1n, 2n], [1n]), 'inconsistent'],
    ['with a log that does not decode', { ...gift(1n), data: '0x' }, 'inconsistent'],
  ])('%s', (_why, invalid, reason) => {
    const facts = read([...match, invalid])
    expect(bookedIn(facts)).toBe(0)
    expect(facts.quarantine.map((row) => row.reason)).toContain(reason)
    const booked = [...match, invalid].filter(
      ({ address, topics }) => address === ctf || (address === exchangeV2 && topics[0] !== MATCHED),
    )
    expect(facts.quarantine.map(({ topics }) => topics)).toEqual(booked.map(({ topics }) => topics))
  })

  test('but for what trades another token', () => {
    const { quarantine, ...booked } = read([...match, gift(HUGE), gift(1n)])
    expect({ ...booked, quarantine: [] }).toEqual(read(match))
    expect(quarantine).toMatchObject([{ reason: 'absurd_amount' }, { reason: 'absurd_amount' }])
  })

  test('does not stop the next one', () => {
    const facts = read([gift(HUGE)], match)
    expect(facts.fills).toHaveLength(2)
    expect(facts.quarantine).toHaveLength(1)
  })

  test.each([
    'standard split v1',
    'neg-risk split v2',
    'standard redeem direct',
    'convert two',
    'redeem combo router',
  ])('when its tokens did not move: %s', (name) => {
    const facts = read(logsOf(name).filter(({ topics }) => !MOVES.has(topics[0] ?? '')))
    expect(bookedIn(facts)).toBe(0)
    expect(facts.quarantine.length).toBeGreaterThan(0)
    for (const { reason } of facts.quarantine) expect(reason).toBe('inconsistent')
  })
})

test('a transfer of all that an amount may be is booked', () => {
  expect(read([gift(AMOUNT_MAX)]).transfers).toMatchObject([{ amount: AMOUNT_MAX }])
})

test('a gift beside something else is a gift, and what the protocol moves for it is not', () => {
  const logs = [...logsOf('convert two'), gift(7n)]
  const { transfers } = read(logs)
  expect(transfers.filter(({ isInternal }) => !isInternal)).toMatchObject([
    { from: user, to: friend, amount: 7n },
  ])
  expect(transfers.length).toBeGreaterThan(1)
})

test('more moves than `sub` can number go into quarantine', () => {
  const ids = Array.from({ length: 2 ** 15 + 1 }, (_, index) => BigInt(index))
  const many = transferBatch(ctf, user, user, friend, ids, ids)
  const facts = read([many])
  expect(bookedIn(facts)).toBe(0)
  expect(facts.quarantine).toMatchObject([{ reason: 'inconsistent' }])
})

test('a fill without shares is put apart, and the others are booked', () => {
  const match = logsOf('v2 BUY trade fee 0')
  const empty = match.map((log) =>
    log.topics[0] === FILL && log.topics[3]?.endsWith(exchangeV2.slice(2))
      ? {
          ...log,
          data: log.data.slice(0, 2 + 64 * 3) + '0'.repeat(64) + log.data.slice(2 + 64 * 4),
        }
      : log,
  )
  const facts = attribute(toChainLogs(empty))
  expect(facts.fills).toHaveLength(1)
  expect(facts.quarantine).toMatchObject([{ reason: 'inconsistent' }])
  expect(balancesOfFacts(facts)).toEqual(balancesOfLogs(toChainLogs(empty)))
})

test('results that no column holds are put apart', () => {
  const resolution = (payouts: bigint[]) =>
    encodeLog(
      ctf,
      'ConditionResolution(bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 outcomeSlotCount, uint256[] payoutNumerators)',
      {
        conditionId: `0x${'c0'.repeat(32)}`,
        oracle: user,
        questionId: `0x${'d0'.repeat(32)}`,
        outcomeSlotCount: BigInt(payouts.length),
        payoutNumerators: payouts,
      },
    )
  const facts = read([resolution([HUGE, 0n])], [resolution([2n ** 127n, 1n])])
  expect(facts.resolutions).toMatchObject([{ payouts: [2n ** 127n, 1n] }])
  expect(facts.quarantine).toMatchObject([{ reason: 'absurd_amount' }])
})

test('an unknown event is kept as a raw log, and a redundant one is not', () => {
  const unknown = { address: ctf, topics: [`0x${'ab'.repeat(32)}`], data: '0x01' }
  const ofOtherContract = { ...unknown, address: friend }
  const facts = read([unknown, ofOtherContract, ...logsOf('v2 BUY trade fee 0')])
  expect(facts.rawLogs).toMatchObject([{ kind: 'unknown', contract: ctf, data: '0x01' }])
})

test('who moves tokens of others without being known is counted by transaction', () => {
  const operator = createWallet(7).address
  const pull = transferSingle(ctf, operator, user, friend, 1n, 5n)
  const made = transferSingle(ctf, user, ZERO_ADDRESS, user, 1n, 5n)
  const { unknownOperators } = read([made, gift(1n), pull, pull], [pull], logsOf('transfer'))
  expect(unknownOperators).toMatchObject([
    { operator, transfers: 2 },
    { operator, transfers: 1 },
  ])
})

describe('real logs', () => {
  const mint = vectors.logs.filter(({ id }) => id.startsWith('v2-mint'))

  test('of a mint leave no transfers and no user but the traders', () => {
    const facts = read(mint)
    expect(facts.quarantine).toEqual([])
    expect([facts.transfers, facts.flows]).toEqual([[], []])
    expect(facts.splits).toMatchObject([
      { wallet: exchangeV2, amount: 2_083_332n, isCore: true, isUser: false },
    ])
    expect(facts.fills.map(({ usd, shares, isTaker }) => [usd, shares, isTaker])).toEqual([
      [1_083_333n, 2_083_332n, false],
      [999_999n, 2_083_332n, true],
    ])
    expect(balancesOfFacts(facts)).toEqual(balancesOfLogs(toChainLogs(mint)))
  })

  test.each(vectors.logs)('$id alone is booked, kept or put apart', (vector) => {
    const facts = read([vector])
    let rows = 0
    for (const [name, list] of Object.entries(facts)) if (name !== 'blocks') rows += list.length
    // Trading money, and what repeats a fill.
    const isPassedOver = /matched|pusd|wrapped|usdce/.test(vector.id)
    expect(rows > 0).toBe(!isPassedOver)
  })
})

test('several acts in one transaction are booked as if each had its own', () => {
  // Of what is given twice for one position the AutoRedeemer does not say which it means.
  const acts = oneOfEach().filter(({ name }) => !name.endsWith('combo auto'))
  const act = fc.constantFrom(...acts.map((each) => encodeAct(each.act)))
  fc.assert(
    fc.property(fc.array(act, { maxLength: 4 }), (transactions) => {
      const together = toChainLogs(transactions.flat())
      const facts = attribute(together)
      const apart = read(...transactions)
      for (const name of ACTS) expect(facts[name].map(unplaced)).toEqual(apart[name].map(unplaced))
      expect(balancesOfFacts(facts)).toEqual(balancesOfLogs(together))
    }),
    { numRuns: 200 },
  )
})

const ACTS = [
  ...(['fills', 'splits', 'redemptions', 'conversions', 'fees', 'comboEvents'] as const),
  ...(['supplies', 'quarantine'] as const),
]
const unplaced = (fact: object) => ({ ...fact, txHash: undefined })

describe('whatever a log holds, nothing is thrown', () => {
  const acts = oneOfEach().map(({ act }) => encodeAct(act))

  test('in a transaction that is otherwise in order', () => {
    const replaced = fc.tuple(fc.constantFrom(...acts), fc.nat(), fc.nat(), word())
    fc.assert(
      fc.property(replaced, ([bodies, logNumber, position, value]) => {
        const index = logNumber % Math.max(1, bodies.length)
        const log = bodies[index]
        if (log === undefined) return
        const logs = toChainLogs(bodies.with(index, spoil(log, position, value)))
        const facts = attribute(logs)
        if (facts.quarantine.length === 0) expect(balancesOfFacts(facts)).toEqual(balancesOfLogs(logs))
      }),
      { numRuns: 1_000 },
    )
  })

  test('in transactions that lack logs, or have them twice or in another order', () => {
    fc.assert(
      fc.property(fc.constantFrom(...acts), fc.array(fc.nat(), { maxLength: 30 }), (bodies, picks) => {
        const picked = picks.flatMap((pick) => bodies[pick % Math.max(1, bodies.length)] ?? [])
        const logs = toChainLogs(picked)
        const facts = attribute(logs)
        if (facts.quarantine.length === 0) expect(balancesOfFacts(facts)).toEqual(balancesOfLogs(logs))
      }),
      { numRuns: 500 },
    )
  })

  test('in logs that a node spoiled, if they can be read at all', () => {
    const good = toChainLogs(...acts).map(({ at, topics, data }) => [
      {
        address: at.address,
        topics,
        data,
        blockNumber: '0x1',
        blockHash: at.blockHash,
        transactionHash: at.txHash,
        transactionIndex: '0x0',
        logIndex: '0x0',
        blockTimestamp: '0x1',
      },
    ])
    fc.assert(
      fc.property(brokenJson(good), (text) => {
        let logs: ChainLog[]
        try {
          logs = parseLogs(JSON.parse(text), 'result')
        } catch {
          return
        }
        const headers = logs.map(({ at }) => ({
          number: at.blockNumber,
          hash: at.blockHash,
          parentHash: undefined,
          timeSec: 1,
        }))
        expect(attributeBatch({ logs, blocks: headers, decoder }).blocks).toEqual(headers)
      }),
      { numRuns: 300 },
    )
  })

  test('in logs of any contract and event', () => {
    const body = fc.record({
      address: fc.constantFrom(...CONTRACTS.map(({ address }) => address)),
      topics: fc
        .tuple(fc.constantFrom(...TOPICS), fc.array(word(), { maxLength: 4 }))
        .map(([topic0, topics]) => [topic0, ...topics]),
      data: fc
        .array(word(), { maxLength: 9 })
        .map((words) => `0x${words.map((each) => each.slice(2)).join('')}`),
    })
    fc.assert(
      fc.property(fc.array(body, { maxLength: 6 }), (bodies) => {
        expect(read(bodies).blocks.length).toBe(bodies.length > 0 ? 1 : 0)
      }),
      { numRuns: 1_000 },
    )
  })
})

const TOPICS = Object.values(ROLE_EVENTS).flatMap((events) => events.map(({ topic0 }) => topic0))
const FILL = '0xd543adfd945773f1a62f74f0ee55a5e3b9b1a28262980ba90b1a89f2ea84d8ee'
const MATCHED = '0x174b3811690657c217184f89418266767c87e4805d09680c39fc9c031c0cab7c'
const MOVES = new Set([
  '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
  '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb',
])

/** A small number, one of our addresses, or 32 bytes of anything. */
function word(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.nat({ max: 300 }).map((value) => `0x${value.toString(16).padStart(64, '0')}`),
    fc
      .constantFrom(...CONTRACTS.map(({ address }) => address), user, ZERO_ADDRESS)
      .map((address) => `0x${address.slice(2).padStart(64, '0')}`),
    fc.bigInt({ min: 0n, max: HUGE }).map((value) => `0x${value.toString(16).padStart(64, '0')}`),
  )
}

/** Replaces one of the topics or of the words of the data by this word. */
function spoil(log: LogBody, position: number, value: string): LogBody {
  const words = (log.data.length - 2) / 64
  const at = position % (log.topics.length + words)
  if (at < log.topics.length) return { ...log, topics: log.topics.with(at, value) }
  const from = 2 + (at - log.topics.length) * 64
  const data = log.data.slice(0, from) + value.slice(2) + log.data.slice(from + 64)
  return { ...log, data }
}

test.each(oneOfEach())('the facts describe the act: $name', ({ act }) => {
  const logs = toChainLogs(encodeAct(act))
  const facts = attribute(logs)
  expectAct(act, facts)
  expect(balancesOfFacts(facts)).toEqual(balancesOfLogs(logs))
})
