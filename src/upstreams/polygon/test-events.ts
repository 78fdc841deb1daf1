import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import {
  type AbiEvent,
  type AbiParameter,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  parseAbiItem,
  toEventSelector,
  toHex,
} from 'viem'
import { ZERO_WORD } from './abi.js'
import { CONTRACTS, type ContractRole } from './contracts.js'
import { ROLE_EVENTS } from './events.js'
import type { ChainLog } from './log.js'

type Signed = { topic0: Hex; signature: string }
export type Arguments = Record<string, unknown>

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
export const EVENTS = Object.entries(ROLE_EVENTS).flatMap(([role, decoders]) =>
  decoders.map(({ kind, topic0 }) => {
    const signature = PUBLISHED[role as keyof typeof ROLE_EVENTS].find(
      (event) => event.topic0 === topic0,
    )?.signature
    return { role: role as ContractRole, kind, topic0, signature: `event ${signature}` }
  }),
)

export function parse(signature: string): AbiEvent {
  return parseAbiItem<string>(signature) as AbiEvent
}

function published(...groups: string[]): Signed[] {
  return groups.flatMap((group) => VECTORS.events[group] ?? [])
}

export function encode(role: ContractRole, item: AbiEvent, args: Arguments): ChainLog {
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

/** What viem decoded, under the names of our decoded events. */
export function expectedEvent(item: AbiEvent, args: Arguments): Arguments {
  if (item.name === 'OrderFilled' || item.name === 'OrdersMatched') return expectedTrade(args)
  const event: Arguments = {}
  for (const { name = '', type } of item.inputs) {
    event[name.replace(/ID$/, 'Id')] = toOurs(args[name], type, name)
  }
  return event
}

/** Ids stay hex in decoded events although the contracts declare them as numbers. */
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
  const fields = Object.entries({ taker, fee, builder, metadata }).filter(([, value]) => value !== undefined)
  return {
    orderHash,
    maker: String(maker).toLowerCase(),
    side: buys ? 'BUY' : 'SELL',
    tokenId: toWord(token as bigint),
    usd,
    shares,
    ...Object.fromEntries(fields.map(([name, value]) => [name, toOurs(value, '', name)])),
  }
}

export function argumentsOf(item: AbiEvent): fc.Arbitrary<Arguments> {
  const record = Object.fromEntries(item.inputs.map((input) => [input.name ?? '', randomValue(input, item)]))
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
      return fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.bigInt({ min: 0n, max: 2n ** 60n }))
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
