import { toTokenId } from '../core/ids.js'
import { isStructuredId, positionsOf } from '../core/structured-id.js'
import { keccak256 } from '../lib/keccak.js'
import type { Sql } from '../store/connection.js'
import { hex } from '../store/sql-words.js'
import { CONTRACTS } from '../upstreams/polygon/contracts.js'
import { deriveProxyWallet, deriveSafe } from '../upstreams/polygon/wallet-addresses.js'
import { count, type Finding, Tally } from './finding.js'

/** A token takes about a millisecond to derive. */
const TOKENS_MAX = 1_000
const PAGE_ROWS = 10_000

/**
 * Ids that follow from others: a condition from its oracle and its question, a question of a neg-risk
 * market from the market, tokens from their condition (of the first contracts: some at random of those
 * that were traded, because anyone can make tokens of another collateral), wallets from their owners.
 */
export async function checkDerivedIds(sql: Sql): Promise<Finding> {
  const tally = new Tally()
  await checkConditions(sql, tally)
  await checkQuestions(sql, tally)
  await checkTokens(sql, tally)
  await checkOwners(sql, tally)
  return tally.toFinding(sql, 'derived ids', count(tally.rows, 'id'))
}

type ConditionRow = {
  seq: number
  condition: string | null
  oracle: string | null
  question: string
  outcomes: number
}

async function checkConditions(sql: Sql, tally: Tally): Promise<void> {
  const pages = sql<ConditionRow[]>`
    select seq::float8, encode(conditions.condition, 'hex') as condition,
           encode(address, 'hex') as oracle, encode(question, 'hex') as question, outcomes
      from preparations
      left join conditions on conditions.id = preparations.condition
      left join wallets on wallets.id = oracle
     order by preparations.seq`.cursor(PAGE_ROWS)
  for await (const page of pages) {
    for (const { seq, condition, oracle, question, outcomes } of page) {
      const derived = keccak256(`0x${oracle ?? ''}${question}${word(outcomes)}`)
      compareId(tally, { seq }, 'condition', `0x${condition}`, derived)
    }
  }
}

/** The last byte of a question is its index in the market, whose last byte is zero. */
async function checkQuestions(sql: Sql, tally: Tally): Promise<void> {
  const rows = await sql<{ seq: number; index: number; market: string; question: string }[]>`
    select seq::float8, index, encode(market, 'hex') as market, encode(question, 'hex') as question
      from neg_risk_questions
     where question <> substr(market, 1, 31) || substr(int4send(index), 4, 1)
        or substr(market, 32) <> '\\x00'
     order by neg_risk_questions.seq`
  for (const { seq, index, market, question } of rows) {
    const derived = `0x${market.slice(0, -2)}${index.toString(16).padStart(2, '0')} of a market that ends with 00`
    compareId(tally, { seq }, 'question', `0x${question}`, derived)
  }
}

type TokenRow = { id: number; outcome: number; token: string; condition: string }

async function checkTokens(sql: Sql, tally: Tally): Promise<void> {
  const rows = await sql<TokenRow[]>`
    select tokens.id, outcome, ${hex(sql, 'tokens.token')} as token,
           ${hex(sql, 'conditions.condition')} as condition
      from tokens
      join conditions on conditions.id = tokens.condition
     where outcome is not null
       and exists (select from last_prices where last_prices.token = tokens.id)
     order by random()
     limit ${TOKENS_MAX}`
  for (const { id, outcome, token, condition } of rows) {
    tally.rows++
    const derived = isStructuredId(condition)
      ? [positionsOf(condition)[outcome] ?? '']
      : deriveTokens(condition, outcome)
    if (derived.includes(token)) continue
    const what = `is stored as outcome ${outcome} of ${condition}, which is ${derived.map(toTokenId).join(' or ')}`
    tally.add({ keys: { token: id }, what })
  }
}

type OwnerRow = { seq: number; kind: string; wallet: string | null; owner: string | null }

async function checkOwners(sql: Sql, tally: Tally): Promise<void> {
  const pages = sql<OwnerRow[]>`
    select seq::float8, kind, encode(wallets.address, 'hex') as wallet,
           encode(owners.address, 'hex') as owner
      from wallet_owners
      left join wallets on wallets.id = wallet
      left join wallets as owners on owners.id = owner
     order by wallet_owners.seq`.cursor(PAGE_ROWS)
  for await (const page of pages) {
    for (const { seq, kind, wallet, owner } of page) {
      const derived = deriveWallet(kind, owner ?? '')
      compareId(tally, { seq }, `${kind} wallet of 0x${owner}`, `0x${wallet}`, derived)
    }
  }
}

function compareId(
  tally: Tally,
  keys: { seq: number },
  name: string,
  stored: string,
  derived: string | undefined,
): void {
  tally.rows++
  if (stored === derived) return
  tally.add({
    keys,
    what: `${name} is stored as ${stored}, and what it is made of gives ${derived}`,
  })
}

/** `undefined`: the kind is none of the factories'. */
const deriveWallet = (kind: string, owner: string): string | undefined => DERIVATIONS[kind]?.(`0x${owner}`)

const DERIVATIONS: Readonly<Record<string, (owner: string) => string>> = {
  proxy: deriveProxyWallet,
  safe: deriveSafe,
}

/** USDC.e, and the wrapped collateral of neg-risk markets. */
const COLLATERALS = CONTRACTS.filter(({ role, generation }) => role === 'erc20' && generation === 1).map(
  ({ address }) => address,
)

/** By collateral: the token contract hashes it with a point of the curve y² = x³ + 3, which takes long to find. */
function deriveTokens(condition: string, outcome: number): string[] {
  const collection = deriveCollection(condition, 1 << outcome)
  return COLLATERALS.map((collateral) => keccak256(`${collateral}${collection}`))
}

const P = 21888242871839275222246405745257275088696311157297823662689037894645226208583n
const ROOT_EXPONENT = ((P + 1n) / 4n).toString(2)
const TOP_BIT = 1n << 255n
const ODD_FLAG = 1n << 254n

/** The first point after the hash, with its sign from the hash. */
function deriveCollection(condition: string, indexSet: number): string {
  const seed = BigInt(keccak256(`${condition}${word(indexSet)}`))
  const wantsOdd = (seed & TOP_BIT) !== 0n
  for (let x = (seed + 1n) % P; ; x = (x + 1n) % P) {
    const square = (x * x * x + 3n) % P
    const root = rootOf(square)
    if ((root * root) % P === square)
      return word(isOdd(root) === wantsOdd ? mark(x, root) : mark(x, P - root))
  }
}

const isOdd = (value: bigint): boolean => value % 2n === 1n

const mark = (x: bigint, y: bigint): bigint => (isOdd(y) ? x ^ ODD_FLAG : x)

/** A square root modulo P, if there is one. */
function rootOf(square: bigint): bigint {
  let root = 1n
  for (const bit of ROOT_EXPONENT) {
    root = (root * root) % P
    if (bit === '1') root = (root * square) % P
  }
  return root
}

const word = (value: number | bigint): string => value.toString(16).padStart(64, '0')
