/** Variables of the environment of a process. */
type Variables = { readonly [name: string]: string }

/** For a process whose heap may have this many megabytes: it collects garbage all the time, and ends when that is not enough. */
export const limitHeap = (megabytes: number): Variables => ({
  NODE_OPTIONS: `--max-old-space-size=${megabytes}`,
})

/** One environment of several; options for Node.js are added to each other. */
export function joinVariables(...all: readonly Variables[]): Variables {
  const options = all.flatMap(({ NODE_OPTIONS }) => NODE_OPTIONS ?? [])
  return { ...Object.assign({}, ...all), ...(options.length > 0 && { NODE_OPTIONS: options.join(' ') }) }
}
