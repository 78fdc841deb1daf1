import swagger from '@fastify/swagger'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { Type } from 'typebox'
import { type Access, PUBLIC } from '../accounts/access.js'
import { OPERATION_COSTS } from '../accounts/costs.js'
import { errorReply } from '../lib/error-reply.js'
import { VERSION } from '../lib/version.js'
import { HeadBlockHeader } from './chain-head.js'
import { type Compressor, createCompressionHook } from './compression.js'
import type { Samples } from './examples.js'
import { completeDocument } from './openapi-document.js'
import { showReference } from './reference.js'
import { ServedDocument } from './served-document.js'

const DESCRIPTION = `Prediction-market data from your own machine: trades by wallet and by outcome token, prices of
coins for every second, and the crypto markets that settle on them.

Send your key in the \`x-api-key\` header, as \`?key=\`, or as \`Authorization: Bearer\`. Every error
is a JSON object with an \`error\` text; some carry further fields. Every answer has an
\`x-request-id\`: name it when you ask for help. With a key it also has \`x-ratelimit-remaining\`, the requests
that the strictest limit leaves you, and those that a 429 lists.

Live events, prices and order books come over WebSocket: see [the streams](/docs/websocket). Events can also
be sent to an address of yours: see \`POST /v3/webhooks\`. Programs read [the OpenAPI document](/openapi.json), and
[the quick start](/docs/guides/quick-start) begins at nothing.`

const SAME_KEY = 'The same key in another place. Leave it empty when you have filled in `x-api-key`.'

const TAGS = Object.entries({
  account: 'Keys, plans and what an account has used.',
  admin: "For those who run this server, with an operator's key: accounts, their keys, plans and usage.",
  crypto: 'Prices of coins, up-or-down windows and other markets about coins.',
  wallets: 'What a wallet holds, did and earned; who is behind it.',
  positions: 'Holdings with their cost and profit, by wallet, by market and over all.',
  trades: 'Fills of orders, by wallet, by market and over all.',
  markets: 'Markets, events and tags: search, prices, candles, volumes, results.',
  leaderboards: 'Wallets by profit, over all markets, by category, tag, market or event.',
  builders: 'Programs that route orders, and the wallets that trade through them.',
  combos: 'Tokens whose payout depends on several markets.',
  'copy-pnl': 'What it would have earned to copy wallets, for a pool of yours or for any.',
  rewards: 'What the platform pays for resting orders.',
  sports: 'Leagues, teams and games, their markets, prices and scores.',
  social: 'Posts of the social network.',
  search: 'The web, searched through the SearXNG of this server.',
  webhooks: 'Signed notifications of events, sent to an address of yours.',
  service: 'Whether the service is alive, ready and up to date.',
}).map(([name, description]) => ({ name, description }))

type ApiParts = {
  compressor: Compressor
  /** The requests that the service itself makes, as the document has them. */
  webhooks: Record<string, object>
  /** What the examples ask about; it does not throw. */
  readSamples: () => Promise<Samples>
}

/** Describes every route registered after this call, from the schemas that validate it. */
export async function describeApi(
  app: FastifyInstance,
  { compressor, webhooks, readSamples }: ApiParts,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Auspex',
        version: VERSION,
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This service' }],
      tags: TAGS,
      // Of all operations that do not say otherwise.
      security: WITH_KEY,
      webhooks,
      components: {
        securitySchemes: {
          header: {
            type: 'apiKey',
            in: 'header',
            name: 'x-api-key',
            description:
              'Your key. This one field is enough: the other two are other ways to send the same key.',
          },
          query: { type: 'apiKey', in: 'query', name: 'key', description: SAME_KEY },
          bearer: { type: 'http', scheme: 'bearer', description: SAME_KEY },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'auspex_session',
            description: 'The cookie of `POST /v1/session`, on pages of this service alone.',
          },
          operator: {
            type: 'apiKey',
            in: 'header',
            name: 'x-api-key',
            description: "An operator's key, of `auspex operator-keys create`",
          },
        },
      },
    },
    // For the document alone: the hook that reads the header checks it.
    transform: ({ schema, url, route }) => ({
      url,
      schema: route.config?.dependsOnChain === true ? { ...schema, headers: HeadBlockHeader } : schema,
    }),
    transformObject: (generated) =>
      'openapiObject' in generated ? completeDocument(generated.openapiObject) : generated.swaggerObject,
  })
  const document = new ServedDocument(() => JSON.stringify(app.swagger()), readSamples)
  const options = { schema: { hide: true }, onSend: createCompressionHook(compressor) }
  app.get('/openapi.json', options, (request, reply) => document.send(request, reply))
  await showReference(app, { compressor, readSamples })
}

