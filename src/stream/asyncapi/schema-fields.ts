/** The part of a JSON schema that the page shows. */
type Schema = {
  type?: string
  const?: unknown
  enum?: unknown[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
}

/** A field of a message. A path that ends with `?` may be missing. */
export type SchemaField = { path: string; type: string; description: string }

/** All fields of a schema, those inside of objects and lists by their path: `trades[].price`. */
export const listFields = (schema: object): SchemaField[] => listBelow(schema, '')

function listBelow(schema: Schema, above: string): SchemaField[] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${above}${name}`
    const shown = required.includes(name) ? path : `${path}?`
    const choices = [field, ...(field.anyOf ?? [])]
    const items = choices.flatMap(({ items }) => [items ?? {}, ...(items?.anyOf ?? [])])
    return [
      { path: shown, type: nameType(field), description: field.description ?? '' },
      ...choices.flatMap((choice) => listBelow(choice, `${path}.`)),
      ...items.flatMap((item) => listBelow(item, `${path}[].`)),
    ]
  })
}

function nameType(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(nameType).join(' | ')
  if (schema.type !== 'array') return schema.type ?? 'any'
  const item = nameType(schema.items ?? {})
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`
}
