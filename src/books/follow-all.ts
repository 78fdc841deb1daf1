import { faultFields } from '../lib/fault-fields.js'
import type { Log } from '../lib/log.js'
import { pause } from '../lib/timing.js'

/** Books of a page load before the next page is selected, so that other work runs in between. */
const PAGE_TOKENS = 1_000
const PAGE_MS = 100
/** An announced market is in the catalogue within this time. */
const ANNOUNCED_MS = 10 * 60_000
const ANNOUNCED_MAX = 10_000
/** A list that grew by this share since the last look is still being read. */
const GROWTH_SHARE = 0.1

type FollowAllOptions = {
  /** The tokens of open markets, at most `selectMax`. */
  select: () => Promise<readonly string[]>
  selectMax: number
  /** How many there are in all. */
  count: () => Promise<number>
  /** Returns those that it refused. */
  follow: (tokenIds: readonly string[]) => readonly string[]
  release: (tokenIds: readonly string[]) => void
  /** How often the list of open markets is read again. */
  refreshMs: number
  /** The same while the list grows much, as when the catalogue is read for the first time. */
  soonMs: number
  log: Log
}

/** Follows the tokens of all open markets for as long as it has readers. */
export class FollowAll {
  readonly #options: FollowAllOptions
  readonly #tokens = new Set<string>()
  /** Tokens of markets that the exchange announced and the catalogue may not have yet, and since when. */
  readonly #announced = new Map<string, number>()
  #unfollowed = 0
  #readers = 0
  #running: AbortController | undefined

  constructor(options: FollowAllOptions) {
    this.#options = options
  }

  get tokens(): ReadonlySet<string> {
    return this.#tokens
  }

  /** How many tokens of open markets got no slot. */
  get unfollowed(): number {
    return this.#unfollowed
  }

  start(): void {
    this.#readers += 1
    if (this.#running !== undefined) return
    this.#running = new AbortController()
    void this.#run(this.#running.signal)
  }

  stop(): void {
    this.#readers = Math.max(0, this.#readers - 1)
    if (this.#readers === 0) this.close()
  }

  close(): void {
    this.#running?.abort()
    this.#running = undefined
    this.#readers = 0
    this.#unfollowed = 0
    this.#announced.clear()
    this.#release([...this.#tokens])
  }

  /** A market opens that the catalogue may not have yet. */
  add(tokenIds: readonly string[]): void {
    if (this.#running === undefined || this.#announced.size >= ANNOUNCED_MAX) return
    for (const tokenId of tokenIds) this.#announced.set(tokenId, performance.now())
    this.#follow(tokenIds)
  }

  /** These tokens were evicted: they are followed again when slots are free. */
  lose(tokenIds: readonly string[]): void {
    for (const tokenId of tokenIds) this.#tokens.delete(tokenId)
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { refreshMs, soonMs, log } = this.#options
    while (!signal.aborted) {
      let isGrowing = false
      try {
        isGrowing = await this.#refresh(signal)
      } catch (error) {
        log.warn(faultFields(error), 'open markets could not be listed')
      }
      await pause(isGrowing ? soonMs : refreshMs, signal)
    }
  }

  /** Returns whether there will be more soon. */
  async #refresh(signal: AbortSignal): Promise<boolean> {
    const { select, count, selectMax } = this.#options
    const open = await select()
    const total = open.length < selectMax ? open.length : await count()
    if (signal.aborted) return false
    const announcedAfter = performance.now() - ANNOUNCED_MS
    for (const [tokenId, since] of this.#announced) {
      if (since < announcedAfter) this.#announced.delete(tokenId)
    }
    const wanted = new Set([...open, ...this.#announced.keys()])
    this.#release([...this.#tokens].filter((tokenId) => !wanted.has(tokenId)))
    const missing = open.filter((tokenId) => !this.#tokens.has(tokenId))
    for (let from = 0; from < missing.length && !signal.aborted; from += PAGE_TOKENS) {
      this.#follow(missing.slice(from, from + PAGE_TOKENS))
      await pause(PAGE_MS, signal)
    }
    if (signal.aborted) return false
    const refused = open.filter((tokenId) => !this.#tokens.has(tokenId)).length
    this.#unfollowed = refused + Math.max(0, total - open.length)
    const followed = missing.length - refused
    return open.length === 0 || followed > open.length * GROWTH_SHARE
  }

  #follow(tokenIds: readonly string[]): void {
    const fresh = [...new Set(tokenIds)].filter((tokenId) => !this.#tokens.has(tokenId))
    const refused = new Set(this.#options.follow(fresh))
    for (const tokenId of fresh) if (!refused.has(tokenId)) this.#tokens.add(tokenId)
  }

  #release(tokenIds: readonly string[]): void {
    for (const tokenId of tokenIds) this.#tokens.delete(tokenId)
    this.#options.release(tokenIds)
  }
}
