/** `proxyWallet` → `proxy_wallet`. */
const toSnake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A row of the first version as the second version names its fields. */
export function toSnakeRow(row: object): object {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key === 'asset' ? 'token_id' : toSnake(key), value]),
  )
}

/** The first version takes camelCase keys alone; all others are ignored. */
export function readCamelQuery(query: URLSearchParams): URLSearchParams {
  return toSnakeQuery([...query].filter(([key]) => !key.includes('_')))
}

/** The second version takes both spellings, and two names for a condition. */
export function readEitherQuery(query: URLSearchParams): URLSearchParams {
  const entries = toSnakeQuery([...query])
  return new URLSearchParams(
    [...entries].map(([key, value]): [string, string] => [key === 'condition' ? 'condition_id' : key, value]),
  )
}

const toSnakeQuery = (entries: [string, string][]): URLSearchParams =>
  new URLSearchParams(entries.map(([key, value]): [string, string] => [toSnake(key), value]))
