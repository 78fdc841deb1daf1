import { describe, expect, test } from 'vitest'
import { ADDRESS } from '../../../sim/contracts/addresses.js'
import { encodeAct } from '../../../sim/contracts/encode.js'
import type { LogBody } from '../../../sim/contracts/log.js'
import {
  createCombo,
  createEvent,
  createWallet,
  first,
  onlyMarket,
} from '../../../sim/contracts/test-world.js'
import type { Act } from '../../../sim/universe/acts.js'
import type { Market } from '../../../sim/universe/market.js'
import type { Wallet } from '../../../sim/universe/wallet.js'
import { ZERO_WORD } from '../../upstreams/polygon/abi.js'
import { attributeBatch } from './attribute-batch.js'
import { ZERO_ADDRESS } from './roles.js'
import { balancesOfFacts, balancesOfLogs } from './test-balances.js'
import { toChainLogs } from './test-chain-logs.js'
import { encodeLog, transferSingle } from './test-encode-log.js'
import { idOf } from './test-expect-act.js'

const alone = onlyMarket()
const event = createEvent(3)
const grouped = first(event.markets)
const combo = createCombo(event)
const A = createWallet(1, 'safe')
const B = createWallet(2, 'proxy')

const redeem = (wallet: Wallet, market: Market, yes: number): Act => ({
  kind: 'redeem',
  route: 'auto',
  wallet,
  market,
  amounts: [yes, 0],
  payouts: [1, 0],
})

const redeemCombo = (wallet: Wallet, amount: number): Act => ({
  kind: 'redeemCombo',
  route: 'auto',
  wallet,
  token: combo.tokens[0],
  amount,
  payouts: [1, 0],
})

function read(...bodies: LogBody[]) {
  const logs = toChainLogs(bodies)
  const facts = attributeBatch({ logs, blocks: [] })
  expect(facts.quarantine).toEqual([])
  expect(balancesOfFacts(facts)).toEqual(balancesOfLogs(logs))
  return facts
}

const usersOf = (bodies: LogBody[]) =>
  read(...bodies)
    .redemptions.filter(({ isUser }) => isUser)
    .map(({ wallet, amounts, payout, source }) => [wallet, amounts, payout, source])

describe('the AutoRedeemer', () => {
  test.each([
    ['a market', [redeem(A, alone, 5), redeem(B, alone, 7)]],
    ['a neg-risk market', [redeem(A, grouped, 5), redeem(B, grouped, 7)]],
    ['a combo', [redeemCombo(A, 5), redeemCombo(B, 7)]],
  ])('redeems %s for several wallets, each with its own', (_what, acts) => {
    expect(usersOf(acts.flatMap(encodeAct))).toEqual([
      [A.address, [5n], 5n, 'auto_redeemer'],
      [B.address, [7n], 7n, 'auto_redeemer'],
    ])
  })

  const token = BigInt(idOf(alone.tokens[0]))
  const { ctf, autoRedeemer } = ADDRESS
  const legacy = '0xf3cfb6a6ebfeb51876289eb235719eb1c65252b0'
  const give = (from: Wallet, to: string, amount: bigint) =>
    transferSingle(ctf, to, from.address, to, token, amount)
  const burn = (from: string, amount: bigint) => transferSingle(ctf, from, from, ZERO_ADDRESS, token, amount)
  const paid = (redeemer: string, payout: bigint, collateralToken: string = ADDRESS.usdce) =>
    encodeLog(
      ctf,
      'PayoutRedemption(address indexed redeemer, address indexed collateralToken, bytes32 indexed parentCollectionId, bytes32 conditionId, uint256[] indexSets, uint256 payout)',
      {
        redeemer,
        collateralToken,
        parentCollectionId: ZERO_WORD,
        conditionId: alone.conditionId,
        indexSets: [1n, 2n],
        payout,
      },
    )
  const named = ({ address: from }: Wallet, payout: bigint) =>
    encodeLog(
      autoRedeemer,
      'BinaryRedemption(address indexed from, bytes32 indexed conditionId, uint256 payout)',
      { from, conditionId: alone.conditionId, payout },
    )

  test('may redeem once for several wallets', () => {
    expect(
      usersOf([
        give(A, autoRedeemer, 5n),
        give(B, autoRedeemer, 7n),
        burn(autoRedeemer, 12n),
        paid(autoRedeemer, 12n),
        named(A, 5n),
        named(B, 7n),
      ]),
    ).toEqual([
      [A.address, [5n], 5n, 'auto_redeemer'],
      [B.address, [7n], 7n, 'auto_redeemer'],
    ])
  })

  test('of the old kind names no wallet: the transfer does', () => {
    const bodies = [give(A, legacy, 5n), burn(legacy, 5n), paid(legacy, 5n)]
    expect(usersOf(bodies)).toEqual([[A.address, [5n], 5n, 'auto_redeemer']])
  })

  test('pays through a ramp, which is no deposit', () => {
    expect(read(...encodeAct(redeem(A, alone, 5))).flows).toEqual([])
  })

  test('a redemption of nothing is kept as such', () => {
    expect(usersOf([paid(A.address, 0n)])).toEqual([[A.address, [], 0n, 'direct']])
  })

  test('a module that redeems what backs migrated positions is no user', () => {
    const module = ADDRESS.binaryModule
    expect(read(burn(module, 5n), paid(module, 5n)).redemptions).toMatchObject([
      { wallet: module, isCore: true, isUser: false },
    ])
  })

  test('what is paid in another token is not booked', () => {
    const { redemptions, transfers, rawLogs } = read(burn(A.address, 5n), paid(A.address, 5n, B.address))
    expect(redemptions).toEqual([])
    expect(transfers).toMatchObject([{ from: A.address, to: ZERO_ADDRESS, amount: 5n }])
    expect(rawLogs).toMatchObject([{ kind: 'ctfRedemption' }])
  })
})
