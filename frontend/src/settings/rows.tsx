/** The rows of which settings are made: a switch, a list, a few choices side by side. */
import { type ReactNode, useId } from 'react';

interface Labelled {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly testid?: string | undefined;
  readonly disabled?: boolean | undefined;
}

interface SwitchProps extends Labelled {
  readonly on: boolean;
  readonly busy?: boolean | undefined;
  readonly turn: (on: boolean) => void;
}

export function SwitchRow({ label, hint, testid, disabled, busy, on, turn }: SwitchProps) {
  const id = useId();
  return (
    <button
      type="button"
      role="switch"
      className="setting-switch"
      data-testid={testid}
      aria-checked={on}
      aria-busy={busy}
      aria-labelledby={id}
      aria-describedby={hint ? `${id}-hint` : undefined}
      disabled={disabled}
      onClick={() => !busy && turn(!on)}
    >
      <span id={id}>{label}</span>
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </button>
  );
}

export interface Option {
  readonly value: string;
  readonly name: string;
  /** Under which heading it stands; those of one stand together. */
  readonly group?: string | undefined;
}

interface SelectProps extends Labelled {
  readonly busy?: boolean | undefined;
  readonly value: string;
  readonly options: readonly Option[];
  readonly pick: (value: string) => void;
  /** Stands beside the list, such as a button to try what is chosen. */
  readonly children?: ReactNode;
}

/** A value that is none of the options is shown by its name. */
export function SelectRow({ label, hint, testid, disabled, busy, value, options, pick, children }: SelectProps) {
  const id = useId();
  return (
    <div className="setting-row">
      <label htmlFor={id}>{label}</label>
      <div className="setting-value">
        <select
          id={id}
          data-testid={testid}
          value={value}
          disabled={disabled}
          aria-busy={busy}
          aria-describedby={hint ? `${id}-hint` : undefined}
          onChange={(event) => !busy && pick(event.target.value)}
        >
          {!options.some((option) => option.value === value) && <option value={value}>{value}</option>}
          {grouped(options).map(([group, members]) =>
            group === undefined ? (
              <Options key="" options={members} />
            ) : (
              <optgroup key={group} label={group}>
                <Options options={members} />
              </optgroup>
            ),
          )}
        </select>
        {children}
      </div>
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

function Options({ options }: { readonly options: readonly Option[] }) {
  return options.map(({ value, name }) => (
    <option key={value} value={value}>
      {name}
    </option>
  ));
}

function grouped(options: readonly Option[]): readonly (readonly [string | undefined, readonly Option[]])[] {
  return [...Map.groupBy(options, ({ group }) => group)];
}

type ChoiceProps<Value extends string> = Labelled & {
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly name: string }[];
  readonly pick: (value: Value) => void;
};

export function ChoiceRow<Value extends string>({ label, hint, testid, value, options, pick }: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset className="setting-choice" data-testid={testid} aria-describedby={hint ? `${name}-hint` : undefined}>
      <legend>{label}</legend>
      <div>
        {options.map((option) => (
          <label key={option.value} data-on={option.value === value}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => pick(option.value)}
            />
            {option.name}
          </label>
        ))}
      </div>
      {hint && <small id={`${name}-hint`}>{hint}</small>}
    </fieldset>
  );
}
