/**
 * A whole number of 10^-scale as its shortest decimal text: (5100, 4) is "0.51". Up to six places and
 * fifteen digits a double prints exactly what was meant.
 */
export const decimal = (value: number, scale: number): string => String(value / 10 ** scale)
