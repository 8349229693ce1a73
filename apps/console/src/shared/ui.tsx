import type { UseQueryResult } from '@tanstack/react-query';
import {
  createContext,
  useContext,
  useEffect,
  useRef,
  useState,
  type ReactNode,
  type SubmitEvent,
} from 'react';
import { Button, Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components';

interface PageParts {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, lead, actions, children }: PageParts) {
  useEffect(() => {
    document.title = `${title} · Atelier`;
  }, [title]);
  return (
    <main id="page" tabIndex={-1}>
      <div className="head">
        <div>
          <h1>{title}</h1>
          {lead !== undefined && <p className="soft">{lead}</p>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </div>
      {children}
    </main>
  );
}

export function Section({ title, lead, actions, children }: PageParts) {
  return (
    <section aria-label={title}>
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
      {lead !== undefined && <p className="soft">{lead}</p>}
      {children}
    </section>
  );
}

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ReactNode;
  readonly number?: boolean;
}

interface TableParts<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** A text for an empty table, with the next step. */
  readonly empty: ReactNode;
  readonly chosen?: ReadonlySet<string>;
  readonly choose?: (keys: ReadonlySet<string>) => void;
}

/** The roles are explicit, because cards on a narrow screen remove them from the elements. */
export function Table<Row>({ label, rows, columns, keyOf, empty, chosen, choose }: TableParts<Row>) {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  const turn = (key: string) => {
    const next = new Set(chosen);
    if (!next.delete(key)) next.add(key);
    choose?.(next);
  };
  return (
    // The keyboard can also scroll a table that is wider than the screen.
    <div className="table" role="region" aria-label={label} tabIndex={0}>
      <table role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {choose && (
              <th role="columnheader">
                <span className="hidden">Chosen</span>
              </th>
            )}
            {columns.map(({ head, number }) => (
              <th key={head} role="columnheader" className={number ? 'number' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => {
            const key = keyOf(row);
            return (
              <tr key={key} role="row">
                {choose && (
                  <td role="cell" data-head="chosen">
                    <input
                      type="checkbox"
                      aria-label={`Choose ${key}`}
                      checked={chosen?.has(key) ?? false}
                      onChange={() => turn(key)}
                    />
                  </td>
                )}
                {columns.map(({ head, number, cell }) => (
                  <td key={head} role="cell" data-head={head} className={number ? 'number' : undefined}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

export function Empty({ children }: { children: ReactNode }) {
  // One child, so that links and code stay within their sentence.
  return (
    <div className="empty">
      <div>{children}</div>
    </div>
  );
}

/** The answer of a server that refuses. */
interface Refusal {
  readonly error: { readonly code: string; readonly message: string; readonly request_id?: string };
  readonly detail?: readonly { readonly loc: readonly unknown[]; readonly msg: string }[];
}

/** Both servers answer with this body whenever they refuse. */
export const isRefusal = (error: unknown): error is Refusal =>
  typeof error === 'object' && error !== null && 'error' in error;

/** Scrolls to the new content if it is out of sight. */
export function useSought<Place extends HTMLElement>(sought: boolean) {
  const place = useRef<Place>(null);
  useEffect(() => {
    if (sought) place.current?.scrollIntoView({ block: 'nearest' });
  }, [sought]);
  return place;
}

interface ProblemParts {
  readonly error: unknown;
  readonly again?: () => void;
  /** It is the answer to the latest request. */
  readonly sought?: boolean;
}

/** A refusal itself says what to do. Without one, the server was not reached. */
export function Problem({ error, again, sought = false }: ProblemParts) {
  const place = useSought<HTMLDivElement>(sought);
  const { error: what, detail = [] } = isRefusal(error)
    ? error
    : {
        error: {
          code: 'NOT REACHED',
          message: 'The server does not answer. Is it running, and are you online?',
        },
      };
  return (
    <div ref={place} className="problem" role="alert">
      <strong>{what.message}</strong>
      {detail.length > 0 && (
        <ul>
          {detail.map(({ loc, msg }) => (
            <li key={loc.join('.')}>
              {String(loc.at(-1))}: {msg}
            </li>
          ))}
        </ul>
      )}
      <span className="soft">
        {what.code}
        {what.request_id !== undefined && (
          <>
            , request <span className="id">{what.request_id}</span>
          </>
        )}
      </span>
      {again && (
        <Button className="button small" onPress={again}>
          Try again
        </Button>
      )}
    </div>
  );
}

export function Skeleton({ lines = 6 }: { lines?: number }) {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_none, line) => (
        <i key={line} />
      ))}
    </div>
  );
}

interface LoadedParts<Data> {
  readonly query: UseQueryResult<Data, unknown>;
  readonly lines?: number;
  readonly children: (data: Data) => ReactNode;
}

/** The last data stays, even if a refresh fails. It then shows its age. */
export function Loaded<Data>({ query, lines, children }: LoadedParts<Data>) {
  const { data, error, refetch, dataUpdatedAt } = query;
  const again = () => void refetch();
  if (data === undefined) return error ? <Problem error={error} again={again} /> : <Skeleton lines={lines} />;
  return (
    <>
      {error !== null && (
        <div className="problem mild" role="alert">
          <span>
            This was read at {new Date(dataUpdatedAt).toLocaleTimeString()}. It cannot be updated now.
          </span>
          <Button className="button small" onPress={again}>
            Try again
          </Button>
        </div>
      )}
      {children(data)}
    </>
  );
}

interface FieldParts {
  readonly label: string;
  readonly name?: string;
  readonly hint?: string;
  readonly value?: string;
  readonly onChange?: (value: string) => void;
  readonly required?: boolean;
}

interface TextFieldParts extends FieldParts {
  readonly type?: 'text' | 'number' | 'password' | 'datetime-local';
  readonly placeholder?: string;
  readonly initial?: string;
  readonly min?: number;
}

export function TextField({
  label,
  hint,
  onChange,
  value,
  initial,
  type = 'text',
  ...input
}: TextFieldParts) {
  return (
    <label className="field">
      <span>{label}</span>
      <input
        {...input}
        {...(onChange
          ? { value, onChange: (event) => onChange(event.target.value) }
          : { defaultValue: initial })}
        type={type}
        autoComplete="off"
        spellCheck={false}
      />
      {hint !== undefined && <span className="hint">{hint}</span>}
    </label>
  );
}

interface SelectParts extends FieldParts {
  /** Value and words of each. */
  readonly options: readonly (readonly [value: string, words: string])[];
}

export function Select({ label, hint, onChange, value, options, ...select }: SelectParts) {
  return (
    <label className="field">
      <span>{label}</span>
      <select {...select} {...(onChange && { value, onChange: (event) => onChange(event.target.value) })}>
        {options.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
      {hint !== undefined && <span className="hint">{hint}</span>}
    </label>
  );
}

const SayContext = createContext<(words: string) => void>(() => undefined);

/** Reports a finished action, for a while and also to screen readers. */
export const useSay = () => useContext(SayContext);

export function Saying({ children }: { children: ReactNode }) {
  const [words, say] = useState('');
  useEffect(() => {
    const forget = setTimeout(() => say(''), 8_000);
    return () => clearTimeout(forget);
  }, [words]);
  return (
    <SayContext value={say}>
      {children}
      <output className="said">{words}</output>
    </SayContext>
  );
}

interface ActionParts {
  /** On the button that opens it. */
  readonly label: string;
  readonly title: string;
  /** The effect of the action, and its cost. */
  readonly children?: ReactNode;
  /** On the button that does it. */
  readonly confirm: string;
  readonly danger?: boolean;
  readonly small?: boolean;
  readonly disabled?: boolean;
  readonly wide?: boolean;
  /**
   * For an effect that depends on the form: a second button shows it. The action can be confirmed only after that,
   * until a field changes.
   */
  readonly look?: {
    readonly label: string;
    readonly ask: (form: FormData) => Promise<ReactNode>;
  };
  /** @returns a line about the result, or content to show, such as a secret */
  readonly act: (form: FormData) => Promise<string | ReactNode>;
}

/** One press alone never starts an action. The dialog first names the effect, and then shows the result. */
export function Action({ label, danger, small, disabled, wide, ...rest }: ActionParts) {
  const classes = ['button', danger && 'danger', small && 'small'].filter(Boolean).join(' ');
  return (
    <DialogTrigger>
      <Button className={classes} isDisabled={disabled}>
        {label}
      </Button>
      <ModalOverlay className="veil" isDismissable>
        <Modal className={wide ? 'modal wide' : 'modal'}>
          <Dialog>{({ close }) => <ActionForm {...rest} danger={danger} close={close} />}</Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  );
}

type FormParts = Pick<ActionParts, 'title' | 'children' | 'confirm' | 'danger' | 'look' | 'act'> & {
  close: () => void;
};

interface FormState {
  readonly busy?: boolean;
  readonly error?: unknown;
  /** The effect, before the action. */
  readonly seen?: ReactNode;
  /** The result. */
  readonly shown?: ReactNode;
}

function ActionForm({ title, children, confirm, danger, look, act, close }: FormParts) {
  const say = useSay();
  const [state, setState] = useState<FormState>({});
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const looks = event.submitter?.getAttribute('value') === 'look';
    setState({ busy: true });
    try {
      if (look && looks) return setState({ seen: await look.ask(form) });
      const done = await act(form);
      if (typeof done !== 'string') return setState({ shown: done });
      say(done);
      close();
    } catch (error) {
      setState({ error });
    }
  };
  if (state.shown !== undefined)
    return (
      <div className="body">
        <Heading slot="title">{title}</Heading>
        {state.shown}
        <div className="actions">
          <Button className="button primary" onPress={close}>
            Close
          </Button>
        </div>
      </div>
    );
  return (
    <form onSubmit={(event) => void submit(event)} onChange={look && (() => setState({}))}>
      <Heading slot="title">{title}</Heading>
      {children}
      {state.seen}
      {state.error !== undefined && <Problem error={state.error} sought />}
      <div className="actions">
        <Button className="button" onPress={close}>
          Back
        </Button>
        {/* The first of the form: the key Enter presses it. */}
        {look && (
          <Button className="button" type="submit" value="look" isDisabled={state.busy}>
            {look.label}
          </Button>
        )}
        <Button
          className={danger ? 'button primary danger' : 'button primary'}
          type="submit"
          isDisabled={state.busy || (look && state.seen === undefined)}
        >
          {state.busy ? 'Working…' : confirm}
        </Button>
      </div>
    </form>
  );
}

/** The text of a form's field; undefined if it is empty. */
export function textOf(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

export function numberOf(form: FormData, name: string): number | undefined {
  const text = textOf(form, name);
  return text === undefined ? undefined : Number(text);
}

export function JsonDetails({ of, label = 'JSON' }: { of: unknown; label?: string }) {
  return (
    <details>
      <summary className="soft">{label}</summary>
      <Json of={of} />
    </details>
  );
}

export function Json({ of }: { of: unknown }) {
  // Long ones are scrolled by keyboard, too.
  return <pre tabIndex={0}>{JSON.stringify(of, null, 2)}</pre>;
}

/** Names and values. Missing values are left out. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  const there = of.filter(([, value]) => value !== null && value !== undefined && value !== false);
  return (
    <dl className="facts">
      {there.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
