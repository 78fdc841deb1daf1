import { type TSchema, Type } from 'typebox'

/** The schema of an error body: the text, the named extras, and room for more. Extras make an error of its own name. */
export const errorReply = (
  description: string,
  fields: Record<string, TSchema> = {},
  name = 'ErrorResponse',
) =>
  Type.Object({ error: Type.String(), ...fields }, { title: name, description, additionalProperties: true })
