import { showValue } from '../lib/show-value.js'
import type { ArgumentSchema, Operations } from './operations.js'
import { type Arguments, type Tool, ToolError } from './tool.js'

/** What an answer may have at most unless the caller says otherwise. */
const ANSWER_BYTES = 8_000
const ANSWER_BYTES_MIN = 2_000
const ANSWER_BYTES_MAX = 32_000

const MAX_BYTES: ArgumentSchema = {
  type: 'integer',
  minimum: ANSWER_BYTES_MIN,
  maximum: ANSWER_BYTES_MAX,
  default: ANSWER_BYTES,
  description: 'bytes of the answer at most; what does not fit comes with the cursor',
}

export type InputSchema = {
  type: 'object'
  properties: { [name: string]: ArgumentSchema }
  required: string[]
  additionalProperties: false
}

/** The arguments of a tool as a schema, with what the API says of the parameters that they are. */
export function describeArguments(tool: Tool, operations: Operations): InputSchema {
  const properties = Object.entries(tool.arguments).map(([name, source]): [string, ArgumentSchema] => {
    if (!('operation' in source)) return [name, source]
    const schema = operations.get(source.operation)?.parameters.get(source.parameter)
    if (schema === undefined) {
      throw new Error(`${tool.name}: ${source.operation} has no parameter ${source.parameter}`)
    }
    return [name, name === 'limit' && tool.limit !== undefined ? { ...schema, default: tool.limit } : schema]
  })
  return {
    type: 'object',
    properties: { ...Object.fromEntries(properties), max_bytes: MAX_BYTES },
    required: [...(tool.required ?? [])],
    additionalProperties: false,
  }
}

/**
 * What a model gave, once names and kinds are right; values of parameters are checked by the API. Throws a `ToolError`
 * that names the argument.
 */
export function checkArguments(
  tool: Tool,
  schema: InputSchema,
  passed: Readonly<Record<string, unknown>>,
): Arguments {
  const isParameter = (name: string) => 'operation' in (tool.arguments[name] ?? {})
  const names = Object.keys(schema.properties)
  const checked = Object.entries(passed).flatMap(([name, value]): [string, Arguments[string]][] => {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    if (property === undefined) {
      throw new ToolError(`Unknown argument ${showValue(name)}. Allowed: ${names.join(', ')}`)
    }
    if (value === null || value === undefined) return []
    return [[name, isParameter(name) ? checkScalar(name, value) : checkOwn(name, property, value)]]
  })
  const args = Object.fromEntries(checked)
  const missing = schema.required.find((name) => args[name] === undefined || args[name] === '')
  if (missing === undefined) return args
  const { description = '' } = schema.properties[missing] ?? {}
  throw new ToolError(`The argument ${missing} is missing${description === '' ? '' : `: ${description}`}.`)
}

function checkOwn(name: string, schema: ArgumentSchema, value: unknown): Arguments[string] {
  if (schema.type === 'array') {
    const items = Array.isArray(value) ? value : [value]
    if (items.every((item) => typeof item === 'string')) return items
    throw invalid(name, 'must be a list of texts', value)
  }
  if (schema.type === 'integer' && schema.minimum !== undefined && schema.maximum !== undefined) {
    const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
    if (typeof number === 'number' && Number.isInteger(number)) {
      if (number >= schema.minimum && number <= schema.maximum) return number
    }
    throw invalid(name, `must be an integer from ${schema.minimum} to ${schema.maximum}`, value)
  }
  return checkScalar(name, value)
}

function checkScalar(name: string, value: unknown): Arguments[string] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  throw invalid(name, 'must be a text, a number or a boolean', value)
}

const invalid = (name: string, problem: string, value: unknown) =>
  new ToolError(`Invalid ${name}: it ${problem}, not ${showValue(value)}.`)

/** The most that the answer to a call may have. */
export const answerBytesMax = ({ max_bytes = ANSWER_BYTES }: Arguments): number => Number(max_bytes)
