import type { EventDraft } from '../../src/bus/event.js'

/** As many sockets as the promise says: about a third each wants everything, some wallets, some tokens. */
const FIREHOSES = 300
const OF_WALLETS = 400
const OF_TOKENS = 300
export const SOCKETS = FIREHOSES + OF_WALLETS + OF_TOKENS

const WALLETS = 2_000
const TOKENS = 500
const WALLETS_PER_SOCKET = 10
const TOKENS_PER_SOCKET = 5

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')
const walletOf = (index: number): string => `0x${hex((index % WALLETS) + 1, 40)}`
const tokenOf = (index: number): string => String(10n ** 76n + BigInt(index % TOKENS))

/** What each socket asks for. */
export type Wanted = { wallets?: string[]; tokens?: string[] }

export function wantedBy(socket: number): Wanted {
  const list = (count: number, make: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => make(socket * 7 + index * 131))
  if (socket < FIREHOSES) return {}
  return socket < FIREHOSES + OF_WALLETS
    ? { wallets: list(WALLETS_PER_SOCKET, walletOf) }
    : { tokens: list(TOKENS_PER_SOCKET, tokenOf) }
}

/** A trade as the service publishes it; `atMs` comes back to the bench, which measures how long it took. */
export function makeTrade(index: number, atMs: number): EventDraft {
  const [maker, taker, token] = [walletOf(index * 17), walletOf(index * 29 + 7), tokenOf(index * 13)]
  const data = {
    event_type: 'trade',
    tx_hash: `0x${hex(index, 64)}`,
    block_number: 80_000_000 + index,
    log_index: index % 200,
    timestamp: 1_790_000_000_000 + index,
    at_ms: atMs,
    exchange: 'ctf_exchange',
    maker,
    taker,
    token_id: token,
    side: 'BUY',
    price: 0.64,
    size: 25,
    maker_amount: '16000000',
    taker_amount: '25000000',
    fee: 0.01,
    order_hash: `0x${hex(index * 3, 64)}`,
    exchange_version: 'v2',
    market_title: 'Will it be measured again before the end of the year?',
    market_slug: 'will-it-be-measured-again-before-the-end-of-the-year',
    event_slug: 'measured-again',
    condition_id: `0x${hex(index % TOKENS, 64)}`,
    outcome: 'Yes',
    outcomes: ['Yes', 'No'],
  }
  return {
    type: 'trade',
    timestampMs: data.timestamp,
    data,
    keys: {
      wallets: [maker, taker],
      tokens: [token],
      conditionIds: [data.condition_id],
      marketSlug: data.market_slug,
      eventSlug: data.event_slug,
      side: 'BUY',
      sizeUsd: 16,
      status: 'confirmed',
    },
  }
}

/** Finds the sockets that receive a trade. */
export function createReceivers(): (trade: EventDraft) => number[] {
  const all = Array.from({ length: FIREHOSES }, (_, socket) => socket)
  const byValue = new Map<string, number[]>()
  for (let socket = FIREHOSES; socket < SOCKETS; socket++) {
    const { wallets = [], tokens = [] } = wantedBy(socket)
    for (const value of [...wallets, ...tokens]) {
      byValue.set(value, [...(byValue.get(value) ?? []), socket])
    }
  }
  return ({ keys }) => {
    const filtered = [...keys.wallets, ...keys.tokens].flatMap((value) => byValue.get(value) ?? [])
    return [...new Set([...all, ...filtered])]
  }
}

/** Times that several processes can compare. */
export const nowMs = (): number => performance.timeOrigin + performance.now()

/** Publishes one by one as they are due, and all that are late at once. `onTurn` is called every millisecond. */
export async function publishAt(
  perSecond: number,
  count: number,
  publish: (index: number) => void,
  onIteration: () => void = () => undefined,
): Promise<void> {
  const startedAt = performance.now()
  for (let index = 0; index < count; ) {
    const due = Math.min(count, Math.floor(((performance.now() - startedAt) * perSecond) / 1000) + 1)
    while (index < due) publish(index++)
    await new Promise((next) => setTimeout(next, 1))
    onIteration()
  }
}

/** What the bench asks a server for, and what comes back. */
export type ServerRequest = { count: number; perSecond: number } | { report: true }
export type ServerReport = {
  cpuSeconds: number
  residentBytes: number
  objectBytes: number
  /** From publishing to the write of the frame, where it is measured. */
  delaysMs: number[]
}
