import { writeFileSync } from 'node:fs'
import { Command } from 'commander'
import { reportAndExit } from '../src/core/errors.js'
import { readDemoFile } from './demo-file.js'

/**
 * Asks a running demo each question of its OpenAPI document once, and writes the answers as the
 * examples of that document. Run it when an answer has changed its shape: a test says when.
 */
await new Command('examples')
  .description('Take the examples of the OpenAPI document from a running demo')
  .option('--data <dir>', 'the data folder of the demo', '.auspex-demo')
  .option('--out <file>', 'the file to write', 'src/http/examples.json')
  .action(takeExamples)
  .parseAsync()
  .catch(reportAndExit)

type Parameter = { name: string; in: 'query' | 'path'; required?: boolean }
type Operation = { operationId: string; parameters?: Parameter[]; security: object[] }
type Document = { paths: Record<string, { get?: Operation; post?: Operation }> }
type Values = Record<string, string | number>

/** Bodies of the POST requests that change nothing. */
const BODIES: Record<string, (samples: Values) => object> = {
  getWallets: ({ wallet = '' }) => ({ wallets: [wallet] }),
}

/** What a request needs or shows best, beside the samples. */
const QUERIES: Record<string, (samples: Values) => Values> = {
  listTicks: () => ({ symbol: 'BTC', ...lastMinute(), limit: 2 }),
  listCandles: () => ({ symbol: 'BTC' }),
  getPriceWindow: () => ({ symbol: 'BTC', window: Math.floor(Date.now() / 300_000 - 1) * 300 }),
  searchMarkets: () => ({ q: 'bitcoin' }),
  listWalletPnl: () => ({ period: '30d' }),
}

async function takeExamples({ data, out }: { data: string; out: string }): Promise<void> {
  const demo = readDemoFile(data)
  if (demo === undefined || demo.pid === null) throw new Error(`No demo runs in ${data}.`)
  const headers = { 'x-api-key': demo.keys.enterprise, 'content-type': 'application/json' }
  const { paths } = (await (await fetch(`${demo.url}/openapi.json`)).json()) as Document
  const samples: Values = { ...demo.samples }
  const examples: Record<string, object> = {}
  for (const [path, { get, post }] of Object.entries(paths)) {
    const operation = get ?? post
    if (operation === undefined) continue
    const { operationId } = operation
    const body = BODIES[operationId]?.(samples)
    if (get === undefined && body === undefined) continue
    const parameters = chooseParameters(operation, samples)
    const query = new URLSearchParams()
    const url = Object.entries(parameters).reduce((text, [name, value]) => {
      const isInPath = text.includes(`{${name}}`)
      if (!isInPath) query.set(name, `${value}`)
      return text.replace(`{${name}}`, encodeURIComponent(value))
    }, path)
    const method = get === undefined ? 'POST' : 'GET'
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const reply = await fetch(`${demo.url}${url}?${query}`, init)
    const answer: unknown = await reply.json()
    if (!reply.ok) throw new Error(`${url}?${query}: ${reply.status} ${JSON.stringify(answer)}`)
    examples[operationId] = {
      parameters,
      ...(body !== undefined && { body }),
      answer: trim(answer),
    }
  }
  const sorted = Object.fromEntries(Object.entries(examples).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(out, `${JSON.stringify(sorted, null, 2)}\n`)
  console.log(`${Object.keys(sorted).length} examples written to ${out}`)
}

/** The path is filled in from the samples of the demo, by name. */
function chooseParameters({ operationId, parameters = [] }: Operation, samples: Values): Values {
  const named: Values = {
    ...samples,
    address: samples.wallet ?? '',
    code: samples.builder ?? '',
    slug: operationId.includes('Tag') ? (samples.tag ?? '') : (samples.market_slug ?? ''),
    query: samples.wallet ?? '',
  }
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  return {
    ...Object.fromEntries(inPath.map(({ name }) => [name, named[name] ?? ''])),
    ...QUERIES[operationId]?.(samples),
  }
}

function lastMinute(): Values {
  const to = Math.floor(Date.now() / 1000) * 1000
  return { from: to - 60_000, to }
}

const ITEMS_MAX = 2

/** The first items of each list say what the others are. */
function trim(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map(trim)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, trim(field)]))
}
