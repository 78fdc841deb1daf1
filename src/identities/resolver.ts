import type { Clock } from '../core/clock.js'
import { messageOf, unavailable } from '../core/errors.js'
import { parseAddress } from '../core/ids.js'
import { UpstreamError } from '../core/upstream-error.js'
import type { Log } from '../lib/log.js'
import { StaleFallbackCache } from '../lib/stale-fallback-cache.js'
import type { GammaClient } from '../upstreams/gamma/client.js'
import { type GammaProfile, usernameOf } from '../upstreams/gamma/parse.js'
import { withUpstreamTimeout } from '../upstreams/transport/upstream-timeout.js'
import { type ChainWalletDeps, readChainWallets } from './chain-wallets.js'
import { chooseWallet, type Identity } from './identity.js'
import { deleteUsername, upsertUsername } from './queries.js'

type ResolverDeps = ChainWalletDeps & {
  gamma: Pick<GammaClient, 'getProfile' | 'findProfileByName'>
  clock: Clock
  log: Log
}

/** `isWhole`: no upstream failed to say what it knows. */
type Found = { identity: Identity | undefined; isWhole: boolean }
/** `isSure`: Gamma answered. */
type FoundProfile = { profile: GammaProfile | undefined; isSure: boolean }

const ANSWERS_MAX = 20_000
const FOUND_MS = 60 * 60_000
const MISSING_MS = 60_000

const NODE_LOST = 'Addresses cannot be looked up now: the Polygon node does not answer.'
const SEARCH_LOST = "Usernames cannot be looked up now: the platform's catalogue does not answer."
const PROFILES_LOST = "Profiles cannot be looked up now: the platform's catalogue does not answer."
const PROFILE_LOST =
  "The address is not on the chain, and the platform's catalogue, which may know it, does not answer."

/** Resolves a wallet, a key or a username to its identity. Answers are cached: both upstreams have limits. */
export class IdentityResolver {
  readonly #deps: ResolverDeps
  readonly #cache: StaleFallbackCache

  constructor(deps: ResolverDeps) {
    this.#deps = deps
    const { clock } = deps
    this.#cache = new StaleFallbackCache({ clock, limits: { max: ANSWERS_MAX }, staleMsMax: 0 })
  }

  /** By a lower-case address. `undefined`: neither the chain nor the platform knows it. */
  byAddress(address: string, accountId: number): Promise<Identity | undefined> {
    return this.#recall(address, accountId, () => this.#findAddress(address, accountId))
  }

  /** By a username in any letter case. `undefined`: no profile has that name. */
  byUsername(name: string, accountId: number): Promise<Identity | undefined> {
    const key = `@${name.toLowerCase()}`
    return this.#recall(key, accountId, () => this.#findUsername(name, accountId))
  }

  /** The public profile of an address. `undefined`: it has none. Asked for at each call. */
  readProfile(address: string, accountId: number): Promise<GammaProfile | undefined> {
    const { gamma } = this.#deps
    return askOrFail('gamma', PROFILES_LOST, (signal) => gamma.getProfile(address, { signal, accountId }))
  }

  async #recall(key: string, accountId: number, load: () => Promise<Found>): Promise<Identity | undefined> {
    const { value } = await this.#cache.get(key, { freshMs: freshMsOf, accountId, load })
    return value.identity
  }

  async #findUsername(name: string, accountId: number): Promise<Found> {
    const { gamma } = this.#deps
    const profile = await askOrFail('gamma', SEARCH_LOST, (signal) =>
      gamma.findProfileByName(name, { signal, accountId }),
    )
    const address = parseAddress(profile?.proxyWallet?.toLowerCase() ?? '')
    if (usernameOf(profile) === undefined || address === undefined)
      return { identity: undefined, isWhole: true }
    return this.#findAddress(address, accountId, profile)
  }

  /** `known`: the profile that led to the address. */
  async #findAddress(address: string, accountId: number, known?: GammaProfile): Promise<Found> {
    const { owner, wallets, isKnown } = await askOrFail('polygon', NODE_LOST, (signal) =>
      readChainWallets(this.#deps, address, { signal, accountId }),
    )
    const chosen = chooseWallet(wallets, address)
    const { profile, isSure } =
      known === undefined
        ? await this.#readProfile(chosen?.address ?? address, accountId)
        : { profile: known, isSure: true }
    if (!isKnown && profile === undefined) {
      if (!isSure) throw unavailable(PROFILE_LOST)
      return { identity: undefined, isWhole: true }
    }
    // The platform knows which wallet a key will have before it is deployed.
    const promised = profile?.proxyWallet?.toLowerCase()
    const current =
      chosen ??
      wallets.find((wallet) => wallet.address === promised) ??
      ({ address, type: null, isDeployed: false } as const)
    const others = wallets.filter((wallet) => wallet.isDeployed && wallet !== current)
    const username = usernameOf(profile)
    if (isSure) await this.#keepName(current.address, username)
    return { identity: { owner, current, others, username }, isWhole: isSure }
  }

  /** For the search, which asks no upstream. Each name is written once in an hour: answers are kept for as long. */
  async #keepName(wallet: string, name: string | undefined): Promise<void> {
    const { store, clock, log } = this.#deps
    const written =
      name === undefined
        ? deleteUsername(store.sql, wallet)
        : upsertUsername(store.sql, { wallet, name, nowMs: clock.now() })
    await written.catch((error) => log.debug({ reason: messageOf(error) }, 'username not stored'))
  }

  async #readProfile(address: string, accountId: number): Promise<FoundProfile> {
    const { gamma } = this.#deps
    try {
      const ask = (signal: AbortSignal) => gamma.getProfile(address, { signal, accountId })
      return { profile: await withUpstreamTimeout('gamma', ask), isSure: true }
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      return { profile: undefined, isSure: false }
    }
  }
}

const freshMsOf = ({ identity, isWhole }: Found): number =>
  identity !== undefined && isWhole ? FOUND_MS : MISSING_MS

/** Nothing certain can be said without this upstream: its faults are a 503. */
async function askOrFail<T>(
  upstream: string,
  message: string,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await withUpstreamTimeout(upstream, ask)
  } catch (error) {
    throw error instanceof UpstreamError ? unavailable(message, error) : error
  }
}
