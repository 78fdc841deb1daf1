/** Unix time in hours. */
export const hourOf = (timeSec: number): number => Math.floor(timeSec / 3600)
