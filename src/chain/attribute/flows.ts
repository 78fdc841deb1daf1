import { AMOUNT_MAX } from '../../core/money.js'
import { seqOf } from '../../core/seq.js'
import { addressToWord, ZERO_WORD } from '../../upstreams/polygon/abi.js'
import { CONTRACTS, type ContractRole } from '../../upstreams/polygon/contracts.js'
import { PUSD_EVENTS } from '../../upstreams/polygon/decode-wallets.js'
import type { DecodedEvent, DecodedEventOf } from '../../upstreams/polygon/events.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { FlowFact } from '../facts/flow.js'
import type { Attribution } from './attribution.js'
import { isProtocol, PERPS, PUSD, roleOf } from './roles.js'
import type { CurrentTransaction } from './transaction.js'

/**
 * Whether a log of pUSD is a part of trading, decided without decoding it: most of them are. In a
 * match all of them are, even those from wallet to wallet.
 */
export function isTrading({ topics }: ChainLog, isMatch: boolean): boolean {
  switch (topics[0]) {
    case TRANSFER:
      return isMatch || TRADERS.has(topics[1] ?? '') || TRADERS.has(topics[2] ?? '')
    case WRAPPED:
    case UNWRAPPED:
      return isMatch || CONVERTERS.has(topics[1] ?? '')
    default:
      return topics[0] === APPROVAL && !COMBO_SPENDERS.has(topics[2] ?? '')
  }
}

type MoneyEvent = DecodedEventOf<'erc20Transfer' | 'wrapped' | 'unwrapped'>

/** Deposits, withdrawals and transfers of money. Attributed last, when all token events are known. */
export function attributeFlow(attribution: Attribution, event: MoneyEvent, log: ChainLog): void {
  const { tx, facts } = attribution
  const flow = toFlow(tx, event)
  if (flow === undefined || event.amount === 0n) return
  if (event.amount > AMOUNT_MAX) {
    attribution.quarantine('absurd_amount', `${event.amount} is no amount of money`, log)
    return
  }
  const seq = seqOf(tx.block, log.at.logIndex)
  facts.flows.push({ seq, timeSec: tx.timeSec, txHash: tx.hash, ...flow, amount: event.amount })
}

/** The amount that `caller` wrapped after the log `seq`; `undefined`: none. */
export function wrappedAfter(tx: CurrentTransaction, caller: string, seq: number): bigint | undefined {
  for (const log of tx.all) {
    if (log.topics[0] !== WRAPPED || seqOf(tx.block, log.at.logIndex) < seq) continue
    const event = decodeQuietly(tx, log)
    if (event?.kind === 'wrapped' && event.caller === caller) return event.amount
  }
  return undefined
}

const COMBO_ROLES: ReadonlySet<ContractRole> = new Set([
  'positionManager',
  'binaryModule',
  'negRiskModule',
  'combinatorialModule',
  'router',
  'autoRedeemer',
])

const TRANSFER = topicOf('erc20Transfer')
const APPROVAL = topicOf('erc20Approval')
const WRAPPED = topicOf('wrapped')
const UNWRAPPED = topicOf('unwrapped')

const TRADERS = wordsWithout('perps')
/** These wrap and unwrap for their own purposes; the ramps do it for wallets. */
const CONVERTERS = wordsWithout('ramp')

/** Allowances to these are published. */
const COMBO_SPENDERS: ReadonlySet<string> = new Set(
  CONTRACTS.filter(
    ({ role, generation }) => (role === 'exchange' && generation === 3) || COMBO_ROLES.has(role),
  ).map(({ address }) => addressToWord(address)),
)

function topicOf(kind: (typeof PUSD_EVENTS)[number]['kind']): string {
  return PUSD_EVENTS.find((event) => event.kind === kind)?.topic0 ?? ''
}

function wordsWithout(role: ContractRole): ReadonlySet<string> {
  const others = CONTRACTS.filter((contract) => contract.role !== role)
  return new Set([ZERO_WORD, ...others.map(({ address }) => addressToWord(address))])
}

function toFlow(
  tx: CurrentTransaction,
  event: MoneyEvent,
): Pick<FlowFact, 'kind' | 'from' | 'to' | 'asset' | 'ramp'> | undefined {
  switch (event.kind) {
    case 'erc20Transfer': {
      const { from, to } = event
      const kind = to === PERPS ? 'perps_deposit' : from === PERPS ? 'perps_withdrawal' : 'transfer'
      return { kind, from, to, asset: PUSD, ramp: undefined }
    }
    case 'wrapped': {
      const { caller, to, asset } = event
      if (isProtocol(to) || isRedeemed(tx, event)) return undefined
      return { kind: 'deposit', from: caller, to, asset, ramp: caller }
    }
    case 'unwrapped': {
      const { caller, to, asset } = event
      const payer = payerTo(tx, PUSD, event.amount, event.at.logIndex)
      if (payer !== undefined && isProtocol(payer)) return undefined
      return { kind: 'withdrawal', from: payer ?? caller, to, asset, ramp: caller }
    }
  }
}

/** The AutoRedeemer sends the payout of a redemption through a ramp to the wallet. */
function isRedeemed(tx: CurrentTransaction, { to, amount }: DecodedEventOf<'wrapped'>): boolean {
  return tx.events.some(
    (event) =>
      (event.kind === 'autoBinaryRedemption' ||
        event.kind === 'autoNegRiskRedemption' ||
        event.kind === 'autoRedemption') &&
      event.from === to &&
      event.payout === amount,
  )
}

/** The sender of that amount of pUSD to an address before a log, through a ramp or directly. */
function payerTo(tx: CurrentTransaction, to: string, amount: bigint, logIndex: number): string | undefined {
  for (const log of tx.all.toReversed()) {
    const { address, logIndex: earlier } = log.at
    if (earlier >= logIndex || address !== PUSD || log.topics[0] !== TRANSFER) continue
    const event = decodeQuietly(tx, log)
    if (event?.kind !== 'erc20Transfer' || event.to !== to || event.amount !== amount) continue
    return roleOf(event.from) === 'ramp' ? payerTo(tx, event.from, amount, earlier) : event.from
  }
  return undefined
}

/** For redundant logs, whose decode errors do not matter; `undefined` for these. */
function decodeQuietly(tx: CurrentTransaction, log: ChainLog): DecodedEvent | undefined {
  return tx.decoder.decodeAll([log]).events[0]
}
