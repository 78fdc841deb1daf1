/** As milliseconds it is 1973; as seconds it is the year 5138: a time below it is meant in seconds. */
export const MILLISECONDS_MIN = 100_000_000_000
