import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { Type } from 'typebox'
import type { Access } from '../accounts/access.js'
import { errorReply } from '../lib/error-reply.js'
import { VERSION } from '../lib/version.js'
import { type Compressor, createCompressionHook } from './compression.js'
import { addExample, readExamples } from './examples.js'

const DESCRIPTION = `Prediction-market data from your own machine: trades by wallet and by outcome token, prices of
coins for every second, and the crypto markets that settle on them.

Send your key in the \`x-api-key\` header, as \`?key=\`, or as \`Authorization: Bearer\`. Every error
is a JSON object with an \`error\` text; some carry further fields. Every answer has an
\`x-request-id\`: name it when you ask for help.

Live events, prices and order books come over WebSocket: see [the streams](/docs/websocket). Events can also
be sent to you: see Webhooks at the end of this page.`

const TAGS = Object.entries({
  account: 'Keys, plans and what an account has used.',
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

/**
 * Describes every route registered after this call, from the schemas that validate it. `webhooks` are the
 * requests that the service itself makes, as the document has them.
 */
export async function describeApi(
  app: FastifyInstance,
  compressor: Compressor,
  webhooks: Record<string, object>,
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
      webhooks,
      components: {
        securitySchemes: {
          header: { type: 'apiKey', in: 'header', name: 'x-api-key' },
          query: { type: 'apiKey', in: 'query', name: 'key' },
          bearer: { type: 'http', scheme: 'bearer' },
        },
      },
    },
    transformObject: (generated) =>
      'openapiObject' in generated
        ? completeDocument(generated.openapiObject)
        : generated.swaggerObject,
  })
  let text: string | undefined
  app.get(
    '/openapi.json',
    { schema: { hide: true }, onSend: createCompressionHook(compressor) },
    async (_request, reply) => {
      text ??= JSON.stringify(app.swagger())
      return reply.type('application/json; charset=utf-8').send(text)
    },
  )
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    theme: {
      title: 'Auspex API',
      // The bar at the top advertises the framework and asks for a URL that never changes.
      css: [{ filename: 'auspex.css', content: '.swagger-ui .topbar { display: none }' }],
    },
    uiConfig: { deepLinking: true, displayRequestDuration: true, persistAuthorization: false },
    staticCSP: true,
    // The page is served over plain HTTP too, and loads nothing from other hosts. Its scripts set
    // styles on elements.
    transformStaticCSP: (policy) =>
      policy
        .replace(/upgrade-insecure-requests;?|validator\.swagger\.io|https:/g, '')
        .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'"),
  })
}

type ParameterSchema = { type?: string; default?: unknown; minimum?: number; maximum?: number }
type BodySchema = { anyOf?: { type?: string }[] }
type Operation = {
  operationId?: string
  security?: object[]
  parameters?: { name?: string; required?: boolean; schema?: ParameterSchema }[]
  requestBody?: {
    required?: boolean
    content: Record<string, { schema: BodySchema; example?: unknown }>
  }
  responses: Record<string, { headers?: object; content?: Record<string, object> }>
}
type Described = { paths?: Record<string, Record<string, Operation>> }

/** Adds what the schemas do not say: what may be left out, which integers are read, and the headers of answers. */
function completeDocument<Document extends object>(document: Document): Document {
  const { paths = {} } = document as Described
  const examples = readExamples()
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    const { requestBody, responses, parameters = [], security = [] } = operation
    for (const parameter of parameters) {
      const { schema = {} } = parameter
      if (schema.default !== undefined) parameter.required = false
      if (schema.type === 'integer') {
        schema.minimum ??= Number.MIN_SAFE_INTEGER
        schema.maximum ??= Number.MAX_SAFE_INTEGER
      }
    }
    const choices = requestBody?.content['application/json']?.schema.anyOf ?? []
    // A body that may be null may also be left out.
    if (requestBody !== undefined && choices.some(({ type }) => type === 'null')) {
      requestBody.required = false
    }
    addExample(operation, examples)
    for (const [status, response] of Object.entries(responses)) {
      response.headers = headersOf(status, security.length > 0)
      if (status === '304') delete response.content
    }
  }
  return document
}

const header = (description: string, type = 'integer') => ({ description, schema: { type } })

const LIMIT_HEADERS = {
  'x-ratelimit-limit': header('Requests that the strictest bucket allows'),
  'x-ratelimit-remaining': header('Requests that it has left'),
  'x-ratelimit-reset': header('Unix seconds at which it has more'),
  ratelimit: header('All buckets, as in the IETF draft', 'string'),
  'ratelimit-policy': header('Their limits, as in the IETF draft', 'string'),
}

function headersOf(status: string, isKeyed: boolean): object {
  const isRefusedEarlier = ['401', '402', '403'].includes(status)
  return {
    'x-request-id': header('Names this request in the log', 'string'),
    ...(isKeyed && !isRefusedEarlier ? LIMIT_HEADERS : {}),
    ...(['429', '502', '503'].includes(status) ? { 'retry-after': header('Seconds to wait') } : {}),
    ...(status === '304' ? { etag: header('The tag that the client sent', 'string') } : {}),
  }
}

/** Adds to each API route what follows from its access: security and the errors it can give. */
export function describeErrors(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const access = route.config?.access ?? 'public'
    route.schema = {
      ...route.schema,
      security: access === 'public' ? [] : [{ header: [] }, { query: [] }, { bearer: [] }],
      response: { ...errorsOf(route, access), ...(route.schema?.response as object) },
    }
  })
}

const upstream = {
  upstream: Type.Optional(Type.String({ description: 'whose requests are used up' })),
}

const ERRORS = {
  304: Type.Null({ description: 'The answer is the one whose `etag` was sent in `if-none-match`' }),
  400: errorReply('A parameter or the body is not valid; the text names it and what is allowed', {
    message: Type.Optional(
      Type.String({ description: 'what is wrong, where `error` is a code for programs' }),
    ),
    hint: Type.Optional(Type.String()),
    allowed: Type.Optional(Type.Array(Type.String())),
  }),
  401: errorReply('The key is missing or malformed'),
  402: errorReply('The endpoint needs a paid plan', {
    tier: Type.String(),
    upgrade_url: Type.String(),
  }),
  403: errorReply('The key is unknown or inactive, or its plan is too low'),
  413: errorReply('The body is too large'),
  415: errorReply('The body is not sent as JSON'),
  429: errorReply('A limit of the account is used up; `retry-after` says for how many seconds', {
    scope: Type.Optional(Type.String()),
    reset_at: Type.Optional(Type.Integer({ description: 'Unix seconds' })),
    retryAfterMs: Type.Optional(Type.Integer()),
    ...upstream,
  }),
  500: errorReply('A fault of the service, logged under the `x-request-id` of the answer'),
  503: errorReply('The service is starting, overloaded or has lost its database or an upstream', {
    scope: Type.Optional(Type.String()),
    ...upstream,
  }),
}

function errorsOf({ schema, method, config }: RouteOptions, access: Access): object {
  // Any query string can be malformed, so even a route without parameters can answer 400.
  const statuses: (keyof typeof ERRORS)[] = [500, 503, 400]
  if (schema?.body !== undefined && method !== 'GET') statuses.push(413, 415)
  if (access !== 'public') statuses.push(401, 403, 429)
  if (access !== 'public' && access.plan?.refusal === 402) statuses.push(402)
  if (config?.cacheMs !== undefined) statuses.push(304)
  return Object.fromEntries(statuses.map((status) => [status, ERRORS[status]]))
}
