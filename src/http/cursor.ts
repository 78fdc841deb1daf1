import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../core/clock.js'
import { badRequest } from '../core/errors.js'
import type { OrderKey } from '../core/page.js'
import type { Sql } from '../store/connection.js'
import type { StatePoint } from '../store/replicas/database-state.js'

/** Where the next page of a list begins. */
export type Cursor = {
  /** The order key of the last row that was shown. */
  after: OrderKey
  /** The newest `seq` that the first page could see: later pages of this cursor see no newer rows. */
  until: number | undefined
  /** What the page was read from, or more, where replicas are read; the next page is not read from less. */
  seen: StatePoint | undefined
}

const LIFETIME_MS = 24 * 60 * 60 * 1000
const SIGNATURE_BYTES = 16

type Payload = [after: OrderKey, until: number | null, issuedMs: number, ...seen: SeenPayload | []]
/** Position, block and reorganisation. */
type SeenPayload = [string, number, string]

/**
 * Writes and reads the `cursor` parameter: the payload as JSON after a signature over the payload
 * and over what the cursor was issued for. The key is in the database, so that every process reads
 * the cursors of the others.
 */
export class Cursors {
  readonly #store: { readonly sql: Sql }
  readonly #clock: Clock
  #key: Buffer | undefined

  constructor(store: { readonly sql: Sql }, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** `issuedFor`: the account, the list and its filters. */
  async write({ after, until, seen }: Cursor, issuedFor: string): Promise<string> {
    const point: SeenPayload | [] = seen ? [`${seen.position}`, seen.block, `${seen.reorg}`] : []
    const payload: Payload = [after, until ?? null, this.#clock.now(), ...point]
    const text = JSON.stringify(payload)
    const signature = await this.#sign(text, issuedFor)
    return Buffer.concat([signature, Buffer.from(text)]).toString('base64url')
  }

  /** Throws a 400 for a text that is no cursor, that is for another account or list, or that is too old. */
  async read(text: string, issuedFor: string): Promise<Cursor> {
    const bytes = Buffer.from(text, 'base64url')
    const payload = bytes.subarray(SIGNATURE_BYTES).toString()
    const signature = await this.#sign(payload, issuedFor)
    const given = bytes.subarray(0, SIGNATURE_BYTES)
    if (given.length !== SIGNATURE_BYTES || !timingSafeEqual(given, signature)) {
      throw badRequest('Invalid cursor: it is malformed or was issued for other parameters.', {
        hint: 'Send the cursor with the parameters of the request that returned it.',
      })
    }
    const [after, until, issuedMs, ...point] = JSON.parse(payload) as Payload
    if (this.#clock.now() - issuedMs > LIFETIME_MS) {
      throw badRequest('Invalid cursor: it is older than 24 hours.', {
        hint: 'Start again without a cursor.',
      })
    }
    return { after, until: until ?? undefined, seen: readPoint(point) }
  }

  async #sign(payload: string, issuedFor: string): Promise<Buffer> {
    this.#key ??= await selectCursorKey(this.#store.sql)
    const digest = createHash('sha256').update(issuedFor).digest()
    const hmac = createHmac('sha256', this.#key).update(digest).update(payload)
    return hmac.digest().subarray(0, SIGNATURE_BYTES)
  }
}

function readPoint([position, block, reorg]: SeenPayload | []): StatePoint | undefined {
  if (position === undefined || block === undefined || reorg === undefined) return undefined
  return { position: BigInt(position), block, reorg: BigInt(reorg) }
}

async function selectCursorKey(sql: Sql): Promise<Buffer> {
  const [row] = await sql<{ key: Buffer }[]>`select key from signing_keys where use = 'cursors'`
  if (row === undefined) throw new Error('signing_keys has no row for cursors')
  return row.key
}
