import type { DemoFile } from './demo-file.js'

type Parameter = { name: string; in: 'query' | 'path'; required?: boolean }
type Answers = Record<string, { content?: Record<string, { schema?: object }> }>
type Operation = { operationId: string; parameters?: Parameter[]; responses: Answers }
type Document = { paths: Record<string, { get?: Operation; post?: Operation }> }
type Values = Record<string, string | number>

/** A request of the OpenAPI document and what the demo said. */
export type Asked = {
  operationId: string
  /** Path and query. */
  url: string
  parameters: Values
  body?: object
  status: number
  answer: unknown
  /** What the document says of the answer. */
  schema: object | undefined
}

/** Bodies of the POST requests that change nothing; others are not asked. */
const BODIES: Record<string, (samples: Values) => object> = {
  getWallets: ({ wallet = '' }) => ({ wallets: [wallet] }),
}

/** What a request needs, or shows best. */
const QUERIES: Record<string, (samples: Values, nowMs: number) => Values> = {
  listTicks: (_samples, nowMs) => ({ symbol: 'BTC', from: nowMs - 60_000, to: nowMs, limit: 2 }),
  listCandles: () => ({ symbol: 'BTC' }),
  getWindowPrice: (_samples, nowMs) => ({
    symbol: 'BTC',
    window: (Math.floor(nowMs / 300_000) - 1) * 300,
  }),
  searchMarkets: () => ({ q: 'bitcoin' }),
  listComboActivity: ({ combo_condition_id: combo = '' }) => ({ condition_id: combo }),
}

/** Asks a demo every question of its OpenAPI document once, about the samples of the demo. */
export async function* askOperations(demo: DemoFile): AsyncGenerator<Asked> {
  const { paths } = (await (await fetch(`${demo.url}/openapi.json`)).json()) as Document
  const nowMs = Math.floor(Date.now() / 1000) * 1000
  for (const [path, { get, post }] of Object.entries(paths)) {
    const operation = get ?? post
    if (operation === undefined) continue
    const { operationId, responses } = operation
    const body = BODIES[operationId]?.(demo.samples)
    if (get === undefined && body === undefined) continue
    const parameters = chooseParameters(path, operation, demo.samples, nowMs)
    const url = fillPath(path, parameters)
    const reply = await fetchMade(`${demo.url}${url}`, {
      method: get === undefined ? 'POST' : 'GET',
      headers: { 'x-api-key': demo.keys.enterprise, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { status } = reply
    const schema = responses['200']?.content?.['application/json']?.schema
    const answer: unknown = await reply.json()
    yield {
      operationId,
      url,
      parameters,
      ...(body !== undefined && { body }),
      status,
      answer,
      schema,
    }
  }
}

const MAKING_MS_MAX = 60_000

/** What jobs make is not there in the first seconds of a demo. */
async function fetchMade(url: string, init: RequestInit): Promise<Response> {
  const deadlineMs = Date.now() + MAKING_MS_MAX
  for (;;) {
    const reply = await fetch(url, init)
    if (reply.status !== 503 || Date.now() > deadlineMs) return reply
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

/** Names of the path that the samples have under another one. */
function chooseParameters(
  path: string,
  { operationId, parameters = [] }: Operation,
  samples: Values,
  nowMs: number,
): Values {
  const {
    wallet = '',
    builder = '',
    tag = '',
    market_slug: market = '',
    token_id: token = '',
  } = samples
  const slug = path.includes('/tags/') ? tag : market
  const named: Values = {
    ...{ ...samples, address: wallet, query: wallet, code: builder, slug, id: token },
  }
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  return {
    ...Object.fromEntries(inPath.map(({ name }) => [name, named[name] ?? ''])),
    ...QUERIES[operationId]?.(samples, nowMs),
  }
}

function fillPath(path: string, parameters: Values): string {
  const query = new URLSearchParams()
  let filled = path
  for (const [name, value] of Object.entries(parameters)) {
    if (path.includes(`{${name}}`)) filled = filled.replace(`{${name}}`, encodeURIComponent(value))
    else query.set(name, `${value}`)
  }
  return query.size === 0 ? filled : `${filled}?${query}`
}
