import { useId, useState, type ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { Choices } from './choices.js';
import { PictureInput } from './picture-input.js';
import {
  formFieldsOf,
  kindOf,
  neededFirst,
  resolved,
  titleOf,
  type OrderBody,
  type BodySchema,
} from './body-schema.js';

/** The server's messages by place in the body: `items.0.trial_image`. */
export type FieldErrors = ReadonlyMap<string, string>;

interface Place {
  readonly workflow: string;
  readonly schema: BodySchema;
  /** From the body to here. */
  readonly path: string;
  readonly errors: FieldErrors;
}

interface FieldParts extends Place {
  readonly name: string;
  readonly required: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

interface FieldsParts extends Place {
  readonly value: OrderBody;
  readonly onChange: (value: OrderBody) => void;
}

/** A body as a form: first the fields of this workflow, then the fields that most workflows have. */
export function BodyForm(parts: FieldsParts) {
  const { own, common } = formFieldsOf(parts.schema);
  const [open, setOpen] = useState(common.some(([name]) => parts.value[name] !== undefined));
  const isWrong = common.some(([name]) => parts.errors.has(name));
  return (
    <>
      <Fields {...parts} fields={own} />
      {common.length > 0 && (
        <details
          className="more-fields"
          open={open || isWrong}
          onToggle={(event) => setOpen(event.currentTarget.open)}
        >
          <summary>More: model, size, seed, names</summary>
          <Fields {...parts} fields={common} />
        </details>
      )}
    </>
  );
}

function Fields({ fields, value, onChange, ...place }: FieldsParts & { fields: [string, BodySchema][] }) {
  const { required = [] } = resolved(place.schema);
  return (
    <div className="fields">
      {fields.map(([name, schema]) => (
        <Field
          key={name}
          {...place}
          schema={resolved(schema)}
          path={place.path === '' ? name : `${place.path}.${name}`}
          name={name}
          required={required.includes(name)}
          value={value[name]}
          onChange={(next) => onChange({ ...value, [name]: next })}
        />
      ))}
    </div>
  );
}

function Field(parts: FieldParts) {
  const id = useId();
  const { name, path, schema, required, errors } = parts;
  const kind = kindOf(schema);
  const error = errors.get(path);
  const isGroup = kind === 'object' || kind === 'list';
  const described = {
    'aria-invalid': error !== undefined,
    'aria-describedby': `${id}-about`,
    ...(required && { 'aria-required': true }),
  };
  const words = (
    <>
      {titleOf(name)} <code className="soft">{name}</code>
      {required && <span className="needed"> needed</span>}
    </>
  );
  const about = (
    <div id={`${id}-about`} className="about">
      {error !== undefined && <p className="bad">{error}</p>}
      {schema.description !== undefined && <p className="hint">{inCode(schema.description)}</p>}
    </div>
  );
  const classes = ['form-field', `of-${kind}`, error !== undefined && 'wrong'].filter(Boolean).join(' ');
  if (isGroup)
    return (
      <fieldset className={classes} aria-describedby={`${id}-about`}>
        <legend>{words}</legend>
        {about}
        {kind === 'list' ? <List {...parts} /> : <Part {...parts} />}
      </fieldset>
    );
  return (
    <div className={classes}>
      <label htmlFor={id}>{words}</label>
      <Control {...parts} id={id} described={described} />
      {about}
    </div>
  );
}

/** Shows text between backticks as code. */
const inCode = (text: string) =>
  text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));

/** An object that may be left out is added first. */
function Part({ required, value, onChange, ...place }: FieldParts) {
  if (value === undefined && !required)
    return (
      <Button className="button small" onPress={() => onChange({})}>
        Add
      </Button>
    );
  return (
    <>
      <Fields
        {...place}
        fields={neededFirst(Object.entries(place.schema.properties ?? {}), place.schema.required)}
        // The form made it, or an example that the schema describes.
        value={(value ?? {}) as OrderBody}
        onChange={onChange}
      />
      {!required && (
        <Button className="button small" onPress={() => onChange(undefined)}>
          Leave out
        </Button>
      )}
    </>
  );
}

