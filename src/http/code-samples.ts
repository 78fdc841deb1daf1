type Parameter = {
  $ref?: string
  name: string
  in: string
  required?: boolean
  example?: unknown
  schema?: { default?: unknown }
}
type Operation = {
  description?: string
  parameters?: Parameter[]
  requestBody?: { content?: Record<string, { example?: unknown }> }
}
type Document = {
  paths?: Record<string, Record<string, Operation>>
  components?: { parameters?: Record<string, Parameter> }
}

/**
 * Puts the request of each operation into its description, in three languages, with the example values that the
 * document has. `text`: an OpenAPI document.
 */
export function addCodeSamples(text: string): string {
  const document = JSON.parse(text) as Document
  const shared = document.components?.parameters ?? {}
  for (const [path, operations] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(operations)) {
      const parameters = (operation.parameters ?? []).map((each) => shared[nameOf(each)] ?? each)
      const blocks = writeSamples(toSample(method, path, { ...operation, parameters }))
      operation.description = [operation.description ?? '', ...blocks].join('\n\n')
    }
  }
  return JSON.stringify(document)
}

const nameOf = ({ $ref = '' }: Parameter): string => $ref.split('/').at(-1) ?? ''

function toSample(method: string, path: string, { parameters = [], requestBody }: Operation): Sample {
  const valuesIn = (location: string) =>
    Object.fromEntries(
      parameters
        .filter((each) => each.in === location && (each.required === true || each.example !== undefined))
        .map(({ name, example, schema }) => [name, example ?? schema?.default ?? '']),
    )
  const body = requestBody?.content?.['application/json']?.example
  return { method, path, pathValues: valuesIn('path'), query: valuesIn('query'), body }
}

/** As Markdown. The key and the address are variables of the environment. */
const writeSamples = (sample: Sample): string[] =>
  [
    { title: 'curl', language: 'sh', code: toCurl(sample) },
    { title: 'TypeScript', language: 'ts', code: toTypescript(sample) },
    { title: 'Python', language: 'python', code: toPython(sample) },
  ].map(({ title, language, code }) => `**${title}**\n\n\`\`\`${language}\n${code}\n\`\`\``)

type Sample = {
  method: string
  path: string
  pathValues: Record<string, unknown>
  query: Record<string, unknown>
  body: unknown
}

const fillPath = ({ path, pathValues }: Sample): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(pathValues[name] ?? name)))

const hasFields = (values: object): boolean => Object.keys(values).length > 0

function toCurl(sample: Sample): string {
  const { method, query, body } = sample
  const texts = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
  const search = hasFields(query) ? `?${new URLSearchParams(texts)}` : ''
  const parts = [
    'curl',
    ...(method === 'get' ? [] : [`-X ${method.toUpperCase()}`]),
    '-H "x-api-key: $AUSPEX_KEY"',
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `-d '${JSON.stringify(body)}'`]),
    `"$AUSPEX_URL${fillPath(sample)}${search}"`,
  ]
  return parts.join(' ')
}

function toTypescript({ method, path, pathValues, query, body }: Sample): string {
  const fields = [
    ...(hasFields(pathValues) ? [`path: ${JSON.stringify(pathValues)}`] : []),
    ...(hasFields(query) ? [`query: ${JSON.stringify(query)}`] : []),
    ...(body === undefined ? [] : [`body: ${JSON.stringify(body)}`]),
  ]
  const options = fields.length === 0 ? '' : `, { ${fields.join(', ')} }`
  return [
    "import { AuspexClient } from 'auspex-client'",
    "const auspex = new AuspexClient({ baseUrl: process.env.AUSPEX_URL ?? '', apiKey: process.env.AUSPEX_KEY })",
    `console.log(await auspex.${method}('${path}'${options}))`,
  ].join('\n')
}

function toPython(sample: Sample): string {
  const { method, query, body } = sample
  const args = [
    `os.environ["AUSPEX_URL"] + "${fillPath(sample)}"`,
    ...(hasFields(query) ? [`params=${toPythonLiteral(query)}`] : []),
    ...(body === undefined ? [] : [`json=${toPythonLiteral(body)}`]),
    'headers={"x-api-key": os.environ["AUSPEX_KEY"]}',
  ]
  return ['import os, requests', `print(requests.${method}(${args.join(', ')}).json())`].join('\n')
}

/** JSON, but for the words that Python writes in another way. */
function toPythonLiteral(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(toPythonLiteral).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, inner]) => `${JSON.stringify(name)}: ${toPythonLiteral(inner)}`)
    .join(', ')}}`
}
