import type { Universe } from '../../sim/universe/universe.js'
import {
  EXCHANGE_V1,
  EXCHANGE_V2,
  EXCHANGE_V3,
  NEG_RISK_EXCHANGE_V1,
  NEG_RISK_EXCHANGE_V2,
} from '../reconcile/contracts.js'
import { eventOf } from '../reconcile/events.js'
import { addressIn, amountAt, type RawLog, topicAt, wordAt } from '../reconcile/log.js'
import { readHistory } from '../reconcile/read-history.js'

/** A fill as its log has it. Nothing here shares code with the service. */
export type ModelFill = {
  block: number
  logIndex: number
  timeSec: number
  txHash: string
  orderHash: string
  maker: string
  taker: string
  exchange: string
  isSell: boolean
  /** Decimal. */
  token: string
  usd: bigint
  shares: bigint
  fee: bigint
  /** What of the shares of a BUY was kept as its fee: the first exchanges take it so. */
  shareFee: bigint
  builder: string
  isV1: boolean
  isCombo: boolean
}

const EXCHANGES = [EXCHANGE_V1, NEG_RISK_EXCHANGE_V1, EXCHANGE_V2, NEG_RISK_EXCHANGE_V2, EXCHANGE_V3]

/** Every fill of the chain, the oldest first. */
export async function readFills(url: string, universe: Universe): Promise<ModelFill[]> {
  const fills: ModelFill[] = []
  const timeSecOf = (block: number) => universe.chain.timestampSec(block)
  for await (const logs of readHistory(url, universe.chain.firstNumber)) {
    fills.push(...fillsIn(logs as PlacedLog[], timeSecOf))
  }
  return fills
}

type PlacedLog = RawLog & { logIndex: string }

/** The fills of these logs, which have all logs of each transaction. */
export function fillsIn(logs: readonly PlacedLog[], timeSecOf: (block: number) => number): ModelFill[] {
  const refunds = new Map<string, bigint>()
  for (const log of logs) {
    if (eventOf(log) !== 'V1 FeeRefunded') continue
    refunds.set(`${log.transactionHash} ${topicAt(log, 1)}`, amountAt(log, 1))
  }
  return logs.flatMap((log) => {
    const name = eventOf(log)
    const isFill = name === 'V1 OrderFilled' || name === 'V2 OrderFilled'
    return isFill ? [readFill(log, timeSecOf, refunds)] : []
  })
}

function readFill(
  log: PlacedLog,
  timeSecOf: (block: number) => number,
  refunds: ReadonlyMap<string, bigint>,
): ModelFill {
  const isV1 = eventOf(log) === 'V1 OrderFilled'
  const isSell = isV1 ? amountAt(log, 0) !== 0n : amountAt(log, 0) === 1n
  const token = isV1 && isSell ? wordAt(log, 0) : wordAt(log, 1)
  const [given, received] = [amountAt(log, 2), amountAt(log, 3)]
  const [usd, shares] = isSell ? [received, given] : [given, received]
  const refund = refunds.get(`${log.transactionHash} ${topicAt(log, 1)}`) ?? 0n
  const fee = amountAt(log, 4) - (isV1 ? refund : 0n)
  const block = Number(log.blockNumber)
  return {
    block,
    logIndex: Number(log.logIndex),
    timeSec: timeSecOf(block),
    txHash: log.transactionHash,
    orderHash: topicAt(log, 1),
    maker: addressIn(topicAt(log, 2)),
    taker: addressIn(topicAt(log, 3)),
    exchange: log.address,
    isSell,
    token: BigInt(`0x${token}`).toString(),
    usd,
    shares,
    fee: isV1 && !isSell ? (fee * usd) / shares : fee,
    shareFee: isV1 && !isSell ? fee : 0n,
    builder: isV1 ? `0x${'0'.repeat(64)}` : `0x${wordAt(log, 5)}`,
    isV1,
    isCombo: token.startsWith('03') && token.slice(38, 54) === '0'.repeat(16),
  }
}

export const isTakerOrder = ({ taker }: ModelFill): boolean => EXCHANGES.includes(taker)

/** Those with most fills first, in either role. The exchange is no wallet. */
export function walletsByFills(fills: readonly ModelFill[]): string[] {
  const counts = new Map<string, number>()
  for (const fill of fills) {
    const parties = isTakerOrder(fill) ? [fill.maker] : [fill.maker, fill.taker]
    for (const wallet of parties) counts.set(wallet, (counts.get(wallet) ?? 0) + 1)
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([wallet]) => wallet)
}

export const idOf = ({ txHash, orderHash, logIndex }: ModelFill): string =>
  `${txHash}_${orderHash}_${logIndex}`

export const byPlace = (a: ModelFill, b: ModelFill): number => a.block - b.block || a.logIndex - b.logIndex
