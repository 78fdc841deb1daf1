/**
 * A document with what its references name in place of them, and extended objects as one. None of ours names
 * itself.
 */
export function inlineReferences<Document extends object>(document: Document): Document {
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline)
    if (value === null || typeof value !== 'object') return value
    const { $ref, ...rest } = value as Record<string, unknown>
    const fields = Object.entries(rest).map(([name, field]) => [name, inline(field)])
    const own = mergeAll(Object.fromEntries(fields))
    return typeof $ref === 'string' ? { ...(inline(find($ref)) as object), ...own } : own
  }
  const find = (reference: string): unknown =>
    reference
      .slice('#/'.length)
      .split('/')
      .reduce((found: unknown, name) => (found as Record<string, unknown>)[name], document)
  return inline(document) as Document
}

type Extended = { allOf?: { properties?: object; required?: string[] }[] }

/** An object that extends another one has the fields of both. */
function mergeAll({ allOf, ...rest }: Extended): object {
  if (allOf === undefined) return rest
  return {
    type: 'object',
    properties: Object.assign({}, ...allOf.map(({ properties }) => properties)),
    required: allOf.flatMap(({ required = [] }) => required),
    ...rest,
  }
}
