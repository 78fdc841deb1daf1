type Json = null | boolean | number | string | Json[] | JsonFields
type JsonFields = { [field: string]: Json }
type Operation = { operationId?: string; security?: object[]; callbacks?: object }
type Document = {
  paths?: Record<string, Record<string, Operation>>
  security?: object[]
  webhooks?: Record<string, object>
  components?: { securitySchemes?: Record<string, object> }
}

/**
 * The document as the page shows it. Swagger UI takes eight seconds to open a document of this size as OpenAPI 3.1,
 * and two as 3.0, which says a few things of schemas in other words and knows webhooks as callbacks of the request
 * that asks for them. One way to send a key is enough there.
 */
export function toReferenceDocument(whole: object): object {
  const { webhooks = {}, ...document } = toOpenApi30(JSON.parse(JSON.stringify(whole))) as JsonFields &
    Document
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path))
  for (const each of [document as Document, ...operations]) {
    if ((each.security ?? []).length > 0) each.security = [{ header: [] }]
  }
  for (const operation of operations) {
    if (operation.operationId !== 'createWebhook') continue
    operation.callbacks = Object.fromEntries(
      Object.entries(webhooks).map(([type, sent]) => [type, { '{$request.body#/url}': sent }]),
    )
  }
  const { header = {} } = document.components?.securitySchemes ?? {}
  const description = "Your key. For `/v1/admin`: an operator's key."
  const securitySchemes = { header: { ...header, description } }
  const components = { ...document.components, securitySchemes }
  return { ...document, openapi: '3.0.3', components }
}

function toOpenApi30(value: Json): Json {
  if (Array.isArray(value)) return value.map(toOpenApi30)
  if (value === null || typeof value !== 'object') return value
  const fields = Object.entries(value).map(([field, inner]): [string, Json] => [
    field,
    field === 'example' || field === 'examples' ? inner : toOpenApi30(inner),
  ])
  return toSchema30(Object.fromEntries(fields))
}

/** Null in a list of types or choices, constants, examples, and what stands beside a reference. */
function toSchema30({ type, anyOf, const: constant, examples, $ref, ...rest }: JsonFields): JsonFields {
  const types = Array.isArray(type) ? type : undefined
  const choices = Array.isArray(anyOf) ? anyOf : undefined
  const others = choices?.filter((choice) => !isNull(choice))
  const isNullable = types?.includes('null') === true || others?.length !== choices?.length
  const isAlone = Object.keys(rest).length === 0
  return {
    ...rest,
    ...(type !== undefined && { type: types?.find((each) => each !== 'null') ?? type }),
    ...(anyOf !== undefined && { anyOf: others ?? anyOf }),
    ...(isNullable && { nullable: true }),
    ...(constant !== undefined &&
      (typeof constant === 'object' ? { const: constant } : { enum: [constant] })),
    ...(examples !== undefined &&
      (Array.isArray(examples) ? { example: examples[0] ?? null } : { examples })),
    ...($ref !== undefined && (isAlone || typeof $ref !== 'string' ? { $ref } : { allOf: [{ $ref }] })),
  }
}

const isNull = (choice: Json): boolean =>
  choice !== null && typeof choice === 'object' && !Array.isArray(choice) && choice.type === 'null'
