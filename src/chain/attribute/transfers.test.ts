import { describe, expect, test } from 'vitest'
import { ADDRESS } from '../../../sim/contracts/addresses.js'
import { encodeAct } from '../../../sim/contracts/encode.js'
import { positionsConverted } from '../../../sim/contracts/events/neg-risk.js'
import type { LogBody } from '../../../sim/contracts/log.js'
import { createCombo, createEvent, createWallet, first } from '../../../sim/contracts/test-world.js'
import { attributeBatch } from './attribute-batch.js'
import { ZERO_ADDRESS } from './roles.js'
import { balancesOfFacts, balancesOfLogs } from './test-balances.js'
import { toChainLogs } from './test-chain-logs.js'
import { encodeLog, transferBatch, transferSingle } from './test-encode-log.js'
import { idOf } from './test-expect-act.js'

const { ctf, negRiskAdapter, negRiskBurn, positionManager, binaryModule } = ADDRESS
const { combinatorialModule, autoRedeemer } = ADDRESS
const wallet = createWallet(1, 'safe')
const { address: user } = wallet
const { address: friend } = createWallet(2, 'safe')
const event = createEvent(3)
const AMOUNT = 9n

function read(...bodies: LogBody[]) {
  const logs = toChainLogs(bodies)
  const facts = attributeBatch({ logs, blocks: [] })
  expect(facts.quarantine).toEqual([])
  expect(balancesOfFacts(facts)).toEqual(balancesOfLogs(logs))
  return facts
}

const convert = (indexSet: number) =>
  encodeAct({ kind: 'convert', route: 'adapter', wallet, event, indexSet, amount: Number(AMOUNT) })
const marketAt = (index: number) => first(event.markets.slice(index))
const yes = (index: number) => idOf(marketAt(index).tokens[0])
const no = (index: number) => idOf(marketAt(index).tokens[1])

/** What leaves the wallet, or comes to it: receiver or giver, token, and whether it bears cost. */
const movesOf = (facts: ReturnType<typeof read>) =>
  facts.transfers.flatMap(({ from, to, token, bearsCost }) => {
    if (from === user) return [['to', to, token, bearsCost]]
    return to === user ? [['from', from, token, bearsCost]] : []
  })

describe('transfers do not bear the cost of what is', () => {
  test('converted', () => {
    expect(movesOf(read(...convert(0b001)))).toEqual([
      ['to', negRiskBurn, no(0), false],
      ['from', negRiskAdapter, yes(1), false],
      ['from', negRiskAdapter, yes(2), false],
    ])
  })

  test('converted into money alone, of the wallet’s own asking', () => {
    const ids = event.markets.map(({ tokens }) => tokens[1].id)
    const amounts = ids.map(() => AMOUNT)
    const given = transferBatch(ctf, negRiskAdapter, user, negRiskBurn, ids, amounts)
    const converted = positionsConverted(wallet.word, event.negRisk?.marketId ?? '', 0b111, Number(AMOUNT))
    expect(movesOf(read(given, converted))).toEqual(
      [0, 1, 2].map((index) => ['to', negRiskBurn, no(index), false]),
    )
  })

  test('redeemed for several wallets at once', () => {
    const token = BigInt(yes(0))
    const redemption = (redeemer: string, payout: bigint) =>
      encodeLog(
        ctf,
        'PayoutRedemption(address indexed redeemer, address indexed collateralToken, bytes32 indexed parentCollectionId, bytes32 conditionId, uint256[] indexSets, uint256 payout)',
        {
          redeemer,
          collateralToken: ADDRESS.usdce,
          conditionId: marketAt(0).conditionId,
          payout,
          parentCollectionId: `0x${'0'.repeat(64)}`,
          indexSets: [1n, 2n],
        },
      )
    const named = (from: string, payout: bigint) =>
      encodeLog(
        autoRedeemer,
        'BinaryRedemption(address indexed from, bytes32 indexed conditionId, uint256 payout)',
        { from, conditionId: marketAt(0).conditionId, payout },
      )
    const give = (from: string, amount: bigint) =>
      transferSingle(ctf, autoRedeemer, from, autoRedeemer, token, amount)
    const burn = (amount: bigint) =>
      transferSingle(ctf, autoRedeemer, autoRedeemer, ZERO_ADDRESS, token, amount)
    const shared = read(
      give(user, AMOUNT),
      give(friend, 1n),
      burn(AMOUNT + 1n),
      redemption(autoRedeemer, AMOUNT + 1n),
      named(user, AMOUNT),
      named(friend, 1n),
    )
    expect(movesOf(shared)).toEqual([['to', autoRedeemer, yes(0), false]])
    const alone = read(
      give(user, AMOUNT),
      burn(AMOUNT),
      redemption(autoRedeemer, AMOUNT),
      named(user, AMOUNT),
    )
    expect(movesOf(alone)).toEqual([])
    // The tokens of one wallet, in the name of another: the cost of the first leaves.
    const foreign = read(
      give(user, AMOUNT),
      burn(AMOUNT),
      redemption(autoRedeemer, AMOUNT),
      named(friend, AMOUNT),
    )
    expect(movesOf(foreign)).toEqual([['to', autoRedeemer, yes(0), true]])
  })
})

