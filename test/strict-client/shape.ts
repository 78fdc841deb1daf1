/** What a value must look like. Adds a sentence to the problems for everything that is wrong. */
export type Shape = (value: unknown, path: string, problems: string[]) => void

type Field = Shape | { shape: Shape; isOptional: true }
export type Fields = Readonly<Record<string, Field>>

/** A JSON object whose fields nothing is known of. */
export type Json = Readonly<Record<string, unknown>>

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Everything that is wrong with a value. */
export function problemsOf(value: unknown, shape: Shape, name = ''): string[] {
  const problems: string[] = []
  shape(value, name, problems)
  return problems
}

const expectation =
  (expected: string, holds: (value: unknown) => boolean): Shape =>
  (value, path, problems) => {
    if (!holds(value)) problems.push(`${path} must be ${expected}, not ${showValue(value)}`)
  }

const showValue = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value).slice(0, 80))

const matching = (expected: string, pattern: RegExp) =>
  expectation(expected, (value) => typeof value === 'string' && pattern.test(value))

export const text = expectation('a string', (value) => typeof value === 'string')
export const int = expectation('an integer', Number.isSafeInteger)
export const number = expectation('a number', Number.isFinite)
export const bool = expectation('a boolean', (value) => typeof value === 'boolean')
export const anyObject = expectation('an object', isJson)
export const address = matching('an address in lower case', /^0x[0-9a-f]{40}$/)
export const hash = matching('32 bytes in hex', /^0x[0-9a-f]{64}$/)
/** Of a market, or the 31 bytes of a combo. */
export const anyCondition = matching('a condition id', /^0x([0-9a-f]{64}|03[0-9a-f]{60})$/)
export const digits = matching('a string of digits', /^[0-9]+$/)
export const decimal = matching('a decimal string', /^(\d+\.?\d*|\.\d+)$/)
export const ms = expectation('a time in ms', (value) => isBetween(value, 1e12, 1e14))
export const seconds = expectation('a time in seconds', (value) => isBetween(value, 1e9, 1e11))

const isBetween = (value: unknown, min: number, max: number) =>
  Number.isSafeInteger(value) && Number(value) >= min && Number(value) < max

export const oneOf = (...values: readonly (string | number)[]): Shape =>
  expectation(`one of ${values.join(', ')}`, (value) => values.some((each) => each === value))

export const nullable =
  (shape: Shape): Shape =>
  (value, path, problems) => {
    if (value !== null) shape(value, path, problems)
  }

export const list =
  (item: Shape): Shape =>
  (value, path, problems) => {
    if (!Array.isArray(value)) {
      problems.push(`${path} must be an array, not ${showValue(value)}`)
      return
    }
    for (const [index, each] of value.entries()) item(each, `${path}[${index}]`, problems)
  }

/** An object with these fields; others are nothing to a client. */
export const object =
  (fields: Fields): Shape =>
  (value, path, problems) => {
    if (!isJson(value)) {
      problems.push(`${path} must be an object, not ${showValue(value)}`)
      return
    }
    for (const [name, field] of Object.entries(fields)) {
      const { shape, isOptional } = typeof field === 'function' ? required(field) : field
      if (isOptional && value[name] === undefined) continue
      shape(value[name], path === '' ? name : `${path}.${name}`, problems)
    }
  }

const required = (shape: Shape) => ({ shape, isOptional: false })

/** Fields that may be absent, but must not be null. */
export const optional = (fields: Readonly<Record<string, Shape>>): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, shape]) => [name, { shape, isOptional: true as const }]),
  )

/** Fields that may be absent or null. */
export const loose = (fields: Readonly<Record<string, Shape>>): Fields =>
  optional(Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, nullable(shape)])))
