import { decodeEventLog, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { ADDRESS } from './addresses.js'
import { encodeAct } from './encode.js'
import vectors from './fixtures/chain-vectors.json' with { type: 'json' }
import type { LogBody } from './log.js'
import { SIGNATURES } from './test-abi.js'
import { oneOfEach } from './test-acts.js'
import { realMint } from './test-real-mint.js'

const acts = oneOfEach()

describe('the mint that really happened', () => {
  const logs = encodeAct(realMint())
  const known = vectors.logs.filter((log) => log.positionInTx !== undefined)

  test.each(known)('$id', ({ address, topics, data, positionInTx = 0 }) => {
    expect(logs[positionInTx]).toEqual({ address, topics, data })
  })

  test('between them pUSD becomes the USDC.e that is split', () => {
    expect(logs).toHaveLength(17)
    expect(logs.slice(2, 9).map(line)).toEqual([
      'pusd Transfer exchangeV2 pusd 2083332',
      'usdce Transfer pusdVault exchangeAdapter 2083332',
      'usdce Approval pusdVault pusd',
      'pusd Transfer pusd 0 2083332',
      'pusd Unwrapped exchangeAdapter usdce exchangeAdapter 2083332',
      'usdce Transfer exchangeAdapter ctf 2083332',
      'usdce Approval exchangeAdapter ctf',
    ])
  })
})

describe('every log decodes', () => {
  test.each(acts)('$name', ({ act }) => {
    for (const log of encodeAct(act)) {
      expect(log.data).toMatch(/^0x([0-9a-f]{64})*$/)
      expect(decode(log).eventName).toBeDefined()
    }
  })
})

describe('N resting orders give N + 1 fills and one match', () => {
  const matches = acts.filter(({ act }) => act.kind === 'match')

  test.each(matches)('$name', ({ act }) => {
    if (act.kind !== 'match') return
    const names = encodeAct(act).map((log) => decode(log).eventName)
    expect(names.filter((name) => name === 'OrderFilled')).toHaveLength(act.makers.length + 1)
    expect(names.filter((name) => name === 'OrdersMatched')).toHaveLength(1)
  })
})

describe('the order of logs', () => {
  test.each([
    [
      'v2 BUY trade fee 4321',
      [
        'ctf TransferSingle',
        'pusd Transfer',
        'exchangeV2 OrderFilled',
        'exchangeV2 FeeCharged',
        'exchangeV2 OrderFilled',
        'exchangeV2 OrdersMatched',
        'pusd Transfer',
      ],
    ],
    [
      'v2NegRisk SELL set fee 4321',
      [
        'ctf TransferSingle',
        'ctf TransferSingle',
        'ctf TransferBatch',
        'ctf TransferBatch',
        'ctf TransferBatch',
        'wcol Transfer',
        'ctf PositionsMerge',
        'wcol Transfer',
        'usdce Transfer',
        'negRiskAdapter PositionsMerge',
        'usdce Transfer',
        'pusd Transfer',
        'usdce Transfer',
        'pusd Wrapped',
        'pusd Transfer',
        'negRiskExchangeV2 FeeCharged',
        'negRiskExchangeV2 OrderFilled',
        'pusd Transfer',
        'pusd Transfer',
        'negRiskExchangeV2 FeeCharged',
        'negRiskExchangeV2 OrderFilled',
        'negRiskExchangeV2 OrdersMatched',
        'pusd Transfer',
      ],
    ],
    [
      'v1 BUY set fee 4321',
      [
        'usdce Transfer',
        'usdce Approval',
        'usdce Transfer',
        'usdce Approval',
        'usdce Transfer',
        'usdce Approval',
        'ctf TransferBatch',
        'ctf PositionSplit',
        'ctf TransferSingle',
        'ctf TransferSingle',
        'exchangeV1 FeeCharged',
        'exchangeV1 OrderFilled',
        'ctf TransferSingle',
        'ctf TransferSingle',
        'exchangeV1 FeeCharged',
        'exchangeV1 OrderFilled',
        'exchangeV1 OrdersMatched',
        'ctf TransferSingle',
        'feeModule FeeRefunded',
        'ctf TransferSingle',
        'feeModule FeeRefunded',
      ],
    ],
    [
      'convert all directly',
      [
        'wcol Transfer',
        'ctf TransferBatch',
        'ctf TransferBatch',
        'usdce Transfer',
        'usdce Transfer',
        'negRiskAdapter PositionsConverted',
      ],
    ],
    [
      'v3 BUY set fee 0',
      [
        'pusd Transfer',
        'pusd Transfer',
        'exchangeV3 OrderFilled',
        'pusd Transfer',
        'positionManager TransferSingle',
        'positionManager TransferSingle',
        'pusd Transfer',
        'combinatorialModule PositionsSplit',
        'positionManager TransferSingle',
        'exchangeV3 FeeCharged',
        'positionManager TransferSingle',
        'pusd Transfer',
        'exchangeV3 OrderFilled',
        'exchangeV3 OrdersMatched',
      ],
    ],
    [
      'standard redeem auto',
      [
        'ctf TransferBatch',
        'ctf TransferSingle',
        'ctf TransferSingle',
        'usdce Transfer',
        'ctf PayoutRedemption',
        'usdce Transfer',
        'usdce Approval',
        'pusd Transfer',
        'usdce Transfer',
        'pusd Wrapped',
        'autoRedeemer BinaryRedemption',
      ],
    ],
    [
      'neg-risk prepare v2',
      [
        'managedOracleV2 RequestPrice',
        'negRiskUmaAdapterV4 QuestionInitialized',
        'ctf ConditionPreparation',
        'negRiskAdapter QuestionPrepared',
        'negRiskOperator QuestionPrepared',
      ],
    ],
    [
      'neg-risk resolve',
      [
        'managedOracleV2 Settle',
        'negRiskOperator QuestionReported',
        'negRiskUmaAdapterV4 QuestionResolved',
        'ctf ConditionResolution',
        'negRiskAdapter OutcomeReported',
        'negRiskOperator QuestionResolved',
      ],
    ],
    [
      'standard dispute',
      ['managedOracleV2 DisputePrice', 'managedOracleV2 RequestPrice', 'umaAdapterV4 QuestionReset'],
    ],
  ])('%s', (name, expected) => {
    const act = acts.find((each) => each.name === name)?.act
    const logs = act === undefined ? [] : encodeAct(act)
    expect(logs.map((log) => `${nameOf(log.address)} ${decode(log).eventName}`)).toEqual(expected)
  })
})

const abi = parseAbi(Object.values(SIGNATURES))

function decode({ topics, data }: LogBody): { eventName: string; args: object } {
  const [signature = '0x', ...rest] = topics as `0x${string}`[]
  const { eventName, args } = decodeEventLog({
    abi,
    topics: [signature, ...rest],
    data: data as `0x${string}`,
    strict: true,
  })
  return { eventName: String(eventName), args: Object(args) }
}

/** Contract, event and arguments, with the names of contracts; allowances are left out. */
function line(log: LogBody): string {
  const { eventName, args } = decode(log)
  const values = Object.values(args)
    .filter((value) => typeof value !== 'bigint' || value < 2n ** 64n)
    .map((value) => nameOf(String(value)))
  return [nameOf(log.address), eventName, ...values].join(' ')
}

const names = new Map<string, string>(Object.entries(ADDRESS).map(([name, address]) => [address, name]))

function nameOf(value: string): string {
  if (BigInt(value.startsWith('0x') ? value : 1) === 0n) return '0'
  return names.get(value.toLowerCase()) ?? value
}
