import { isProtocol } from '../../chain/attribute/roles.js'
import { eachEntries, walletEntries } from '../../chain/facts/entries.js'
import { toTokenId } from '../../core/ids.js'
import { toDecimal } from '../../core/money.js'
import { blockOf, logIndexOf } from '../../core/seq.js'
import type { Entry } from '../../ledger/entry.js'
import { groupBy } from '../../lib/group-by.js'
import type { Sql } from '../../store/connection.js'
import { ZERO_WORD } from '../../upstreams/polygon/abi.js'
import type { WebhookPayload } from '../event-types.js'
import type { Detector, Occurrence } from './detector.js'
import { type FactSlice, selectTransactions, selectWatched } from './fact-slice.js'
import {
  causeOf,
  causeRank,
  movesOf,
  type PositionEnd,
  type PositionStep,
  type StatusChange,
  statusChanges,
} from './position-steps.js'
import { marketKeys, type SliceMarket, toBraces, tokenFields } from './slice-markets.js'

/**
 * The status of positions of watched wallets, once for each transaction that changes it: a set that is
 * made and half sold in one transaction opens one position. The ledger's balances stand for the head,
 * and all moves after a `seq` are undone to get those at it. Contracts of the platform have no positions.
 */
export const positionStatus: Detector = {
  types: ['position_status_change'],
  async detect(slice) {
    const watched = new Map<number, string>()
    const moves = await readMoves(slice, watched)
    const results = await selectTokenResults(slice.sql, slice)
    const held = await readHolders(slice, results, watched)
    const steps = [...(await toSteps(slice, moves)), ...held]
    if (steps.length === 0) return { occurrences: [] }
    const positions = groupBy(steps, keyOf)
    const ends = await readEnds(slice, positions.values())
    const marketOf = await slice.markets.ofTokens([...ends.values()].map(({ token }) => token))
    const occurrences = [...positions].flatMap(([key, [first, ...rest]]) => {
      const end = ends.get(key)
      if (end === undefined) return []
      const ordered = [first, ...rest].sort((a, b) => a.seq - b.seq)
      const { token } = end
      const position = { wallet: watched.get(first.wallet) ?? '', token, market: marketOf(token) }
      return statusChanges(ordered, end).map((change) => toOccurrence(change, position, slice.nowMs))
    })
    return { occurrences: occurrences.sort(bySeqAndIdentity) }
  },
}

/** Several positions may change at one `seq`: their order depends on the facts alone. */
const bySeqAndIdentity = (a: Occurrence, b: Occurrence): number =>
  a.seq - b.seq || (a.identity < b.identity ? -1 : 1)

type Subject = { wallet: number; token: number }
type Move = Subject & { amount: bigint; entry: Entry; isBatch: boolean }
type WatchedStep = Subject & PositionStep

const keyOf = ({ wallet, token }: Subject): string => `${wallet} ${token}`

/** The moves of watched wallets in this slice. Puts the wallets into `watched`. */
async function readMoves(slice: FactSlice, watched: Map<number, string>): Promise<Move[]> {
  const { sql, afterSeq, toSeq } = slice
  const seen = new Set<number>()
  const kept: Move[] = []
  for await (const entries of eachEntries(sql, { fromSeq: afterSeq + 1, toSeq })) {
    const moves = entries.flatMap((entry, at) =>
      movesOf(entry).map((move) => ({ ...move, entry, isBatch: isOfBatch(entries, at) })),
    )
    const fresh = new Set(moves.map(({ wallet }) => wallet).filter((wallet) => !seen.has(wallet)))
    for (const wallet of fresh) seen.add(wallet)
    for (const [id, address] of await selectWatched(slice, 'position_status_change', fresh)) {
      if (!isProtocol(address)) watched.set(id, address)
    }
    kept.push(...moves.filter(({ wallet }) => watched.has(wallet)))
  }
  return kept
}

/** Whether a neighbour is a transfer of the same log. */
function isOfBatch(entries: readonly Entry[], at: number): boolean {
  const isSame = (other: Entry | undefined) => other?.kind === 'transfer' && other.seq === entries[at]?.seq
  return isSame(entries[at - 1]) || isSame(entries[at + 1])
}

