import type { Answer } from 'auspex-client'

type Rule = Answer<'/v3/webhooks/event-types'>['filter_rules'][number]

/** What the reader has typed for each filter. */
export type FilterTexts = Readonly<Record<string, string>>

type FilterFieldsProps = {
  rules: readonly Rule[]
  required: ReadonlySet<string>
  texts: FilterTexts
  onChange: (texts: FilterTexts) => void
}

/** A field for each filter; values of a list stand on lines of their own. */
export const FilterFields = ({ rules, required, texts, onChange }: FilterFieldsProps) =>
  rules.map(({ name, kind, description, values }) => {
    const field = {
      value: texts[name] ?? '',
      required: required.has(name),
      onChange: ({ target }: { target: { value: string } }) => onChange({ ...texts, [name]: target.value }),
    }
    return (
      // biome-ignore lint/a11y/noLabelWithoutControl: each kind of filter has one
      <label key={name}>
        <span>
          {name} {required.has(name) && '(needed)'}: {description}
        </span>
        {kind === 'list' && <textarea rows={2} placeholder="one in each line" {...field} />}
        {kind === 'choice' && (
          <select {...field}>
            <option value="">any</option>
            {values?.map((value) => (
              <option key={value}>{value}</option>
            ))}
          </select>
        )}
        {(kind === 'number' || kind === 'integer') && (
          <input type="number" min={0} step={kind === 'integer' ? 1 : 'any'} {...field} />
        )}
      </label>
    )
  })

/** The filters as the API takes them; what is empty is left out. */
export function readFilters(rules: readonly Rule[], texts: FilterTexts): Record<string, unknown> {
  const given = rules.filter(({ name }) => (texts[name] ?? '').trim() !== '')
  return Object.fromEntries(given.map(({ name, kind }) => [name, readFilter(kind, texts[name] ?? '')]))
}

function readFilter(kind: Rule['kind'], text: string): string | number | string[] {
  if (kind === 'list') return text.split(/[\s,]+/).filter((item) => item !== '')
  return kind === 'choice' ? text : Number(text)
}
