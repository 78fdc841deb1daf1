import { createPublicClient, type Hex, http, parseAbiItem } from 'viem'
import { polygon } from 'viem/chains'
import type { Json } from '../strict-client/shape.js'

const ORDER_FILLED = parseAbiItem(
  'event OrderFilled(bytes32 indexed orderHash, address indexed maker, address indexed taker, uint8 side, uint256 tokenId, uint256 makerAmountFilled, uint256 takerAmountFilled, uint256 fee, bytes32 builder, bytes32 metadata)',
)

/** The exchanges that trade now, by what a message calls them. */
const EXCHANGES: ReadonlyMap<string, string> = new Map([
  ['0xe111180000d2663c0091e4f400237545b87b996b', 'ctf_exchange'],
  ['0xe2222d279d744050d28e00520010520000310f59', 'neg_risk_ctf_exchange'],
  ['0xe2222d002000ba0053cef3375333610f64600036', 'neg_risk_ctf_exchange'],
])
/** Trades structured tokens, whose first byte names their module. */
const EXCHANGE_V3 = '0xe3333700ca9d93003f00f0f71f8515005f6c00aa'
const [NEG_RISK, COMBINATORIAL] = [2n, 3n]

/** viem refuses answers above 10 MB: a busy chain has them within some hundred blocks. */
const BLOCKS_PER_READ = 40

export type CanonicalFill = Json & { tx_hash: string; block_number: number; log_index: number }

/**
 * What the messages of all fills of these blocks must say, read from the node and decoded by viem.
 * Fills of combos are other messages.
 */
export async function readCanonicalFills(
  nodeUrl: string,
  { fromBlock, toBlock }: { fromBlock: number; toBlock: number },
): Promise<CanonicalFill[]> {
  const client = createPublicClient({ chain: polygon, transport: http(nodeUrl) })
  const readLogs = (from: number) =>
    client.getLogs({
      address: [...EXCHANGES.keys(), EXCHANGE_V3] as Hex[],
      event: ORDER_FILLED,
      fromBlock: BigInt(from),
      toBlock: BigInt(Math.min(from + BLOCKS_PER_READ - 1, toBlock)),
      strict: true,
    })
  const logs: Awaited<ReturnType<typeof readLogs>> = []
  for (let from = fromBlock; from <= toBlock; from += BLOCKS_PER_READ) logs.push(...(await readLogs(from)))
  const times = new Map<bigint, number>()
  const fills: CanonicalFill[] = []
  for (const { args, address, blockNumber, transactionHash, logIndex } of logs) {
    const exchangeV2 = EXCHANGES.get(address.toLowerCase())
    const module = exchangeV2 === undefined ? args.tokenId >> 248n : undefined
    if (module === COMBINATORIAL) continue
    if (!times.has(blockNumber)) {
      const { timestamp } = await client.getBlock({ blockNumber })
      times.set(blockNumber, Number(timestamp) * 1000)
    }
    const isBuy = args.side === 0
    const shares = isBuy ? args.takerAmountFilled : args.makerAmountFilled
    const usd = isBuy ? args.makerAmountFilled : args.takerAmountFilled
    fills.push({
      tx_hash: transactionHash,
      block_number: Number(blockNumber),
      log_index: logIndex,
      timestamp: times.get(blockNumber),
      exchange: exchangeV2 ?? (module === NEG_RISK ? 'neg_risk_ctf_exchange' : 'ctf_exchange'),
      maker: args.maker.toLowerCase(),
      taker: args.taker.toLowerCase(),
      token_id: String(args.tokenId),
      side: isBuy ? 'BUY' : 'SELL',
      price: Number(usd) / Number(shares),
      size: Number(shares) / 1e6,
      maker_amount: String(args.makerAmountFilled),
      taker_amount: String(args.takerAmountFilled),
      fee: Number(args.fee) / 1e6,
      order_hash: args.orderHash,
      exchange_version: exchangeV2 === undefined ? 'v3' : 'v2',
    })
  }
  return fills
}
