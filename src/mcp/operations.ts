/** A JSON schema, as far as arguments of tools say of themselves. */
export type ArgumentSchema = {
  type?: unknown
  description?: string | undefined
  enum?: readonly unknown[]
  default?: unknown
  minimum?: number
  maximum?: number
  items?: ArgumentSchema
}

/** An operation of the API that a tool may call. */
export type Operation = { path: string; parameters: ReadonlyMap<string, ArgumentSchema> }

/** Reading operations of the API by their ids. */
export type Operations = ReadonlyMap<string, Operation>

type Reference = { $ref?: string }
type Parameter = Reference & {
  name?: string
  in?: string
  description?: string
  schema?: ArgumentSchema & Reference
}
type Described = { operationId?: string; parameters?: Parameter[] }
type Document = { paths?: { [path: string]: { get?: Described } } }

/** Reads the operations out of the OpenAPI document, whose parameters the arguments of tools are made of. */
export function readOperations(document: object): Operations {
  const { paths = {} } = document as Document
  const follow = <Value extends Reference>(value: Value): Value => {
    if (value.$ref === undefined) return value
    const names = value.$ref.slice('#/'.length).split('/')
    const target = names.reduce((at, name) => (at as Record<string, object>)[name] ?? {}, document)
    return { ...(target as Value), ...value, $ref: undefined }
  }
  const operations = Object.entries(paths).flatMap(([path, { get }]): [string, Operation][] => {
    if (get?.operationId === undefined) return []
    const parameters = (get.parameters ?? []).map(follow).filter((each) => each.in !== 'header')
    const schemas = parameters.map(({ name = '', description, schema = {} }): [string, ArgumentSchema] => [
      name,
      toArgument({ description, ...follow(schema) }),
    ])
    return [[get.operationId, { path, parameters: new Map(schemas) }]]
  })
  return new Map(operations)
}

/** What a model needs to know; patterns and formats are checked by the API, whose refusals say them in words. */
function toArgument(schema: ArgumentSchema): ArgumentSchema {
  const { type, description, default: usual, minimum, maximum } = schema
  return {
    ...(type !== undefined && { type }),
    ...(description !== undefined && { description }),
    ...(schema.enum !== undefined && { enum: schema.enum }),
    ...(usual !== undefined && { default: usual }),
    ...(isBound(minimum) && { minimum }),
    ...(isBound(maximum) && { maximum }),
  }
}

const isBound = (value: number | undefined): boolean =>
  value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER
