import { REST_REFERENCE } from './frame.js'
import type { SearchEntry } from './search.js'

type Described = {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  parameters?: { $ref?: string; name?: string; description?: string }[]
}
type Document = { paths?: Record<string, Record<string, Described>> }

/** The operations of an OpenAPI document, for the search. */
export const listOperations = (document: object): SearchEntry[] =>
  Object.entries((document as Document).paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      toEntry(`${method.toUpperCase()} ${path}`, operation),
    ),
  )

function toEntry(heading: string, operation: Described): SearchEntry {
  const { operationId = '', summary = '', description = '', tags = [], parameters = [] } = operation
  // What is said more than once is a component, which has the name of the parameter.
  const named = parameters.map(({ $ref, name, description: about = '' }) =>
    [name ?? $ref?.split('/').at(-1), about].join(' '),
  )
  return {
    page: REST_REFERENCE.title,
    heading,
    href: `${REST_REFERENCE.path}#/${tags[0] ?? 'default'}/${operationId}`,
    text: [summary, description, operationId, ...named].join('\n'),
  }
}