/** One step for each transaction, wallet and token. */
async function toSteps({ sql }: FactSlice, moves: readonly Move[]): Promise<WatchedStep[]> {
  const hashes = await selectTransactions(sql, [...new Set(moves.map(({ entry }) => entry.seq))])
  const hashOf = ({ entry }: Move) => hashes.get(entry.seq) ?? ZERO_WORD
  const groups = groupBy(moves, (move) => `${hashOf(move)} ${keyOf(move)}`)
  return [...groups.values()].map((group) => {
    const [first] = group
    const cause = group.reduce((best, move) =>
      causeRank(move.entry.kind) <= causeRank(best.entry.kind) ? move : best,
    )
    return {
      wallet: first.wallet,
      token: first.token,
      seq: Math.max(...group.map(({ entry }) => entry.seq)),
      timeSec: first.entry.timeSec,
      txHash: hashOf(first),
      amount: group.reduce((sum, { amount }) => sum + amount, 0n),
      cause: causeOf(cause.entry, cause.isBatch),
      causeSeq: cause.entry.seq,
    }
  })
}

const RESULT = { source: 'resolution', rawEventType: 'ConditionResolution' } as const

/** A step for each watched wallet that may have held a token when its market got a result. */
async function readHolders(
  slice: FactSlice,
  results: readonly TokenResultRow[],
  watched: Map<number, string>,
): Promise<WatchedStep[]> {
  if (results.length === 0) return []
  const byToken = groupBy(results, ({ token }) => token)
  const steps: WatchedStep[] = []
  for await (const holders of selectHolders(slice.sql, results)) {
    for (const { wallet, address, token } of holders) {
      if (!slice.isWatched('position_status_change', address) || isProtocol(address)) continue
      watched.set(wallet, address)
      for (const { seq, timeSec, txHash } of byToken.get(token) ?? []) {
        steps.push({ wallet, token, seq, timeSec, txHash, amount: 0n, cause: RESULT, causeSeq: seq })
      }
    }
  }
  return steps
}

/** The positions as they are at the end of this slice, by key. */
async function readEnds(slice: FactSlice, groups: Iterable<readonly WatchedStep[]>) {
  const { sql, toSeq, headSeq } = slice
  const subjects = [...groups].flatMap(([first]) => first ?? [])
  const rows = await selectPositionsAtHead(sql, subjects)
  const tokens = await selectPositionTokens(sql, [...new Set(rows.map(({ token }) => token))])
  const ends = new Map<string, PositionEnd & { token: string }>()
  for (const { wallet, token, balance, firstSec } of rows) {
    const facts = tokens.get(token)
    if (facts !== undefined) ends.set(keyOf({ wallet, token }), { balance, firstSec, ...facts })
  }
  if (toSeq === headSeq) return ends
  const wallets = [...new Set(subjects.map(({ wallet }) => wallet))]
  const range = { fromSeq: toSeq + 1, toSeq: headSeq }
  for await (const entries of walletEntries(sql, wallets, range)) {
    for (const move of entries.flatMap(movesOf)) {
      const end = ends.get(keyOf(move))
      if (end !== undefined) end.balance -= move.amount
    }
  }
  return ends
}

function toOccurrence(
  { step, from, to, before, after }: StatusChange,
  { wallet, token, market }: { wallet: string; token: string; market: SliceMarket },
  nowMs: number,
): Occurrence {
  const { seq, timeSec, txHash, cause, causeSeq, amount } = step
  const tokenId = toTokenId(token)
  const present = (): WebhookPayload<'position_status_change'> => ({
    wallet,
    token_id: tokenId,
    from_status: from,
    to_status: to,
    previous_amount: toShares(before),
    new_amount: toShares(after),
    delta_amount: toDecimal(amount),
    transfer_amount: toDecimal(amount < 0n ? -amount : amount),
    source: cause.source,
    raw_event_type: cause.rawEventType,
    source_event_id: `${txHash}_${logIndexOf(causeSeq)}`,
    transaction_hash: txHash,
    block_number: blockOf(seq),
    timestamp: new Date(nowMs).toISOString(),
    ...tokenFields(market, token),
    event_slug: market.eventSlug,
    tags: toBraces(market.tags),
  })
  const kind = cause.source === 'resolution' ? 'result' : 'moved'
  return {
    type: 'position_status_change',
    seq,
    timeSec,
    identity: `${txHash} ${kind} ${wallet} ${token}`,
    keys: { wallets: [wallet], tokenId, ...marketKeys(market), statusFrom: from, statusTo: to },
    present,
  }
}

