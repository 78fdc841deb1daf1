import { finished, Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { BULK } from '../../accounts/access.js'
import type { Context } from '../../context.js'
import { badRequest } from '../../core/errors.js'
import { awaitTurn } from '../../http/large-answer.js'
import { setHeaders } from '../../http/request-headers.js'
import { chooseRowFormat, describeRows, ROW_FORMATS } from '../../http/row-format.js'
import { ExportParams, ExportQuery, ExportReply } from './schemas.js'
import type { TradeExport } from './trade-export.js'
import { TradeExports } from './trade-exports.js'
import type { ExportLimits, ExportWanted, FoundTrades } from './walk.js'

const LIMITS: ExportLimits = { tradesMax: 250_000, budgetMs: 180_000, keptMax: 200 }

/**
 * The answer begins after this time even when the trades are not counted yet, so that clients and
 * proxies see that it comes. A failure before is answered as one; later it cuts the answer short.
 */
const SILENT_MS_MAX = 50

const MINUTE_SEC = 60

const SUMMARY = 'All trades of a wallet in one answer'

const DESCRIPTION = `Up to 250,000 fills of a wallet, newest first: those that it made and those that it took, each once. The
log of the wallet's own order that took is left out, because the fills that it met are there;
\`view=own\` has the fills of the wallet's own orders instead, that log included. \`direction\` is what
the maker does, also where the wallet is the taker. Trades of combos are in lists of their own.

Of more trades the newest 250,000 come, and when finding them takes more than 180 seconds, those that
were found: \`partial\` is true then, and \`partial_reason\` says which. Answers that are whole are kept for
five minutes by wallet, window, view and format, and callers who ask for the same at once share one
walk. CSV, NDJSON and Parquet have the fields beside the trades as headers: \`x-rows-returned\`,
\`x-partial\`, \`x-partial-reason\`, \`x-fetched-in-ms\` and \`x-cache\`.`

/** `limits`: lower ones for tests. */
export const tradeExportRoutes =
  (limits: Partial<ExportLimits> = {}): FastifyPluginAsyncTypebox<{ ctx: Context }> =>
  async (app, { ctx }) => {
    const exports = new TradeExports(ctx, { ...LIMITS, ...limits })
    app.addHook('onClose', async () => exports.close())
    app.get(
      '/v2/onchain/wallets/:address/trades/all',
      {
        config: { access: BULK },
        schema: {
          operationId: 'exportWalletTrades',
          summary: SUMMARY,
          description: DESCRIPTION,
          tags: ['trades'],
          params: ExportParams,
          querystring: ExportQuery,
          response: { 200: describeRows(SUMMARY, ExportReply) },
        },
      },
      async (request, sent) => {
        const { method, params, query, headers } = request
        const wanted = resolveWindow(params.address, query, ctx.clock.now())
        const format = chooseRowFormat(query.format, headers.accept)
        // It is the answer of the schema, and goes out as it is.
        const reply = sent as FastifyReply
        setHeaders(reply, ['vary', 'accept'])
        reply.type(ROW_FORMATS[format].contentType)
        // The answer to HEAD has no body, and the framework would read all of it.
        if (method === 'HEAD') return reply.send(Readable.from([]))
        await awaitTurn(ctx.largeAnswers, request, reply)
        const { joined, isKept } = exports.join(wanted, format)
        finished(reply.raw, () => joined.leave())
        const cache = isKept ? 'hit' : 'miss'
        if (format === 'json') {
          await Promise.race([joined.found, setTimeout(SILENT_MS_MAX)])
          return reply.send(Readable.from(renderJson(wanted, joined, cache), { objectMode: false }))
        }
        setHeaders(reply, describeFound(await joined.found, cache))
        return reply.send(Readable.from(joined.spool.read(), { objectMode: false }))
      },
    )
  }

function resolveWindow(
  address: string,
  { from, to, view }: { from: number; to?: number; view: ExportWanted['view'] },
  nowMs: number,
): ExportWanted {
  const nowSec = Math.floor(nowMs / 1000)
  const toSec = to ?? nowSec - (nowSec % MINUTE_SEC)
  if (from > toSec) {
    throw badRequest(`Invalid range: \`from\` (${from}) must not be later than \`to\` (${toSec}).`)
  }
  if (from > nowSec) throw badRequest(`Invalid range: \`from\` (${from}) is in the future.`)
  return { address, fromSec: from, toSec, view }
}

type Cache = 'hit' | 'miss'

async function* renderJson(
  { address, fromSec, toSec }: ExportWanted,
  joined: TradeExport,
  cache: Cache,
): AsyncGenerator<string | Buffer> {
  yield JSON.stringify({ wallet: address, from_ts: fromSec, to_ts: toSec }).slice(0, -1)
  const { count, partialReason, fetchedInMs } = await joined.found
  const partial = { partial: partialReason !== null, partial_reason: partialReason }
  const facts = JSON.stringify({ count, ...partial, fetched_in_ms: fetchedInMs, cache })
  yield `,${facts.slice(1, -1)},"trades":[`
  yield* joined.spool.read()
  yield ']}'
}

const describeFound = (found: FoundTrades, cache: Cache): string[] => [
  ...['x-rows-returned', `${found.count}`, 'x-partial', `${found.partialReason !== null}`],
  ...(found.partialReason === null ? [] : ['x-partial-reason', found.partialReason]),
  ...['x-fetched-in-ms', `${found.fetchedInMs}`, 'x-cache', cache],
]
