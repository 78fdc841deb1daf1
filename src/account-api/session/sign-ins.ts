import { AddressThrottle } from '../../accounts/address-throttle.js'
import { type Caller, type KeyRing, SESSION_ENDED, UNKNOWN_KEY } from '../../accounts/key-ring.js'
import { digestSecret, digestSession } from '../../accounts/secret.js'
import { redeemCode } from '../../accounts/sign-in-codes.js'
import { endSessions, type NewSession, openSession } from '../../accounts/web-sessions.js'
import { ApiError, badRequest, tooManyRequests } from '../../core/errors.js'
import { toNetwork } from '../../lib/ip-address.js'
import type { Platform } from '../../platform.js'

/** Wrong keys and codes of an address (IPv6: of a /64 network) in a minute, in this process. */
const GUESSES_PER_MINUTE_MAX = 20

const WHERE_KEYS_ARE =
  'Sign in with a key of `auspex keys create`, or with the link that `auspex dashboard` prints.'

/** What a person signs in with: one of the first two. `accountName`: for a code that makes an account. */
type Proof = { secret?: string | undefined; code?: string | undefined; accountName?: string | undefined }

/** `secret`: of a key that was made on the way, this once. */
type SignedIn = { caller: Caller; session: NewSession; secret?: string }

type SignInDeps = { platform: Pick<Platform, 'sql' | 'clock'>; keyRing: KeyRing }

/** Begins sessions for those who have a key or a code, and limits how often an address may guess. */
export class SignIns {
  readonly #deps: SignInDeps
  readonly #guesses: AddressThrottle

  constructor(deps: SignInDeps) {
    this.#deps = deps
    this.#guesses = new AddressThrottle(deps.platform.clock, GUESSES_PER_MINUTE_MAX)
  }

  /** Throws a 401 that says what to do when key or code do not work, and a 429 after too many of them. */
  async begin(proof: Proof, ip: string): Promise<SignedIn> {
    const network = toNetwork(ip)
    const waitMs = this.#guesses.waitMs(network)
    if (waitMs > 0) {
      throw tooManyRequests(
        `Too many wrong keys and codes. Retry in ${Math.ceil(waitMs / 1000)} seconds.`,
        waitMs,
      )
    }
    // Before the attempt, so that many at once are counted too.
    this.#guesses.add(network)
    try {
      const signedIn = await this.#signIn(proof)
      this.#guesses.removeLast(network)
      return signedIn
    } catch (error) {
      const isWrong = error instanceof ApiError && error.status === 401
      if (!isWrong) this.#guesses.removeLast(network)
      throw error
    }
  }

  async #signIn({ secret, code, accountName }: Proof): Promise<SignedIn> {
    if ((secret === undefined) === (code === undefined)) throw badRequest("Give one of 'api_key' and 'code'.")
    const { platform } = this.#deps
    const nowMs = platform.clock.now()
    const { session, secret: made } =
      code === undefined
        ? {
            session: await openSession(platform.sql, await this.#findKey(secret ?? ''), nowMs),
            secret: undefined,
          }
        : await redeemCode(platform.sql, {
            code: code.trim(),
            accountName: accountName?.trim() || undefined,
            nowMs,
          })
    const caller = await this.#findCaller(session)
    return { caller, session, ...(made !== undefined && { secret: made }) }
  }

  async #findKey(text: string): Promise<number> {
    const { keyRing } = this.#deps
    const digest = digestSecret(text.trim())
    const caller = digest === undefined ? undefined : (keyRing.recall(digest) ?? (await keyRing.find(digest)))
    if (caller !== undefined) return caller.keyId
    const refusal = digest === undefined ? 'This is no API key.' : keyRing.recallRefusal(digest)
    throw new ApiError(401, `${refusal ?? UNKNOWN_KEY} ${WHERE_KEYS_ARE}`)
  }

  /** A code may be of a key that has expired, or of an account that was suspended: such a session does not begin. */
  async #findCaller({ token }: NewSession): Promise<Caller> {
    const { platform, keyRing } = this.#deps
    const digest = digestSession(token) ?? ''
    const caller = await keyRing.find(digest)
    if (caller !== undefined) return caller
    await endSessions(platform.sql, [token])
    throw new ApiError(401, keyRing.recallRefusal(digest) ?? SESSION_ENDED)
  }
}