describe('transfers bear the cost of what is', () => {
  test('given to another wallet, to a contract, or destroyed', () => {
    for (const to of [friend, negRiskAdapter, ADDRESS.exchangeV2, ZERO_ADDRESS]) {
      const gift = transferSingle(ctf, user, user, to, BigInt(yes(0)), AMOUNT)
      expect(movesOf(read(gift))).toEqual([['to', to, yes(0), true]])
    }
  })

  test('converted and then passed on', () => {
    const passedOn = transferSingle(ctf, user, user, friend, BigInt(yes(1)), AMOUNT)
    const facts = read(...convert(0b001), passedOn)
    expect(movesOf(facts)).toEqual([
      ['to', negRiskBurn, no(0), false],
      ['from', negRiskAdapter, yes(1), false],
      ['from', negRiskAdapter, yes(2), false],
      ['to', friend, yes(1), true],
    ])
  })

  test('given beside a conversion of the same token', () => {
    const gift = transferSingle(ctf, user, user, friend, BigInt(no(0)), 4n)
    for (const logs of [
      [gift, ...convert(0b001)],
      [...convert(0b001), gift],
    ]) {
      const { transfers, conversions } = read(...logs)
      const out = transfers.filter(({ from, token }) => from === user && token === no(0))
      expect(out).toMatchObject([
        { to: negRiskBurn, amount: AMOUNT, bearsCost: false },
        { to: friend, amount: 4n, bearsCost: true },
      ])
      const [converted] = conversions
      for (const { seq } of out) expect(seq).toBeGreaterThanOrEqual(converted?.seq ?? Infinity)
    }
  })

  test('given right after a split, before the adapter names the wallet', () => {
    const split = encodeAct({ kind: 'split', era: 'v1', wallet, market: marketAt(0), amount: Number(AMOUNT) })
    const gift = transferSingle(ctf, user, user, friend, BigInt(yes(0)), AMOUNT)
    const { transfers, splits } = read(...split.slice(0, -1), gift, ...split.slice(-1))
    const userRow = splits.find(({ isUser }) => isUser)
    expect(transfers).toMatchObject([{ from: user, to: friend, bearsCost: true }])
    expect(transfers[0]?.seq).toBeGreaterThanOrEqual(userRow?.seq ?? Infinity)
  })

  test('migrated for another wallet', () => {
    const combo = createCombo(event)
    const [position] = combo.tokens
    const migrated = (to: string) =>
      movesOf(
        read(
          transferSingle(ctf, binaryModule, user, binaryModule, 77n, AMOUNT),
          transferSingle(positionManager, binaryModule, ZERO_ADDRESS, to, position.id, AMOUNT),
          encodeLog(
            binaryModule,
            'PositionMigrated(address indexed from, bytes31 indexed conditionId, uint256 indexed positionId, uint256 outcomeIndex, uint256 amount)',
            {
              from: user,
              conditionId: combo.conditionId,
              positionId: position.id,
              outcomeIndex: 0n,
              amount: AMOUNT,
            },
          ),
        ),
      )
    const old = `0x${'4d'.padStart(64, '0')}`
    const own = [
      ['to', binaryModule, old, false],
      ['from', ZERO_ADDRESS, idOf(position), false],
    ]
    expect(migrated(user)).toEqual(own)
    expect(migrated(friend)).toEqual([...own, ['to', friend, idOf(position), true]])
  })

  test('given to a module that destroys it for purposes of its own', () => {
    const combo = createCombo(event)
    const ids = combo.tokens.map(({ id }) => id)
    const amounts = ids.map(() => AMOUNT)
    const facts = read(
      transferBatch(positionManager, user, user, combinatorialModule, ids, amounts),
      transferBatch(positionManager, combinatorialModule, combinatorialModule, ZERO_ADDRESS, ids, amounts),
      encodeLog(
        combinatorialModule,
        'PositionsMerged(address indexed initiator, bytes31 indexed conditionId, address indexed recipient, uint256 amount)',
        {
          initiator: combinatorialModule,
          conditionId: combo.conditionId,
          recipient: combinatorialModule,
          amount: AMOUNT,
        },
      ),
    )
    expect(facts.splits).toMatchObject([{ wallet: combinatorialModule, isUser: false }])
    expect(facts.comboEvents).toMatchObject([{ wallet: user }])
    expect(movesOf(facts)).toEqual(
      combo.tokens.map((token) => ['to', combinatorialModule, idOf(token), true]),
    )
  })
})
