export const NAME_LENGTH_MAX = 100

/** No control characters: names are shown in terminals and logs. */
export const NAME_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$'
