import { writeFileSync } from 'node:fs'
import { Command } from 'commander'
import { OperatorError, reportAndExit } from '../src/core/errors.js'
import type { Samples } from '../src/http/examples.js'
import { askOperations } from './ask-operations.js'
import { type DemoFile, readDemoFile } from './demo-file.js'
import { takeWebhookExamples } from './take-webhook-examples.js'

/** Items of a list in an example. */
const ITEMS_MAX = 2

await new Command('examples')
  .description('Take the examples of the OpenAPI document from a running demo')
  .option('--data <dir>', 'the data folder of the demo', '.auspex-demo')
  .option('--out <file>', 'the file to write', 'src/http/examples.json')
  .option('--webhooks', 'take those of webhooks instead, into src/webhooks/examples.json')
  .action(takeExamples)
  .parseAsync()
  .catch(reportAndExit)

type Flags = { data: string; out: string; webhooks?: boolean }

async function takeExamples({ data, out, webhooks = false }: Flags): Promise<void> {
  const demo = readDemoFile(data)
  if (demo === undefined || demo.pid === null) throw new OperatorError(`No demo runs in ${data}.`)
  if (webhooks) write('src/webhooks/examples.json', await takeWebhookExamples(demo))
  else write(out, await takeAnswers(demo))
}

async function takeAnswers(demo: DemoFile): Promise<object> {
  const operations: [string, object][] = []
  let samples: Samples = {}
  for await (const asked of askOperations(demo)) {
    samples = asked.samples
    const { operationId, url, parameters, body, status, answer } = asked
    if (status !== 200 && status !== 201) {
      throw new OperatorError(`${url} was answered with ${status}: ${JSON.stringify(answer)}`)
    }
    const request = { parameters, ...(body !== undefined && { body }) }
    operations.push([operationId, { ...request, answer: trim(answer) }])
  }
  operations.sort(([a], [b]) => (a < b ? -1 : 1))
  console.log(`${operations.length} operations were asked`)
  return { samples: trim(samples), operations: Object.fromEntries(operations) }
}

function write(file: string, examples: object): void {
  writeFileSync(file, `${JSON.stringify(examples, null, 2)}\n`)
  console.log(`Examples are written to ${file}`)
}

/** The first items of each list say what the others are. */
function trim(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map(trim)
  if (typeof value === 'string') return publish(value)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, trim(field)]))
}

/** The receiver and the secrets of webhooks are of no use to readers. */
function publish(text: string): string {
  return text
    .replace(/^whsec_[0-9a-f]{32}$/, 'whsec_4f1d2c3b5a69788796a5b4c3d2e1f00f')
    .replace(/^http:\/\/127\.0\.0\.1:\d+\/$/, 'https://hooks.example.net/pm')
}
