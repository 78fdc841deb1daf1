import { finished, Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type TObject, Type } from 'typebox'
import { BULK, type KeyedAccess, V3_BULK } from '../../accounts/access.js'
import { badRequest } from '../../core/errors.js'
import { awaitLargeAnswerSlot } from '../../http/await-large-answer-slot.js'
import type { LargeAnswers } from '../../http/large-answers.js'
import { Address, ConditionId, Slug, TokenId } from '../../http/parameters.js'
import { setHeaders } from '../../http/request-headers.js'
import { chooseRowFormat, describeRows, ROW_FORMATS, type RowFormatName } from '../../http/row-format.js'
import { selectLastReorg } from '../../lookups/snapshot.js'
import type { Platform } from '../../platform.js'
import type { FillKind } from './queries.js'
import {
  DayExportQuery,
  MarketExportQuery,
  marketExportReply,
  WalletExportQuery,
  WalletExportReply,
} from './schemas.js'
import type { ExportLimits, ExportOf, ExportWanted, FoundTrades } from './stream-export.js'
import { type TradeExport, TradeExports } from './trade-exports.js'

const LIMITS: ExportLimits = { tradesMax: 250_000, budgetMs: 180_000, keptMax: 200 }

/**
 * The answer begins after this time even when the trades are not counted yet, so that clients and
 * proxies see that it comes. A failure before is answered as one; later it cuts the answer short.
 */
const SILENT_MS_MAX = 50

const DAY_SEC = 86_400

const RULES = `Of more trades the newest 250,000 come, and when finding them takes more than 180 seconds, those that
were found: \`partial\` is true then, and \`partial_reason\` says which. Answers that are whole are kept for
five minutes by what was asked for, and callers who ask for the same at once share one
walk; a reorganisation of the chain ends them. CSV, NDJSON and Parquet have the fields beside the trades as headers: \`x-rows-returned\`,
\`x-partial\`, \`x-partial-reason\`, \`x-fetched-in-ms\` and \`x-cache\`.`

const OF_WALLET = `Up to 250,000 fills of a wallet, newest first: those that it made and those that it took, each once. The
log of the wallet's own order that took is left out, because the fills that it met are there;
\`view=own\` has the fills of the wallet's own orders instead, that log included. \`direction\` is what
the maker does, also where the wallet is the taker; \`own_token_id\`, \`own_side\` and \`own_size\` are what the
wallet itself does. Trades of combos are in lists of their own.

${RULES}`

const ofMarkets = (
  whose: string,
) => `Up to 250,000 fills ${whose}, newest first. \`fills=maker\`, the default, has each match once, from the side
of the order that was met; \`taker\` has the logs of the orders that took, whose \`usd\` adds up to the volume, and
\`all\` has both. Trades of combos are in lists of their own. Limits, caching and formats are those of
\`/v2/onchain/wallets/{address}/trades/all\`.`

type ExportQuery = {
  from?: number
  to?: number
  view?: 'all' | 'own'
  fills?: FillKind
  date?: string
  format?: RowFormatName
}

/** An export of one kind of subject. `field`: where the answer says what it is of. */
type Definition = {
  path: string
  operationId: string
  summary: string
  description: string
  access: KeyedAccess
  params: TObject
  query: TObject
  reply: TObject
  field: string
  /** What names the subject. */
  subjectOf: (params: Record<string, string>, query: ExportQuery) => string
  of: (subject: string, query: ExportQuery) => ExportOf
}

const ofWallet: Definition = {
  path: '/v2/onchain/wallets/:address/trades/all',
  operationId: 'exportWalletTrades',
  summary: 'All trades of a wallet in one answer',
  description: OF_WALLET,
  access: BULK,
  params: Type.Object({ address: Address }),
  query: WalletExportQuery,
  reply: WalletExportReply,
  field: 'wallet',
  subjectOf: ({ address = '' }) => address,
  of: (address, { view = 'all' }) => ({ address, view }),
}

/** `subjectPath`: of the list; its parameter is the field of the answer. */
const ofMarket = (
  subjectPath: string,
  operationId: string,
  whose: string,
  params: TObject,
  of: (subject: string) => Record<string, string>,
): Definition => {
  const [parameter = ''] = Object.keys(params.properties)
  return {
    path: `/v3/${subjectPath}/trades/all`,
    operationId,
    summary: `All trades ${whose} in one answer`,
    description: ofMarkets(whose),
    access: V3_BULK,
    params,
    query: MarketExportQuery,
    reply: marketExportReply(parameter),
    field: parameter,
    subjectOf: (pathParams) => pathParams[parameter] ?? '',
    of: (subject, { fills = 'maker' }) => ({ fills, ...of(subject) }),
  }
}

const ofDay: Definition = {
  path: '/v3/trades/all',
  operationId: 'exportTradesOfDay',
  summary: 'All trades of a day in one answer',
  description: `${ofMarkets('of all markets on a day of UTC')} \`from\` and \`to\` narrow it within the day.`,
  access: V3_BULK,
  params: Type.Object({}),
  query: DayExportQuery,
  reply: marketExportReply('date'),
  field: 'date',
  subjectOf: (_params, { date = '' }) => date,
  of: (_date, { fills = 'maker' }) => ({ fills }),
}

const BySlug = Type.Object({ slug: Slug })

