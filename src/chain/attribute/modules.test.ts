import { describe, expect, test } from 'vitest'
import { ADDRESS } from '../../../sim/contracts/addresses.js'
import type { LogBody } from '../../../sim/contracts/log.js'
import { createCombo, createEvent, createWallet } from '../../../sim/contracts/test-world.js'
import { attributeBatch } from './attribute-batch.js'
import { ZERO_ADDRESS } from './roles.js'
import { balancesOfFacts, balancesOfLogs } from './test-balances.js'
import { toChainLogs } from './test-chain-logs.js'
import { encodeLog, transferBatch, transferSingle } from './test-encode-log.js'
import { idOf } from './test-expect-act.js'

const { positionManager, combinatorialModule: module, router, binaryModule, ctf } = ADDRESS
const { address: user } = createWallet(1, 'safe')
const { address: friend } = createWallet(2, 'safe')
const combo = createCombo(createEvent(3))
const { conditionId } = combo
const condition = `${conditionId}00`
const tokens = combo.tokens.map(idOf)
const [yes, no] = [combo.tokens[0].id, combo.tokens[1].id]
const AMOUNT = 9n

const mint = (to: string, id: bigint) => transferSingle(positionManager, module, ZERO_ADDRESS, to, id, AMOUNT)
const give = (from: string) =>
  transferBatch(positionManager, router, from, module, [yes, no], [AMOUNT, AMOUNT])
const burn = transferBatch(positionManager, module, module, ZERO_ADDRESS, [yes, no], [AMOUNT, AMOUNT])

const split = (initiator: string, recipient0: string, recipient1 = recipient0) =>
  encodeLog(
    module,
    'PositionsSplit(address indexed initiator, bytes31 indexed conditionId, address indexed recipient0, address recipient1, uint256 amount)',
    { initiator, conditionId, recipient0, recipient1, amount: AMOUNT },
  )
const merge = (initiator: string, recipient: string) =>
  encodeLog(
    module,
    'PositionsMerged(address indexed initiator, bytes31 indexed conditionId, address indexed recipient, uint256 amount)',
    { initiator, conditionId, recipient, amount: AMOUNT },
  )

function read(...bodies: LogBody[]) {
  const logs = toChainLogs(bodies)
  const facts = attributeBatch({ logs, blocks: [] })
  expect(facts.quarantine).toEqual([])
  expect(balancesOfFacts(facts)).toEqual(balancesOfLogs(logs))
  return facts
}

describe('a set of structured positions', () => {
  const booked = { wallet: user, condition, tokens, amount: AMOUNT, isCore: true, isUser: true }

  test('belongs to the wallet that gets it from the router', () => {
    const facts = read(mint(user, yes), mint(user, no), split(router, user))
    expect(facts.splits).toMatchObject([{ ...booked, isMerge: false }])
    expect(facts.transfers).toEqual([])
    expect(facts.outcomes).toMatchObject([{ condition, tokens }])
    expect(facts.comboEvents).toMatchObject([
      { kind: 'positionsSplit', wallet: user, contract: module, condition, tokens, amount: AMOUNT },
    ])
  })

  test('belonged to the wallet that gave it to the router', () => {
    const facts = read(give(user), burn, merge(router, friend))
    expect(facts.splits).toMatchObject([{ ...booked, isMerge: true }])
    expect(facts.transfers).toEqual([])
    expect(facts.comboEvents).toMatchObject([{ kind: 'positionsMerged', wallet: user }])
  })

  test('that is dealt out is the caller’s, who then gives a part away', () => {
    const facts = read(mint(user, yes), mint(friend, no), split(user, user, friend))
    expect(facts.splits).toMatchObject([booked])
    expect(facts.transfers).toMatchObject([{ from: user, to: friend, token: tokens[1] }])
  })
})

test('a migration names the old token and the new, and moves no cost by itself', () => {
  const old = 77n
  const facts = read(
    transferSingle(ctf, binaryModule, user, binaryModule, old, AMOUNT),
    mint(user, yes),
    encodeLog(
      binaryModule,
      'PositionMigrated(address indexed from, bytes31 indexed conditionId, uint256 indexed positionId, uint256 outcomeIndex, uint256 amount)',
      { from: user, conditionId, positionId: yes, outcomeIndex: 0n, amount: AMOUNT },
    ),
  )
  const fromToken = `0x${old.toString(16).padStart(64, '0')}`
  expect(facts.migrations).toMatchObject([{ wallet: user, fromToken, toToken: tokens[0], amount: AMOUNT }])
  expect(facts.transfers).toMatchObject([{ isInternal: true }, { isInternal: true }])
  expect(facts.comboEvents).toMatchObject([{ kind: 'positionMigrated', wallet: user }])
})

test('a combo event of the router belongs to the wallet that gave the module its tokens', () => {
  const { comboEvents } = read(
    give(user),
    burn,
    encodeLog(
      module,
      'Compressed(address indexed user, uint256 indexed oldPositionId, uint256 indexed newPositionId, address recipient, uint256 amount, uint256 positionAmount, uint256 collateralOut)',
      {
        user: router,
        oldPositionId: yes,
        newPositionId: no,
        recipient: friend,
        amount: AMOUNT,
        positionAmount: 4n,
        collateralOut: 5n,
      },
    ),
  )
  expect(comboEvents).toMatchObject([
    { kind: 'compressed', wallet: user, condition, tokens, amount: AMOUNT, payout: 5n },
  ])
})

test('a result that is emitted twice is kept once', () => {
  const result = [1_000_000n, 0n]
  const reported = encodeLog(
    module,
    'ResultReported(address indexed resolver, bytes31 indexed conditionId, uint256[] result)',
    { resolver: user, conditionId, result },
  )
  const resolved = encodeLog(module, 'ConditionResolved(bytes31 indexed conditionId, uint256[] result)', {
    conditionId,
    result,
  })
  expect(read(reported).resolutions).toMatchObject([{ condition, payouts: result }])
  const { resolutions, rawLogs } = read(reported, resolved)
  expect(resolutions).toMatchObject([{ condition, payouts: result }])
  expect(rawLogs).toMatchObject([{ kind: 'resultReported' }])
})