function List({ schema, required, value, onChange, path, name, errors, ...place }: FieldParts) {
  const item = resolved(schema.items ?? {});
  const given = Array.isArray(value) ? (value as unknown[]) : [];
  // Required entries are shown at once, so that the user need not add them first.
  const least = required ? (schema.minItems ?? 0) : 0;
  const list: unknown[] = [...given, ...Array<undefined>(Math.max(0, least - given.length))];
  if (item.enum)
    return (
      <div className="checks">
        {item.enum.map((each) => (
          <label key={each} className="check">
            <input
              type="checkbox"
              checked={given.includes(each)}
              onChange={({ target }) =>
                onChange(target.checked ? [...given, each] : given.filter((other) => other !== each))
              }
            />
            {each.replaceAll('_', ' ')}
          </label>
        ))}
      </div>
    );
  const set = (at: number, next: unknown) =>
    onChange(list.map((each, index) => (index === at ? next : each)));
  return (
    <>
      {list.map((each, at) => {
        const itemPath = `${path}.${at}`;
        const parts = { ...place, errors, schema: item, path: itemPath, value: each, name, required: true };
        return (
          // Rows have no names of their own, so their position is their key. oxlint-disable-next-line react/no-array-index-key
          <div key={at} className="row">
            <Item {...parts} at={at} onChange={(next) => set(at, next)} />
            {list.length > least && (
              <Button
                className="button small plain"
                aria-label={`Remove ${titleOf(name)} ${at + 1}`}
                onPress={() => onChange(list.toSpliced(at, 1))}
              >
                Remove
              </Button>
            )}
          </div>
        );
      })}
      {list.length < (schema.maxItems ?? Infinity) && (
        <Button
          className="button small"
          onPress={() => onChange([...list, kindOf(item) === 'object' ? {} : ''])}
        >
          {list.length === 0 ? 'Add' : 'Add another'}
        </Button>
      )}
    </>
  );
}

function Item({ at, ...parts }: FieldParts & { at: number }) {
  const id = useId();
  const error = parts.errors.get(parts.path);
  const label = `${titleOf(parts.name)} ${at + 1}`;
  if (kindOf(parts.schema) === 'object')
    return (
      <div role="group" aria-label={label} className="item">
        <Part {...parts} />
      </div>
    );
  return (
    <div className={error === undefined ? 'item' : 'item wrong'}>
      <label htmlFor={id} className="hidden">
        {label}
      </label>
      <Control {...parts} id={id} described={{ 'aria-invalid': error !== undefined }} />
      {error !== undefined && <p className="bad">{error}</p>}
    </div>
  );
}

interface ControlParts extends FieldParts {
  readonly id: string;
  readonly described: object;
}

const textOfValue = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

const yesAndNo = [
  ['true', 'yes'],
  ['false', 'no'],
] as const;

function Control({ workflow, schema, id, described, name, value, onChange }: ControlParts) {
  const text = textOfValue(value);
  const chosen = text === '' ? undefined : text;
  const input = { id, ...described, value: text, autoComplete: 'off' };
  const kind = kindOf(schema);
  if (kind === 'picture')
    return <PictureInput {...{ id, described, onChange, label: titleOf(name), value: chosen }} />;
  if (kind === 'choices')
    return (
      <Choices
        {...{ id, described, workflow, onChange, label: titleOf(name), value: chosen }}
        list={schema['x-choices'] ?? ''}
      />
    );
  if (kind === 'enum') {
    const options = (schema.enum ?? []).map((each) => [each, each.replaceAll('_', ' ')] as const);
    return <Options {...{ input, options }} onChange={(next) => onChange(next || undefined)} />;
  }
  if (kind === 'boolean')
    return (
      <Options
        input={{ ...input, value: typeof value === 'boolean' ? String(value) : '' }}
        options={yesAndNo}
        onChange={(next) => onChange(next === '' ? undefined : next === 'true')}
      />
    );
  if (kind === 'json') return <JsonField {...{ id, described, value, onChange }} />;
  const change = (next: string) => onChange(kind === 'number' ? numberIn(next) : next || undefined);
  const placeholder = schema.example === undefined ? '' : `for example ${textOfValue(schema.example)}`;
  if ((schema.maxLength ?? 0) > 256)
    return (
      <textarea
        {...input}
        rows={2}
        placeholder={placeholder}
        onChange={({ target }) => change(target.value)}
      />
    );
  return (
    <input
      {...input}
      inputMode={kind === 'number' ? 'decimal' : undefined}
      placeholder={placeholder}
      maxLength={kind === 'text' ? schema.maxLength : undefined}
      onChange={({ target }) => change(target.value)}
    />
  );
}

/** Text that is no number is sent unchanged, and the server reports the mistake. */
function numberIn(text: string): number | string | undefined {
  if (text.trim() === '') return undefined;
  return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
}

interface OptionsParts {
  readonly input: { readonly id: string; readonly value: string };
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly onChange: (value: string) => void;
}

function Options({ input, options, onChange }: OptionsParts): ReactNode {
  return (
    <select {...input} onChange={({ target }) => onChange(target.value)}>
      <option value="">–</option>
      {options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}

type JsonFieldParts = Pick<ControlParts, 'id' | 'described' | 'value' | 'onChange'>;

/**
 * Free form. Text that is not yet JSON is kept as written and sent as text. The server's refusal then names the
 * field.
 */
function JsonField({ id, described, value, onChange }: JsonFieldParts) {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)));
  const change = (next: string) => {
    setText(next);
    try {
      onChange(next.trim() === '' ? undefined : JSON.parse(next));
    } catch {
      onChange(next);
    }
  };
  return (
    <textarea
      id={id}
      {...described}
      className="mono"
      rows={3}
      placeholder={'{ "order": 4711 }'}
      spellCheck={false}
      value={text}
      onChange={({ target }) => change(target.value)}
    />
  );
}
