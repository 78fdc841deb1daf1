import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import {
  type AbiEvent,
  type AbiParameter,
  decodeEventLog,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  parseAbiItem,
  toEventSelector,
  toHex,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { ZERO_WORD } from './abi.js'
import { CONTRACTS, EXCHANGES, type Role } from './contracts.js'
import { decodeLog } from './decode.js'
import { ROLE_EVENTS } from './events.js'
import { WATCHED } from './filter.js'
import type { ChainLog } from './log.js'

type Signed = { topic0: Hex; signature: string }
type Arguments = Record<string, unknown>

const VECTORS: { events: Record<string, Signed[]> } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/chain-vectors.json'), 'utf8'),
)

const AUTO_REDEEMER = [
  'Redemption(address indexed from, uint256 indexed positionId, uint256 payout)',
  'BinaryRedemption(address indexed from, bytes32 indexed conditionId, uint256 payout)',
  'NegRiskRedemption(address indexed from, bytes32 indexed conditionId, uint256 payout)',
].map((signature) => ({ signature, topic0: toEventSelector(`event ${signature}`) }))

const PUBLISHED: Record<keyof typeof ROLE_EVENTS, Signed[]> = {
  conditionalTokens: published('ConditionalTokens'),
  exchangeV1: published('CTFExchange V1 / NegRisk V1'),
  exchange: published('CTFExchange V2 / NegRisk V2 / Exchange V3'),
  feeModule: published('FeeModule'),
  negRiskAdapter: published('NegRiskAdapter'),
  negRiskOperator: published('NegRiskOperator'),
  umaAdapterV1: published('UmaCtfAdapter'),
  umaAdapter: published('UmaCtfAdapter'),
  optimisticOracle: published('OptimisticOracle'),
  pusd: published('pUSD'),
  erc20: published('pUSD'),
  positionManager: published('ConditionalTokens'),
  binaryModule: published('BaseModule'),
  negRiskModule: published('BaseModule', 'NegRiskModule'),
  combinatorialModule: published('BaseModule', 'CombinatorialModule'),
  router: published('Router'),
  autoRedeemer: AUTO_REDEEMER,
  safeFactory: published('Wallets'),
  relayHub: published('Wallets'),
  fpmmFactory: published('FPMM'),
}

/** Every event of the table, with the published signature of the same hash. */
const EVENTS = Object.entries(ROLE_EVENTS).flatMap(([role, decoders]) =>
  decoders.map(({ kind, topic0 }) => {
    const signature = PUBLISHED[role as keyof typeof ROLE_EVENTS].find(
      (event) => event.topic0 === topic0,
    )?.signature
    return { role: role as Role, kind, topic0, signature: `event ${signature}` }
  }),
)

describe('the tables', () => {
  test.each(EVENTS)('$role $kind has the hash of its signature', ({ topic0, signature }) => {
    expect(toEventSelector(parse(signature))).toBe(topic0)
  })

  test('no role has an event twice', () => {
    for (const decoders of Object.values(ROLE_EVENTS)) {
      expect(new Set(decoders.map(({ topic0 }) => topic0)).size).toBe(decoders.length)
    }
  })

  test('every contract is there once, in lower case', () => {
    const addresses = CONTRACTS.map(({ address }) => address)
    expect(new Set(addresses).size).toBe(addresses.length)
    for (const address of addresses) expect(address).toMatch(/^0x[0-9a-f]{40}$/)
    expect(EXCHANGES.size).toBe(6)
  })

  test('what is watched is ours, and leaves out the tokens of the whole chain', () => {
    expect(WATCHED.address).toContain('0xe111180000d2663c0091e4f400237545b87b996b')
    expect(WATCHED.address).not.toContain('0x2791bca1f2de4661ed88a30c99a7a9449aa84174')
    expect(new Set(WATCHED.topics[0]).size).toBe(WATCHED.topics[0].length)
  })
})

describe('every event, with random contents, decodes as viem decodes it', () => {
  test.each(EVENTS)('$role $kind', ({ role, kind, signature }) => {
    const item = parse(signature)
    fc.assert(
      fc.property(argumentsOf(item), (args) => {
        const log = encode(role, item, args)
        const fact = decodeLog(log)
        const { args: decoded } = decodeEventLog({
          abi: [item],
          topics: log.topics as [Hex],
          data: log.data as Hex,
        })
        expect(fact?.kind).toBe(kind)
        expect(fact).toMatchObject(expectedFact(item, decoded as unknown as Arguments))
      }),
      { numRuns: 20 },
    )
  })
})

function parse(signature: string): AbiEvent {
  return parseAbiItem<string>(signature) as AbiEvent
}

