import { type TSchema, Type } from 'typebox'

/** The schema of a value that may be null; the description says what null means. */
export const nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })
