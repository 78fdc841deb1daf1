import { readFileSync } from 'node:fs'

/** A request to the demo and its answer, by operation. `npm run examples` takes them. */
export type Example = { parameters: Record<string, unknown>; body?: object; answer: object }

export const readExamples = (
  file = new URL('./examples.json', import.meta.url),
): Record<string, Example | undefined> => JSON.parse(readFileSync(file, 'utf8'))

type Described = {
  operationId?: string
  parameters?: { name?: string; example?: unknown }[]
  requestBody?: { content: Record<string, { example?: unknown }> }
  responses: Record<string, { content?: Record<string, { example?: unknown }> }>
}

/** Puts the example of an operation beside its parameters, its body and its answer. */
export function addExample(
  operation: Described,
  examples: Record<string, Example | undefined>,
): void {
  const example = examples[operation.operationId ?? '']
  if (example === undefined) return
  for (const parameter of operation.parameters ?? []) {
    const value = example.parameters[parameter.name ?? '']
    if (value !== undefined) parameter.example = value
  }
  const body = operation.requestBody?.content['application/json']
  if (body !== undefined && example.body !== undefined) body.example = example.body
  const { responses } = operation
  const answer = (responses['200'] ?? responses['201'])?.content?.['application/json']
  if (answer !== undefined) answer.example = example.answer
}