function published(...groups: string[]): Signed[] {
  return groups.flatMap((group) => VECTORS.events[group] ?? [])
}

function encode(role: Role, item: AbiEvent, args: Arguments): ChainLog {
  const address = CONTRACTS.find((contract) => contract.role === role)?.address ?? ''
  const topics = encodeEventTopics({ abi: [item], args } as never) as string[]
  const plain = item.inputs.filter(({ indexed }) => indexed !== true)
  const data = encodeAbiParameters(
    plain,
    plain.map(({ name }) => args[name ?? '']),
  )
  const at = { ...PLACE, address }
  return { at, topics, data, removed: false }
}

const PLACE = {
  address: '',
  blockNumber: 1,
  blockHash: ZERO_WORD,
  txHash: ZERO_WORD,
  txIndex: 0,
  logIndex: 0,
  timestampSec: undefined,
}

/** What viem decoded, in the terms of our facts. */
function expectedFact(item: AbiEvent, args: Arguments): Arguments {
  if (item.name === 'OrderFilled' || item.name === 'OrdersMatched') return expectedTrade(args)
  const fact: Arguments = {}
  for (const { name = '', type } of item.inputs) {
    fact[name.replace(/ID$/, 'Id')] = toOurs(args[name], type, name)
  }
  return fact
}

/** Ids stay hex in our facts although the contracts declare them as numbers. */
const IDS = /^(ids?|tokenId|token[01]|legs|\w*[pP]ositionIds?)$/

function toOurs(value: unknown, type: string, name: string): unknown {
  if (Array.isArray(value)) return value.map((each) => toOurs(each, type.slice(0, -2), name))
  if (typeof value === 'bigint') return IDS.test(name) ? toWord(value) : value
  return typeof value === 'string' ? value.toLowerCase() : value
}

function expectedTrade(args: Arguments): Arguments {
  const number = (name: string) => BigInt(args[name] as string)
  const makerAsset = args.makerAssetId === undefined ? undefined : number('makerAssetId')
  const buys = makerAsset === undefined ? Number(args.side) === 0 : makerAsset === 0n
  const token = args.tokenId ?? (buys ? args.takerAssetId : args.makerAssetId)
  const [usd, shares] = buys
    ? [number('makerAmountFilled'), number('takerAmountFilled')]
    : [number('takerAmountFilled'), number('makerAmountFilled')]
  const { takerOrderHash, takerOrderMaker, orderHash = takerOrderHash } = args
  const { maker = takerOrderMaker, taker, fee, builder, metadata } = args
  const given = Object.entries({ taker, fee, builder, metadata }).filter(
    ([, value]) => value !== undefined,
  )
  return {
    orderHash,
    maker: String(maker).toLowerCase(),
    side: buys ? 'BUY' : 'SELL',
    tokenId: toWord(token as bigint),
    usd,
    shares,
    ...Object.fromEntries(given.map(([name, value]) => [name, toOurs(value, '', name)])),
  }
}

function argumentsOf(item: AbiEvent): fc.Arbitrary<Arguments> {
  const record = Object.fromEntries(
    item.inputs.map((input) => [input.name ?? '', randomValue(input, item)]),
  )
  // On the first exchange money, asset 0, is on exactly one side.
  if ('makerAssetId' in record) {
    return fc
      .tuple(fc.record(record), fc.boolean())
      .map(([args, buys]) => ({ ...args, [buys ? 'makerAssetId' : 'takerAssetId']: 0n }))
  }
  return fc.record(record)
}

function randomValue({ type, name }: AbiParameter, item: AbiEvent): fc.Arbitrary<unknown> {
  if (type.endsWith('[]'))
    return fc.array(randomValue({ type: type.slice(0, -2), name: name ?? '' }, item), {
      maxLength: 5,
    })
  if (name === 'side') return fc.constantFrom(0, 1)
  if (name?.endsWith('AssetId')) return fc.bigInt({ min: 1n, max: 2n ** 256n - 1n })
  switch (type) {
    case 'address':
      return hexOf(20)
    case 'bool':
      return fc.boolean()
    case 'uint8':
      return fc.nat({ max: 255 })
    case 'uint256':
      return fc.oneof(
        fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
        fc.bigInt({ min: 0n, max: 2n ** 60n }),
      )
    case 'int256':
      return fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n })
    case 'bytes':
      return fc.uint8Array({ maxLength: 100 }).map((bytes) => toHex(bytes))
    default:
      return hexOf(Number(type.replace('bytes', '')))
  }
}

function hexOf(bytes: number): fc.Arbitrary<Hex> {
  return fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => toHex(value))
}

const toWord = (value: string | bigint | undefined) => toHex(BigInt(value ?? 0), { size: 32 })
