import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import { SUPERUSER } from './embedded/server.js'

/** What queries take: a pool and an open transaction both fit. `int8` arrives as `bigint`. */
export type Sql = postgres.ISql<{ bigint: bigint }>
/** A part of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>
export type Pool = postgres.Sql<{ bigint: bigint }>

/** How to reach a database: by URL, or by the folder of the embedded server's socket. */
export type Target = { url: string } | { socketDir: string; database: string }

/** `queryMsMax`: a query that takes longer is cancelled by the database. */
type PoolOptions = { onClose?: () => void; queryMsMax?: number; isSerial?: boolean }

/** Options of the pools that answers to callers are read through. */
export const ANSWER_POOL = { queryMsMax: 5_000, isSerial: true } satisfies PoolOptions

/**
 * Many queries run side by side: workers of one would take the processors of others, and starting
 * them takes longer than most answers.
 */
const SERIAL = { max_parallel_workers_per_gather: '0' } // text, because the driver leaves out a 0

/** What the driver has read from a URL. `path`: of a Unix socket. */
type Address = { host: readonly string[]; port: readonly number[]; path: string | false }

/**
 * Over TCP the driver lets the system hold small packets back until the server has acknowledged those before, which
 * takes tens of milliseconds at the end of each COPY. It also takes a socket of ours, which may still be connecting.
 */
function connectPromptly({ host, port, path }: Address): Socket {
  if (path) return connect(path)
  const address = { host: host[0] ?? 'localhost', port: port[0] ?? 5432 }
  return Object.assign(connect({ ...address, noDelay: true }), address)
}

/** Parts of a statement with the separator between them: `and`, `union all`. Throws without parts. */
export const joinFragments = (sql: Sql, parts: readonly Fragment[], separator: Fragment) =>
  parts.reduce((all, part) => sql`${all} ${separator} ${part}`)

/**
 * Has a statement planned each time for its values. A statement that is prepared may get one plan for all
 * values, which is wrong for conditions that hold for nearly every row or for nearly none.
 */
export function withoutPreparedPlan<Query extends object>(query: Query): Query {
  const { options } = query as unknown as { options: { prepare?: boolean } }
  options.prepare = false
  return query
}

/**
 * Opens nothing yet: connections are made when the first query asks for one. With `onClose` they are
 * not replaced when they get old, and it is called when one has ended.
 */
export function createPool(
  target: Target,
  connectionsMax: number,
  { onClose, queryMsMax = 30_000, isSerial = false }: PoolOptions = {},
): Pool {
  const options = {
    max: connectionsMax,
    connect_timeout: 5, // seconds
    // The store has a backoff of its own; a query that cannot be sent fails at once.
    backoff: false,
    transform: postgres.camel,
    fetch_types: false,
    types: { ...ARRAY_TYPES, bigint: postgres.BigInt },
    onnotice: () => undefined,
    ...(onClose !== undefined && { max_lifetime: null }),
    onclose: () => {
      if (onClose !== undefined || connectionsMax === 1) markLost(pool)
      onClose?.()
    },
    connection: {
      application_name: 'auspex',
      statement_timeout: queryMsMax,
      ...(isSerial && SERIAL),
    },
  }
  const sockets = new PoolSockets()
  const pool = open()
  sockets.endWith(pool)
  // Sets which type an array has whose items the driver sends with a type.
  const { shared } = pool.options as unknown as { shared: { typeArrayMap: object } }
  Object.assign(shared.typeArrayMap, ARRAY_OF)
  return pool

  function open() {
    // The types of the driver do not know `socket`.
    const own = { ...options, socket: (address: Address) => sockets.open(address) }
    if ('url' in target) {
      const { url, host } = takeSocketDir(target.url)
      return postgres(url, host === null ? own : { ...own, host })
    }
    const { socketDir, database } = target
    return postgres({ ...own, host: socketDir, port: 5432, user: SUPERUSER, database })
  }
}

/**
 * The sockets of a pool. When the pool ends, the driver forgets one that still connects, and in a busy process it asks
 * for another one after that, for a query that it has refused: each would keep the process alive.
 */
class PoolSockets {
  readonly #sockets = new Set<Socket>()
  #isEnded = false

  open(address: Address): Socket {
    if (this.#isEnded)
      throw Object.assign(new Error('the connections were ended'), { code: 'CONNECTION_ENDED' })
    const socket = connectPromptly(address)
    this.#sockets.add(socket)
    return socket.once('close', () => this.#sockets.delete(socket))
  }

  endWith(pool: Pool): void {
    const end = pool.end.bind(pool)
    pool.end = async (options) => {
      await end(options)
      this.#isEnded = true
      for (const socket of this.#sockets) socket.connecting ? socket.destroy() : socket.destroySoon()
    }
  }
}

type Losses = { losses?: number }

function markLost(pool: Pool): void {
  const options = pool.options as Losses
  options.losses = countLosses(pool) + 1
}

/**
 * How often a connection of the pool has ended, counted where that ends every transaction of the pool: where its owner
 * gives the pool up then, and where it has one connection.
 */
export const countLosses = (pool: Pool): number => (pool.options as Losses).losses ?? 0

/** `?host=/folder/of/the/socket`, which every other PostgreSQL client understands. */
function takeSocketDir(text: string): { url: string; host: string | null } {
  const url = new URL(text)
  const host = url.searchParams.get('host')
  url.searchParams.delete('host')
  return { url: url.href, host }
}

/**
 * The array types that our queries use, so that the driver need not ask each new connection for all
 * that there are: when a connection is lost while it asks, the error is not caught.
 */
const ARRAY_TYPES: Record<string, postgres.PostgresType> = {
  booleans: arrayType(1000, (text) => text === 't'),
  byteas: arrayType(1001, (text) => Buffer.from(text.slice(2), 'hex')),
  smallints: arrayType(1005, Number),
  integers: arrayType(1007, Number),
  texts: arrayType(1009, (text) => text),
  bigints: arrayType(1016, BigInt),
  floats: arrayType(1022, Number),
  dates: arrayType(1182, (text) => text),
  times: arrayType(1185, (text) => new Date(text)),
  numerics: arrayType(1231, (text) => text),
  uuids: arrayType(2951, (text) => text),
}

/** By the type of the items. Numbers are sent as text, which the query casts. */
const ARRAY_OF = { 16: 1000, 17: 1001, 20: 1016, 25: 1009 }

function arrayType(oid: number, parseItem: (text: string) => unknown): postgres.PostgresType {
  return {
    to: oid,
    from: [oid],
    // A string is an array in the text format of PostgreSQL already.
    serialize: (items: readonly unknown[] | string) =>
      typeof items === 'string' ? items : `{${items.map(serializeItem).join(',')}}`,
    parse: (text: string) => splitItems(text).map((item) => (item === null ? null : parseItem(item))),
  }
}

function serializeItem(item: unknown): string {
  if (item === null || item === undefined) return 'NULL'
  if (typeof item === 'number' || typeof item === 'bigint' || typeof item === 'boolean') {
    return String(item)
  }
  const text = Buffer.isBuffer(item) ? `\\x${item.toString('hex')}` : String(item)
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

const QUOTED_OR_PLAIN = /"((?:[^"\\]|\\.)*)"|([^,{}"]+)/gs

/** The items of a one-dimensional array as PostgreSQL writes it: `{1,NULL,"a \"b\""}`. */
function splitItems(text: string): (string | null)[] {
  return [...text.matchAll(QUOTED_OR_PLAIN)].map(([, quoted, plain]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, '$1')
    return plain === 'NULL' ? null : (plain ?? '')
  })
}