const toShares = (balance: bigint): number => toDecimal(balance > 0n ? balance : 0n)

/** A token whose market got a result. */
export type TokenResultRow = { seq: number; timeSec: number; txHash: string; token: number }

/**
 * The results of this slice by token. The catalogue may state the condition of a token before a log does.
 * Indexes: resolutions_pkey, tokens_condition, markets_condition.
 */
export const selectTokenResults = (sql: Sql, { afterSeq, toSeq }: Pick<FactSlice, 'afterSeq' | 'toSeq'>) =>
  sql<TokenResultRow[]>`
    select r.seq::float8, b.time as time_sec, '0x' || encode(r.tx_hash, 'hex') as tx_hash,
           own.id as token
      from resolutions r
      join blocks b on b.number = r.seq >> 20
     cross join lateral (
       select id from tokens where condition = r.condition
       union
       select t.id
         from conditions c
         join markets m on m.condition = c.condition
         join market_tokens mt on mt.market = m.id
         join tokens t on t.token = mt.token and t.condition is null
        where c.id = r.condition
     ) own
     where r.seq > ${afterSeq} and r.seq <= ${toSeq}
     order by r.seq, own.id`

type Holder = { wallet: number; address: string; token: number }

/** Holders that are in memory at a time: a market may have a hundred thousand. */
const HOLDERS_MAX = 5_000

/**
 * Wallets that may have held these tokens when the results came: they hold shares now, or something
 * changed since. Index: positions_token.
 */
export const selectHolders = (
  sql: Sql,
  results: readonly TokenResultRow[],
): AsyncIterable<readonly Holder[]> =>
  sql<Holder[]>`
  select p.wallet, p.token, '0x' || encode(w.address, 'hex') as address
    from positions p
    join wallets w on w.id = p.wallet
   where p.token = any(${[...new Set(results.map(({ token }) => token))]}::integer[])
     and (p.balance > 0 or p.last_sec >= ${Math.min(...results.map(({ timeSec }) => timeSec))})`.cursor(
    HOLDERS_MAX,
  )

type PositionRow = { wallet: number; token: number; balance: bigint; firstSec: number }

/** The positions as they are at the head. Index: the primary key. */
export const selectPositionsAtHead = (
  sql: Sql,
  subjects: readonly { wallet: number; token: number }[],
): Promise<PositionRow[]> => sql<PositionRow[]>`
  select p.wallet, p.token, p.balance, p.first_sec
    from unnest(${subjects.map(({ wallet }) => wallet)}::integer[],
                ${subjects.map(({ token }) => token)}::integer[]) as requested (wallet, token)
    join positions p on p.wallet = requested.wallet and p.token = requested.token`

/** Tokens as hex text, and the `seq` of the result of their market. */
export async function selectPositionTokens(sql: Sql, tokens: readonly number[]) {
  const rows = await sql<{ id: number; token: string; resolvedSeq: number | null }[]>`
    select t.id, '0x' || encode(t.token, 'hex') as token,
           case when price.source in ('settlement', 'v1_condition') then price.seq end::float8
             as resolved_seq
      from tokens t
      join token_prices price on price.token = t.id
     where t.id = any(${[...tokens]}::integer[])`
  return new Map(
    rows.map(({ id, token, resolvedSeq }) => [id, { token, resolvedSeq: resolvedSeq ?? undefined }]),
  )
}