/** Adds to each API route what follows from its access: security, the units of work that it costs and its errors. */
export function describeErrors(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const access = route.config?.access ?? PUBLIC
    route.schema = {
      ...route.schema,
      security: securityOf(access),
      ...(access !== 'operator' && { 'x-cost': OPERATION_COSTS[access.cost] }),
      response: { ...errorsOf(route, access), ...(route.schema?.response as object) },
    }
  })
}

const WITH_KEY: Record<string, string[]>[] = [{ header: [] }, { query: [] }, { bearer: [] }, { session: [] }]

function securityOf(access: Access): Record<string, string[]>[] {
  if (access === 'operator') return [{ operator: [] }, { bearer: [] }]
  if ('public' in access) return []
  return WITH_KEY
}

const upstream = {
  upstream: Type.Optional(Type.String({ description: 'whose requests are used up' })),
}

const ERRORS = {
  304: Type.Null({ description: 'The answer is the one whose `etag` was sent in `if-none-match`' }),
  400: errorReply(
    'A parameter or the body is not valid; the text names it and what is allowed',
    {
      message: Type.Optional(
        Type.String({ description: 'what is wrong, where `error` is a code for programs' }),
      ),
      hint: Type.Optional(Type.String()),
      allowed: Type.Optional(Type.Array(Type.String())),
    },
    'BadRequestError',
  ),
  401: errorReply('The key is missing or malformed'),
  402: errorReply(
    'The endpoint needs a paid plan',
    {
      tier: Type.String(),
      upgrade_url: Type.String(),
    },
    'PaymentRequiredError',
  ),
  403: errorReply('The key is unknown or inactive, or its plan is too low'),
  413: errorReply('The body is too large'),
  415: errorReply('The body is not sent as JSON'),
  429: errorReply(
    'A limit of the account is used up; `retry-after` says for how many seconds',
    {
      scope: Type.Optional(Type.String()),
      reset_at: Type.Optional(Type.Integer({ description: 'Unix seconds' })),
      retryAfterMs: Type.Optional(Type.Integer()),
      ...upstream,
    },
    'RateLimitError',
  ),
  500: errorReply('A fault of the service, logged under the `x-request-id` of the answer'),
  503: errorReply(
    'The service is starting, overloaded or has lost its database or an upstream',
    {
      scope: Type.Optional(Type.String()),
      hint: Type.Optional(Type.String({ description: 'why there is no chain data, and what to set' })),
      ...upstream,
    },
    'UnavailableError',
  ),
  508: errorReply(
    'The request carries `x-webhook-hop`: it is a delivery of a webhook that points at this service',
  ),
}

function errorsOf({ schema, method, config }: RouteOptions, access: Access): object {
  // Any query string can be malformed, so even a route without parameters can answer 400.
  const statuses: (keyof typeof ERRORS)[] = [500, 503, 400]
  if (schema?.body !== undefined && method !== 'GET') statuses.push(413, 415)
  // What deliveries of webhooks could reach: they are all posted.
  if (method === 'POST') statuses.push(508)
  const isPublic = access !== 'operator' && 'public' in access
  if (!isPublic) statuses.push(401, 403)
  if (!isPublic || access.cost !== 'none') statuses.push(429)
  if (typeof access === 'object' && 'plan' in access && access.plan?.refusal === 402) statuses.push(402)
  if (config?.cacheMs !== undefined) statuses.push(304)
  return Object.fromEntries(statuses.map((status) => [status, ERRORS[status]]))
}
