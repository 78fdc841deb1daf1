import { type TSchema, Type } from 'typebox'

/** The schema of an error body: the text, the named extras, and room for more. */
export const errorReply = (description: string, fields: Record<string, TSchema> = {}) =>
  Type.Object({ error: Type.String(), ...fields }, { description, additionalProperties: true })
