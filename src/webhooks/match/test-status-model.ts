import { eventOf } from '../../../test/reconcile/events.js'
import {
  addressIn,
  amountAt,
  amountsAt,
  arrayAt,
  type RawLog,
  topicAt,
  wordAt,
} from '../../../test/reconcile/log.js'
import { readHistory } from '../../../test/reconcile/read-history.js'
import { isProtocol } from '../../chain/attribute/roles.js'
import { toTokenId } from '../../core/ids.js'
import { toDecimal } from '../../core/money.js'

/**
 * The statuses of all positions in tokens of the conditional tokens contract, from its transfer logs and
 * results alone: forward, log by log, and with nothing of the ledger.
 */
export async function modelStatuses(
  url: string,
  firstBlock: number,
  conditions: ReadonlyMap<string, string>,
) {
  const model = new StatusModel(conditions)
  let logs: RawLog[] = []
  for await (const page of readHistory(url, firstBlock)) {
    for (const log of page) {
      if (logs[0] !== undefined && logs[0].transactionHash !== log.transactionHash) {
        model.add(logs)
        logs = []
      }
      logs.push(log)
    }
  }
  model.add(logs)
  return model
}

class StatusModel {
  /** Decimal ids of the tokens that it knows. */
  readonly tokens = new Set<string>()
  readonly changes: string[] = []
  readonly #conditions: ReadonlyMap<string, string>
  readonly #resolved = new Set<string>()
  /** Token to wallet to balance; a wallet that is there had shares once. */
  readonly #balances = new Map<string, Map<string, bigint>>()

  constructor(conditions: ReadonlyMap<string, string>) {
    this.#conditions = conditions
  }

  /** The logs of one transaction. */
  add(logs: readonly RawLog[]): void {
    const moved = new Map<string, bigint>()
    const move = (wallet: string, token: string, amount: bigint) => {
      if (isProtocol(wallet) || amount === 0n) return
      const key = `${wallet} ${token}`
      moved.set(key, (moved.get(key) ?? 0n) + amount)
    }
    for (const log of logs) {
      const [from, to] = [addressIn(topicAt(log, 2)), addressIn(topicAt(log, 3))]
      for (const [token, amount] of sharesIn(log)) {
        move(from, token, -amount)
        move(to, token, amount)
      }
    }
    const [first] = logs
    for (const [key, amount] of moved) this.#move(first?.transactionHash ?? '', key, amount)
    for (const log of logs) {
      if (eventOf(log) === 'CTF ConditionResolution') this.#resolve(log)
    }
  }

  #move(tx: string, key: string, amount: bigint): void {
    const [wallet = '', token = ''] = key.split(' ')
    this.tokens.add(toTokenId(token))
    const wallets = this.#balances.get(token) ?? new Map<string, bigint>()
    this.#balances.set(token, wallets)
    const before = wallets.get(wallet)
    const after = (before ?? 0n) + amount
    const isResolved = this.#resolved.has(this.#conditions.get(token) ?? '')
    const empty = before === undefined ? 'none' : isResolved ? 'redeemed' : 'closed'
    const full = isResolved ? 'redeemable' : 'open'
    const fields = { tx, wallet, token, before: before ?? 0n, after }
    if ((before ?? 0n) <= 0n && after > 0n) this.#note(fields, empty, full)
    if ((before ?? 0n) > 0n && after <= 0n) this.#note(fields, full, isResolved ? 'redeemed' : 'closed')
    wallets.set(wallet, after)
  }

  #resolve(log: RawLog): void {
    const condition = topicAt(log, 1)
    if (this.#resolved.has(condition)) return
    this.#resolved.add(condition)
    for (const [token, wallets] of this.#balances) {
      if (this.#conditions.get(token) !== condition) continue
      for (const [wallet, balance] of wallets) {
        if (balance <= 0n) continue
        const fields = { tx: log.transactionHash, wallet, token, before: balance, after: balance }
        this.#note(fields, 'open', 'redeemable')
      }
    }
  }

  #note(
    fields: { tx: string; wallet: string; token: string; before: bigint; after: bigint },
    from: string,
    to: string,
  ): void {
    const { tx, wallet, token, before, after } = fields
    const amounts = [before, after, after - before].map(toDecimal)
    this.changes.push([tx, wallet, toTokenId(token), from, to, ...amounts].join(' '))
  }
}

/** Tokens and amounts of a transfer log. */
function sharesIn(log: RawLog): [token: string, amount: bigint][] {
  switch (eventOf(log)) {
    case 'CTF TransferSingle':
      return [[`0x${wordAt(log, 0)}`, amountAt(log, 1)]]
    case 'CTF TransferBatch': {
      const amounts = amountsAt(log, 1)
      return arrayAt(log, 0).map((word, index) => [`0x${word}`, amounts[index] ?? 0n])
    }
    default:
      return []
  }
}
