import { isDeepStrictEqual } from 'node:util'

/** The part of a JSON schema that has other schemas in it, and what each use of a named one may say of its own. */
export type JsonSchema = {
  title?: string
  description?: string
  default?: unknown
  examples?: unknown[]
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
  allOf?: JsonSchema[]
  required?: string[]
  additionalProperties?: boolean | JsonSchema
}

/** A title that is a name of ours. Other titles are texts for readers. */
const NAME = /^[A-Z][A-Za-z0-9]*$/

/** Collects the schemas that have a name, for `components.schemas` of a document. */
export class SchemaComponents {
  readonly #schemas = new Map<string, JsonSchema>()

  /** By name. */
  list(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /**
   * The schema with references instead of its named parts. An object without a name gets `fallbackName`, which is
   * made of the fields on the path to it. What differs between the uses of one name stays beside the reference: its
   * description there and its default.
   */
  refer(schema: JsonSchema, fallbackName: string): JsonSchema {
    const name = nameOf(schema, fallbackName)
    const { title, ...inlined } = mergeNull(this.#referInside(schema, name ?? fallbackName))
    if (name === undefined) return title === undefined ? inlined : { title, ...inlined }
    const { description, default: fallback, examples: _, ...shape } = inlined
    const { description: meaning, ...known } = this.#schemas.get(name) ?? { description, ...shape }
    if (!isDeepStrictEqual(known, shape)) {
      throw new Error(`Two different schemas have the name ${name}`)
    }
    // The description of an enum depends on its field: a side is that of the owner, the maker or the wallet.
    const shared = shape.enum === undefined ? (meaning ?? description) : undefined
    this.#schemas.set(name, { ...shape, ...(shared !== undefined && { description: shared }) })
    return {
      $ref: `#/components/schemas/${name}`,
      ...(description !== undefined && description !== shared && { description }),
      ...(fallback !== undefined && { default: fallback }),
    }
  }

  #referInside(schema: JsonSchema, name: string): JsonSchema {
    const { properties, items, anyOf } = schema
    const fields = Object.entries(properties ?? {}).map(([field, value]) => [
      field,
      this.refer(value, `${name}${pascalCase(field)}`),
    ])
    return {
      ...schema,
      // TypeBox leaves it out.
      ...(schema.enum?.every((value) => typeof value === 'string') && { type: 'string' }),
      ...(properties !== undefined && { properties: Object.fromEntries(fields) }),
      ...(items !== undefined && { items: this.refer(items, `${name}Item`) }),
      ...(anyOf !== undefined && { anyOf: anyOf.map((choice) => this.refer(choice, name)) }),
    }
  }
}

/** Fields that an object must share with another one to be written as an extension of it. */
const SHARED_FIELDS_MIN = 6

/**
 * Writes objects that have all fields of another one as that one and the rest: rows that add to other rows, and
 * pages of lists.
 */
export function extendSchemas(schemas: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const bases = Object.entries(schemas)
    .map(([name, base]) => ({ name, base, count: Object.keys(base.properties ?? {}).length }))
    .filter(({ count }) => count >= SHARED_FIELDS_MIN)
    .sort((a, b) => b.count - a.count)
  const entries = Object.entries(schemas).map(([name, schema]): [string, JsonSchema] => {
    const found = bases.find((each) => each.name !== name && isExtended(each.base, schema))
    return [name, found === undefined ? schema : extend(schema, found)]
  })
  return Object.fromEntries(entries)
}

function isExtended(base: JsonSchema, schema: JsonSchema): boolean {
  const { properties = {}, required = [] } = schema
  const fields = Object.entries(base.properties ?? {})
  return (
    Object.keys(properties).length > fields.length &&
    !('additionalProperties' in base) &&
    fields.every(
      ([field, type]) =>
        isDeepStrictEqual(properties[field], type) &&
        required.includes(field) === (base.required ?? []).includes(field),
    )
  )
}

function extend(schema: JsonSchema, { name, base }: { name: string; base: JsonSchema }): JsonSchema {
  const { properties = {}, required = [], type: _, ...rest } = schema
  const own = Object.entries(properties).filter(([field]) => base.properties?.[field] === undefined)
  const needed = required.filter((field) => base.properties?.[field] === undefined)
  const added = { type: 'object', properties: Object.fromEntries(own), required: needed }
  return { allOf: [{ $ref: `#/components/schemas/${name}` }, added], ...rest }
}

const nameOf = ({ title = '', properties }: JsonSchema, fallbackName: string): string | undefined => {
  if (NAME.test(title)) return title
  return properties === undefined ? undefined : fallbackName
}

/** `getWallet` and `market_resolved` make `GetWallet` and `MarketResolved`. */
export const pascalCase = (name: string): string =>
  name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** A plain value or null in the short form of JSON Schema. */
function mergeNull(schema: JsonSchema): JsonSchema {
  const { anyOf = [], ...rest } = schema
  const [value, none] = anyOf
  const isPlain = typeof value?.type === 'string' && !('enum' in value || 'const' in value)
  const isNull = none?.type === 'null' && anyOf.length === 2
  if (!isPlain || !isNull || ['object', 'array'].includes(`${value.type}`)) return schema
  return { ...value, ...rest, type: [`${value.type}`, 'null'] }
}
