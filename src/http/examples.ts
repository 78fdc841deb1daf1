import { readFileSync } from 'node:fs'
import type { JsonSchema } from './schema-components.js'

/**
 * Things that have data, by name: `wallet`, `token_id`, `today` and so on. Parameters and bodies of examples name
 * them in braces.
 */
export type Samples = Readonly<Record<string, string | number | undefined>>
/** A request to the demo and its answer. `npm run examples` takes them. */
export type Example = { parameters: Record<string, unknown>; body?: object; answer: object }
/** `samples`: of the demo that answered the examples, for a database that has none. */
type Examples = { samples: Samples; operations: Record<string, Example | undefined> }

export const readExamples = (file = new URL('./examples.json', import.meta.url)): Examples =>
  JSON.parse(readFileSync(file, 'utf8'))

/** JSON text in which the names of samples are replaced by their values. */
export const fillSamples = (text: string, samples: Samples): string =>
  text.replaceAll(/"\{([a-z_]+)\}"/g, (whole, name: string) => {
    const value = samples[name]
    return value === undefined ? whole : JSON.stringify(value)
  })

type Described = {
  operationId?: string
  parameters?: { name?: string; required?: boolean; example?: unknown }[]
  requestBody?: { content: Record<string, { example?: unknown }> }
  responses: Record<string, { content?: Record<string, { schema?: JsonSchema }> }>
}

/** Bodies of requests that are not sent to a demo, because they would change its accounts. */
const ACCOUNT_BODIES: Readonly<Record<string, object>> = {
  createKey: { name: 'my laptop' },
  createOwnKey: { name: 'bot', scope: 'read' },
  createSession: { api_key: 'ax_live_9ddb9729d7d1674f1b4c4613f6971d75f06fdbcde4b8ed37' },
  createAccount: { name: 'desk A', plan: 'starter' },
  setAccountPlan: { plan: 'growth' },
  suspendAccount: { reason: 'unpaid' },
  createAccountKey: { name: 'bot', scope: 'read' },
}

/** Filters of which a request must have one. */
const NEEDED_FILTERS: Readonly<Record<string, string>> = { listComboActivity: 'condition_id' }

/**
 * Puts the example of an operation beside its body and the parameters that it needs. Other filters have none: the
 * reference would send it along, and find little.
 */
export function addRequestExample(operation: Described, { operations }: Examples): void {
  const { operationId = '', parameters = [], requestBody } = operation
  const example = operations[operationId]
  for (const parameter of parameters) {
    const { name = '', required = false } = parameter
    const value = example?.parameters[name]
    if (!required && NEEDED_FILTERS[operationId] !== name) delete parameter.example
    else if (value !== undefined) parameter.example = value
  }
  const body = requestBody?.content['application/json']
  const shown = example?.body ?? ACCOUNT_BODIES[operationId]
  if (body !== undefined && shown !== undefined) body.example = shown
}

/**
 * Puts the answers of operations beside the schemas of them: beside that of its rows where it is a page of a list, or
 * where several answers have rows of the same schema, so that they share one.
 */
export function addAnswerExamples(
  operations: readonly Described[],
  examples: Examples,
  schemas: Record<string, JsonSchema>,
): void {
  const answers = operations.flatMap((operation) => findAnswer(operation, examples, schemas))
  for (const { answer, reply, row, rows } of answers) {
    const isShared =
      'rows_returned' in answer ||
      answers.some((other) => other.reply !== reply && [other.row, other.reply].includes(row))
    if (isShared && row !== undefined && rows.length > 0) row.examples ??= [shorten(rows[0])]
    else reply.examples ??= [shorten(answer)]
  }
}

/** What the demo answered, the schema of that, and the rows in it with theirs. */
function findAnswer(
  { operationId, responses }: Described,
  { operations }: Examples,
  schemas: Record<string, JsonSchema>,
) {
  const answer = operations[operationId ?? '']?.answer
  const { content } = responses['200'] ?? responses['201'] ?? {}
  const reply = findSchema(content?.['application/json']?.schema, schemas)
  if (answer === undefined || reply === undefined) return []
  const [field = '', rows = []] = Object.entries(answer).find(([, value]) => Array.isArray(value)) ?? []
  const items = reply.properties?.[field]?.items
  const row = findSchema(items?.anyOf?.[0] ?? items, schemas)
  return [{ answer, reply, row, rows: rows as unknown[] }]
}

const findSchema = (schema: JsonSchema | undefined, schemas: Record<string, JsonSchema>) =>
  schemas[schema?.$ref?.slice('#/components/schemas/'.length) ?? '']

const TEXT_MAX = 120

/** The first item of a list says what the others are, and the beginning of a text what the rest is. */
function shorten(value: unknown): unknown {
  if (typeof value === 'string' && value.length > TEXT_MAX) return `${value.slice(0, TEXT_MAX)}…`
  if (Array.isArray(value)) return value.slice(0, 1).map(shorten)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shorten(field)]))
}
