import type { HostParts, HttpReply, HttpRequest } from '../server/handlers.js'
import { readInt } from '../server/query.js'
import type { Universe } from '../universe/universe.js'
import { Accounts } from './accounts.js'
import type { Post } from './post.js'
import { Posts, RECENT_MS } from './posts.js'
import { presentPosts, presentUser, readWanted } from './present.js'
import {
  forbidden,
  invalidParameter,
  missing,
  notAuthorized,
  Problem,
  plainProblem,
  suspended,
} from './problem.js'
import { parseQuery } from './query-language.js'

const WINDOW_MS = 15 * 60_000
const QUERY_LENGTH_MAX = 512
/** A search ends this long ago, unless it says when. */
const NEWEST_MS = 30_000
/** Hexadecimal. */
const TOKEN = /^[0-9a-f]{1,16}$/

type Route = {
  name: string
  path: RegExp
  /** Of an app, in a quarter of an hour. */
  callsMax: number
  answer: (x: XApi, argument: string, query: URLSearchParams) => object
}

type XApi = { universe: Universe; accounts: Accounts; posts: Posts }

const ROUTES: readonly Route[] = [
  {
    name: 'search',
    path: /^\/2\/tweets\/search\/(recent)$/,
    callsMax: 450,
    answer: (x, _recent, query) => search(x, query),
  },
  {
    name: 'archive',
    path: /^\/2\/tweets\/search\/(all)$/,
    callsMax: 300,
    answer: () => {
      throw forbidden()
    },
  },
  { name: 'lookup', path: /^\/2\/users\/by\/username\/([^/]+)$/, callsMax: 300, answer: findUser },
  { name: 'timeline', path: /^\/2\/users\/([^/]+)\/tweets$/, callsMax: 10_000, answer: listPosts },
]

/** The X API v2, for an app with that bearer token. */
export function createXApiHost(universe: Universe, { bearerToken }: { bearerToken: string }): HostParts {
  const accounts = new Accounts(universe)
  const x: XApi = { universe, accounts, posts: new Posts(universe, accounts) }
  const counts = new Map<string, number>()
  const run = (route: Route, { path, query }: HttpRequest): HttpReply => {
    const window = Math.floor(universe.nowMs / WINDOW_MS)
    const key = `${route.name} ${window}`
    const used = (counts.get(key) ?? 0) + 1
    if (used === 1 && counts.size > ROUTES.length) counts.clear()
    counts.set(key, used)
    const headers = {
      'x-rate-limit-limit': `${route.callsMax}`,
      'x-rate-limit-remaining': `${Math.max(0, route.callsMax - used)}`,
      'x-rate-limit-reset': `${((window + 1) * WINDOW_MS) / 1000}`,
    }
    const answer = (): HttpReply => {
      if (used > route.callsMax) throw plainProblem(429, 'Too Many Requests')
      return { status: 200, body: route.answer(x, route.path.exec(path)?.[1] ?? '', query) }
    }
    return { ...settle(answer), headers }
  }
  return {
    http(request) {
      return settle(() => {
        if (request.headers.authorization !== `Bearer ${bearerToken}`) {
          throw plainProblem(401, 'Unauthorized')
        }
        const route = ROUTES.find(({ path }) => path.test(request.path))
        if (route === undefined || request.method !== 'GET') throw plainProblem(404, 'Not Found')
        return run(route, request)
      })
    },
  }
}

function settle(answer: () => HttpReply): HttpReply {
  try {
    return answer()
  } catch (error) {
    if (error instanceof Problem) return error.reply
    throw error
  }
}

function search({ universe, posts }: XApi, query: URLSearchParams): object {
  const text = query.get('query') ?? ''
  if (text === '' || [...text].length > QUERY_LENGTH_MAX) {
    const message = `The \`query\` query parameter must have 1 to ${QUERY_LENGTH_MAX} characters`
    throw invalidParameter('query', text.slice(0, 100), message)
  }
  const { nowMs } = universe
  const oldestMs = nowMs - RECENT_MS
  const startMs = readTimeMs(query, 'start_time') ?? oldestMs
  const endMs = readTimeMs(query, 'end_time') ?? nowMs - NEWEST_MS
  if (startMs < oldestMs || startMs >= endMs || endMs > nowMs - 10_000) {
    const name = startMs < oldestMs || startMs >= endMs ? 'start_time' : 'end_time'
    const message = `Invalid '${name}':'${query.get(name)}'. '${name}' must be within the last 7 days and before now.`
    throw invalidParameter(name, query.get(name) ?? '', message)
  }
  const matches = parseQuery(text)
  // Keyword search no longer returns reposts.
  const found = posts
    .recent()
    .filter((post) => post.createdMs >= startMs && post.createdMs < endMs)
    .filter((post) => post.repostOf === undefined && matches(post))
  return showPage(found, query, 10)
}

function findUser({ accounts }: XApi, username: string, query: URLSearchParams): object {
  if (!/^[A-Za-z0-9_]{1,15}$/.test(username)) {
    const message = `The \`username\` query parameter value [${username}] does not match ^[A-Za-z0-9_]{1,15}$`
    throw invalidParameter('username', username, message)
  }
  const account = accounts.byName(username)
  if (account === undefined) return { errors: [missing('user', 'username', username)] }
  if (account.state === 'suspended') return { errors: [suspended(username)] }
  return { data: presentUser(account, readWanted(query)) }
}

function listPosts({ accounts, posts }: XApi, id: string, query: URLSearchParams): object {
  if (!/^\d{1,19}$/.test(id)) {
    throw invalidParameter('id', id, `The \`id\` query parameter value [${id}] is not valid`)
  }
  const account = accounts.byId(id)
  if (account === undefined) return { errors: [missing('user', 'id', id)] }
  if (account.state !== 'public') return { errors: [notAuthorized(id)] }
  return showPage(
    posts.recent().filter(({ author }) => author === account),
    query,
    5,
  )
}

function showPage(found: readonly Post[], query: URLSearchParams, countMin: number): object {
  const count = readInt(query, 'max_results') ?? 10
  if (!(count >= countMin && count <= 100)) {
    const message = `The \`max_results\` query parameter value [${query.get('max_results')}] is not between ${countMin} and 100`
    throw invalidParameter('max_results', query.get('max_results') ?? '', message)
  }
  const token = query.get('next_token') ?? query.get('pagination_token')
  if (token !== null && !TOKEN.test(token)) {
    throw invalidParameter('next_token', token, 'The `next_token` query parameter is not valid')
  }
  // A token is the id of the last post that was shown.
  const rest = token === null ? found : found.filter(({ id }) => BigInt(id) < BigInt(`0x${token}`))
  const page = rest.slice(0, count)
  const last = rest.length > count ? page.at(-1) : undefined
  return presentPosts(page, readWanted(query), last && BigInt(last.id).toString(16))
}

function readTimeMs(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) {
    throw invalidParameter(name, text, `The \`${name}\` query parameter value [${text}] is not a date-time`)
  }
  return ms
}
