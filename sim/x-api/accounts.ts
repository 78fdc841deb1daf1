import type { Universe } from '../universe/universe.js'
import type { Account } from './post.js'

const HOUSES: readonly (readonly [username: string, name: string, state?: Account['state']])[] = [
  ['X', 'X'],
  ['MarketWire', 'Market Wire'],
  ['OddsDesk', 'The Odds Desk'],
  ['CourtsideNews', 'Courtside News'],
  ['InjuryReportHQ', 'Injury Report HQ'],
  ['LineupAlerts', 'Lineup Alerts'],
  ['ElEstadioHoy', 'El Estadio Hoy'],
  ['whale_watch', 'Whale Watch 🐋'],
  ['PollWatcher26', 'Poll Watcher'],
  ['quiet_whale', 'Quiet Whale', 'protected'],
  ['pump_king', 'Pump King', 'suspended'],
]
const TRADERS_MAX = 60
const FIRST_ID = 1_500_000_000_000_000_000n

/** Newsrooms that are always there, and traders who show their handle on their profile. */
export class Accounts {
  readonly #byName = new Map<string, Account>()
  readonly #byId = new Map<string, Account>()
  /** Those whose posts can be found. */
  readonly posters: readonly Account[]
  /** Those of them who post most. */
  readonly newsrooms: readonly Account[]

  constructor({ wallets }: Universe) {
    for (const [index, [username, name, state = 'public']] of HOUSES.entries()) {
      this.#add({ id: String(FIRST_ID + BigInt(index)), name, username, state })
    }
    const traders = wallets.filter(({ xUsername }) => /^\w{1,15}$/.test(xUsername))
    for (const { index, xUsername: username, pseudonym: name } of traders.slice(0, TRADERS_MAX)) {
      const id = String(FIRST_ID + BigInt(HOUSES.length + index))
      this.#add({ id, name, username, state: 'public' })
    }
    const all = [...this.#byId.values()]
    this.posters = all.filter(({ state }) => state === 'public')
    this.newsrooms = all.slice(0, HOUSES.length).filter(({ state }) => state === 'public')
  }

  byName(username: string): Account | undefined {
    return this.#byName.get(username.toLowerCase())
  }

  byId(id: string): Account | undefined {
    return this.#byId.get(id)
  }

  #add(account: Account): void {
    const key = account.username.toLowerCase()
    if (this.#byName.has(key)) return
    this.#byName.set(key, account)
    this.#byId.set(account.id, account)
  }
}
