import { type TProperties, Type } from 'typebox'

/**
 * An object schema that the OpenAPI and AsyncAPI documents list once under this name, as a component. The name is the
 * `title` of the schema. A schema made from the `properties` of this one has no name until it gets a title of its own.
 */
export const namedObject = <Fields extends TProperties>(name: string, fields: Fields) =>
  Type.Object(fields, { title: name })

/** A text out of few, which has this name in the documents. */
export const namedEnum = <const Value extends string>(
  name: string,
  values: readonly Value[],
  description?: string,
) =>
  Type.Unsafe<Value>(
    Type.String({
      title: name,
      enum: [...values],
      ...(description !== undefined && { description }),
    }),
  )