const EXPORTS: readonly Definition[] = [
  ofWallet,
  ofMarket(
    'markets/:token_id',
    'exportTokenTrades',
    'of an outcome token',
    Type.Object({ token_id: TokenId }),
    (token_id) => ({ token_id }),
  ),
  ofMarket(
    'markets/condition/:condition_id',
    'exportConditionTrades',
    'of a market, by its condition',
    Type.Object({ condition_id: ConditionId }),
    (condition_id) => ({ condition_id }),
  ),
  ofMarket('markets/slug/:slug', 'exportMarketTrades', 'of a market', BySlug, (slug) => ({
    market_slug: slug,
  })),
  ofMarket('events/:slug', 'exportEventTrades', 'of all markets of an event', BySlug, (slug) => ({
    event_slug: slug,
  })),
  ofMarket('tags/:slug', 'exportTagTrades', 'of all markets of a tag', BySlug, (tag) => ({ tag })),
  ofDay,
]

type ExportDeps = {
  largeAnswers: LargeAnswers
  /** Lower ones are for tests. */
  limits?: Partial<ExportLimits> | undefined
}

export const tradeExportRoutes =
  (platform: Platform, { largeAnswers, limits }: ExportDeps): FastifyPluginAsync =>
  async (app) => {
    const exports = new TradeExports(platform, { ...LIMITS, ...limits })
    app.addHook('onClose', async () => exports.close())
    const parts = { platform, largeAnswers, exports }
    for (const definition of EXPORTS) addExport(app, parts, definition)
  }

type ExportParts = { platform: Platform; largeAnswers: LargeAnswers; exports: TradeExports }

function addExport(
  app: FastifyInstance,
  { platform, largeAnswers, exports }: ExportParts,
  { path, access, query: querystring, params, reply: body, ...definition }: Definition,
): void {
  const { operationId, summary, description, field } = definition
  const schema = {
    operationId,
    summary,
    description,
    tags: ['trades'],
    params,
    querystring,
    response: { 200: describeRows(summary, body) },
  }
  app.get(path, { config: { access }, schema }, async (request: FastifyRequest, reply) => {
    const query = request.query as ExportQuery
    const subject = definition.subjectOf(request.params as Record<string, string>, query)
    const wanted = {
      of: definition.of(subject, query),
      ...resolveWindow(query, platform.clock.now()),
    }
    const format = chooseRowFormat(query.format, request.headers.accept)
    setHeaders(reply, ['vary', 'accept'])
    reply.type(ROW_FORMATS[format].contentType)
    // The answer to HEAD has no body, and the framework would read all of it.
    if (request.method === 'HEAD') return reply.send(Readable.from([]))
    await awaitLargeAnswerSlot(largeAnswers, request, reply)
    const reorg = await selectLastReorg(request.readSql())
    const joining = exports.join(wanted, format, reorg)
    return sendExport(reply, { [field]: subject }, wanted, format, joining)
  })
}

async function sendExport(
  reply: FastifyReply,
  head: object,
  wanted: ExportWanted,
  format: RowFormatName,
  { joined, isKept }: ReturnType<TradeExports['join']>,
) {
  finished(reply.raw, () => joined.leave())
  const end = reply.request.stopwatch?.beginQuery(() => 'walkExport')
  joined.found.finally(end).catch(() => undefined)
  const cache = isKept ? 'hit' : 'miss'
  if (format === 'json') {
    await Promise.race([joined.found, setTimeout(SILENT_MS_MAX)])
    const times = { from_ts: wanted.fromSec, to_ts: wanted.toSec }
    const chunks = renderJson({ ...head, ...times }, joined, cache)
    return reply.send(Readable.from(chunks, { objectMode: false }))
  }
  setHeaders(reply, describeFound(await joined.found, cache))
  return reply.send(Readable.from(joined.spool.read(), { objectMode: false }))
}

/** The requested window, cut at now. Throws a 400 when nothing of it is left. */
function resolveWindow({ date, ...bounds }: ExportQuery, nowMs: number) {
  const nowSec = Math.floor(nowMs / 1000)
  const day = date === undefined ? undefined : resolveDay(date)
  const from = bounds.from ?? day?.from ?? 0
  const toSec = bounds.to ?? Math.min(nowSec, day?.to ?? nowSec)
  if (from > nowSec) {
    const name = bounds.from === undefined ? `date\` (${date}` : `from\` (${from}`
    throw badRequest(`Invalid range: \`${name}) is in the future.`)
  }
  if (from > toSec) {
    throw badRequest(`Invalid range: \`from\` (${from}) must not be later than \`to\` (${toSec}).`)
  }
  if (day !== undefined && (from < day.from || toSec > day.to)) {
    throw badRequest(`Invalid range: \`from\` and \`to\` must lie within \`date\` (${date}).`)
  }
  return { fromSec: from, toSec }
}

function resolveDay(date: string): { from: number; to: number } {
  const ms = Date.parse(date)
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== date) {
    throw badRequest(`Invalid range: \`date\` (${date}) is no day of the calendar.`)
  }
  return { from: ms / 1000, to: ms / 1000 + DAY_SEC - 1 }
}

type Cache = 'hit' | 'miss'

async function* renderJson(head: object, joined: TradeExport, cache: Cache): AsyncGenerator<string | Buffer> {
  yield JSON.stringify(head).slice(0, -1)
  const { count, partialReason, fetchedInMs } = await joined.found
  const partial = { partial: partialReason !== null, partial_reason: partialReason }
  const facts = JSON.stringify({ count, ...partial, fetched_in_ms: fetchedInMs, cache })
  yield `,${facts.slice(1, -1)},"trades":[`
  yield* joined.spool.read()
  yield ']}'
}

const describeFound = (found: FoundTrades, cache: Cache): string[] => [
  'x-rows-returned',
  `${found.count}`,
  'x-partial',
  `${found.partialReason !== null}`,
  ...(found.partialReason === null ? [] : ['x-partial-reason', found.partialReason]),
  'x-fetched-in-ms',
  `${found.fetchedInMs}`,
  'x-cache',
  cache,
]
