import { decodeFunctionData, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Match } from '../universe/acts.js'
import { ADDRESS } from './addresses.js'
import { transactionInput } from './calldata.js'
import { matchFees } from './match-calldata.js'
import { transactionTarget } from './targets.js'
import { FUNCTIONS } from './test-abi.js'
import { oneOfEach } from './test-acts.js'
import { realMint } from './test-real-mint.js'

const abi = parseAbi(Object.values(FUNCTIONS))
const acts = oneOfEach()
const matches = acts.flatMap(({ name, act }) => (act.kind === 'match' ? [{ name, act }] : []))

describe('every input decodes as a call', () => {
  const called = acts.filter(({ name }) => name !== 'create eoa')

  test.each(called)('$name', ({ act }) => {
    expect(decode(transactionInput(act)).functionName).toBeTypeOf('string')
    expect(Object.values<string>(ADDRESS)).toContain(transactionTarget(act))
  })
})

describe('matchOrders says what the logs will say', () => {
  test.each(matches)('$name', ({ act }) => {
    const { args } = decode(transactionInput(act))
    const numbers = flatten(args)
    for (const { order, usd, shares } of [act.taker, ...act.makers]) {
      expect(numbers).toContain(order.token.id)
      expect(numbers).toContain(BigInt(order.side === 'BUY' ? usd : shares))
    }
  })
})

test('the mint that really happened', () => {
  const match = realMint()
  const [condition, taker, makers, takerFill, makerFills, takerFee, makerFees] = decode(
    transactionInput(match),
  ).args
  expect(condition).toBe(match.of.conditionId)
  expect(taker).toMatchObject({
    salt: 853910448971285n,
    maker: '0x361B766227DB19d4C8037595A9d4ced9faD81a24',
    signer: '0xeDC29f520f92685ee8DFE3C3200139D671b044B2',
    makerAmount: 1000000n,
    takerAmount: 2040000n,
    side: 0,
    signatureType: 2,
    timestamp: 1776463011256n,
    signature: expect.stringMatching(/^0x[0-9a-f]{128}1[bc]$/),
  })
  expect(makers).toHaveLength(1)
  expect([takerFill, makerFills, takerFee, makerFees]).toEqual([999999n, [1083333n], 0n, [0n]])
})

describe('V1', () => {
  test('orders without fees go straight to the exchange', () => {
    expect(transactionTarget(named('v1 BUY trade fee 0'))).toBe(ADDRESS.exchangeV1)
    expect(transactionInput(named('v1 BUY trade fee 0'))).toMatch(/^0xe60f0c05/)
  })

  test('others through the fee module, which charges what it does not give back', () => {
    const match = named('v1NegRisk SELL both fee 4321')
    expect(transactionTarget(match)).toBe(ADDRESS.negRiskFeeModule)
    expect(transactionInput(match)).toMatch(/^0x2287e350/)
    expect(matchFees(match)).toEqual({ taker: 3087, makers: [0, 599] })
  })
})

function named(name: string): Match {
  const match = matches.find((each) => each.name === name)
  if (match === undefined) throw new Error(`no act ${name}`)
  return match.act
}

function decode(input: string): { functionName: unknown; args: readonly unknown[] } {
  const { functionName, args } = decodeFunctionData({ abi, data: input as `0x${string}` })
  return { functionName, args: Array.isArray(args) ? args : [] }
}

function flatten(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [value]
  return Object.values(value).flatMap(flatten)
}
