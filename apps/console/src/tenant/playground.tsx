import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Quote, WorkflowBody, WorkflowName } from '@atelier/client';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { Button, Radio, RadioGroup } from 'react-aria-components';
import { workflows } from 'virtual:workflows';
import { Link, useParams, useSearchParams } from 'wouter';
import { count, Credits, many } from '../shared/format.js';
import { Empty, Loaded, Page, Problem, Section } from '../shared/ui.js';
import { answered, ownClient, useAsked, useJob } from './api.js';
import { LiveJob } from './story.js';
import { BodyForm, type FieldErrors } from './body-form.js';
import { findWorkflow, isComplete, pruned, type OrderBody, type DescribedWorkflow } from './body-schema.js';
import { useExamples } from './example.js';
import { garmentOf, type Garment } from './samples.js';
import { snippets } from './snippets.js';

const usePrices = () =>
  useAsked(['operations'], async (atelier) => (await atelier.get('/v1/operations')).operations, {
    staleTime: 60_000,
  });

const inCredits = (credits: number) => many(credits, 'credit');

/** Lists the workflows that can be ordered. */
export function PlaygroundPage() {
  const prices = usePrices();
  return (
    <Page
      title="Playground"
      lead="Every workflow as a form: fill it in, see what it costs, watch the picture come."
    >
      <ul className="workflows">
        {workflows.map(({ name, summary }) => {
          const price = prices.data?.find((each) => each.name === name);
          return (
            <li key={name}>
              <Link href={`/order/${name}`} className="tile">
                <strong>{name}</strong>
                <span className="soft">{summary}.</span>
                <span className="about">
                  {price ? `${inCredits(price.credits_cost)}${price.enabled ? '' : ', switched off'}` : ' '}
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </Page>
  );
}

/** One workflow's form, empty or as an earlier job was ordered. */
export function OrderPage() {
  const { workflow: name } = useParams();
  const [search] = useSearchParams();
  const again = search.get('again');
  const workflow = findWorkflow(name);
  if (!workflow)
    return (
      <Page title="No such workflow">
        <Empty>
          <Link href="/playground">The playground</Link> lists all workflows.
        </Empty>
      </Page>
    );
  if (again !== null) return <OrderAgain key={again} workflow={workflow} jobId={again} />;
  const sample = garmentOf(search.get('sample'));
  return <Order key={`${name} ${sample}`} workflow={workflow} initial={{}} sample={sample} />;
}

function OrderAgain({ workflow, jobId }: { workflow: DescribedWorkflow; jobId: string }) {
  const query = useJob(jobId);
  if (query.data) return <Order workflow={workflow} initial={query.data.request ?? {}} />;
  return (
    <Page title={workflow.name}>
      <Loaded query={query} lines={10}>
        {() => null}
      </Loaded>
    </Page>
  );
}

interface OrderParts {
  readonly workflow: DescribedWorkflow;
  readonly initial: OrderBody;
  /** A photograph that fills the form in at once. */
  readonly sample?: Garment | undefined;
}

function Order({ workflow, initial, sample }: OrderParts) {
  const { name, summary, schema } = workflow;
  const [body, setBody] = useState(initial);
  // An example resets the form, with its state outside the body.
  const [version, setVersion] = useState(0);
  // An object without what was left empty stays an object.
  const sent = pruned(body) as OrderBody;
  const quote = useQuote(name, sent, isComplete(schema, sent));
  const { order, submit, change } = useOrder(name, sent);
  const refusal = order.error ?? quote.error;
  const fill = (value: OrderBody) => {
    setBody(value);
    setVersion(version + 1);
    change();
  };
  const { data: prices } = usePrices();
  const priceOf = (of: string) => prices?.find((each) => each.name === of)?.credits_cost;
  const costs = { model: priceOf('model-generator'), background: priceOf('background-generator') };
  const { buttons, note } = useExamples(workflow, costs, fill, sample);
  return (
    <Page title={name} lead={`${summary}.`} actions={buttons}>
      {note}
      <div className="playground">
        <form key={version} id="order" onSubmit={submit} aria-label="The order" noValidate>
          <BodyForm
            {...{ schema, workflow: name, path: '', errors: errorsOf(refusal) }}
            value={body}
            onChange={(next) => {
              setBody(next);
              change();
            }}
          />
        </form>
        <div className="beside">
          <Price name={name} quote={quote.data} />
          {refusal !== undefined && refusal !== null && (
            <Refused key={order.tries} error={refusal} sought={order.error !== undefined} />
          )}
          <div className="actions">
            <Button className="button primary" type="submit" form="order" isDisabled={order.busy}>
              {order.busy ? 'Ordering…' : 'Order'}
            </Button>
          </div>
          {order.jobId !== undefined && <LiveJob key={order.jobId} jobId={order.jobId} />}
          <Code workflow={name} body={sent} />
        </div>
      </div>
    </Page>
  );
}

interface OrderState {
  readonly busy?: boolean;
  readonly error?: unknown;
  readonly jobId?: string;
  /** So that a refusal that comes again is looked at again. */
  readonly tries?: number;
}

function useOrder(name: WorkflowName, body: OrderBody) {
  const [order, setOrder] = useState<OrderState>({});
  const queries = useQueryClient();
  // A second press after a lost answer sends the same order, so it is charged only once.
  const key = useRef<string>(undefined);
  const change = () => {
    key.current = undefined;
    setOrder(({ jobId, tries }) => ({ jobId, tries }));
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    key.current ??= crypto.randomUUID();
    setOrder(({ tries }) => ({ busy: true, tries }));
    try {
      // The server checks it, and reports the mistake at each field.
      const run = ownClient().run(name, body, { idempotencyKey: key.current });
      const { job_id: jobId } = await answered(run.accepted);
      key.current = undefined;
      setOrder({ jobId });
      await queries.invalidateQueries({ queryKey: ['credits'] });
    } catch (error) {
      setOrder(({ tries = 0 }) => ({ error, tries: tries + 1 }));
    }
  };
  return { order, change, submit: (event: FormEvent) => void submit(event) };
}

/** Requested once the form is filled in and typing pauses. */
function useQuote(name: WorkflowName, body: OrderBody, isFilled: boolean) {
  const text = JSON.stringify(body);
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), 400);
    return () => clearTimeout(timer);
  }, [text]);
  return useQuery({
    queryKey: ['quote', name, text],
    queryFn: ({ signal }) =>
      answered(ownClient().quote(name, JSON.parse(text) as WorkflowBody<WorkflowName>, { signal })),
    enabled: isFilled && settled === text,
    retry: false,
    gcTime: 0,
  });
}

function Price({ name, quote }: { name: string; quote: Quote | undefined }) {
  const price = usePrices().data?.find((each) => each.name === name);
  const cost = quote?.credits_cost ?? price?.credits_cost;
  return (
    <div className="price">
      <span className="value">
        <Credits value={cost} /> <small>credits</small>
      </span>
      <span className="soft" role="status">
        {quote
          ? `Checked: ${quote.would_be_accepted ? 'it would be accepted' : whyNot(quote)}. You have ${count(quote.balance)}.`
          : 'Checked when all required fields are filled in. Nothing is charged before you order.'}
      </span>
    </div>
  );
}

function whyNot({ sufficient, daily_cap_ok: isBelowCap }: Quote): string {
  if (!sufficient) return 'the balance does not cover it';
  return isBelowCap ? 'it would not be accepted' : 'the daily cap does not leave enough';
}

interface Detailed {
  readonly error: { readonly code: string; readonly message: string; readonly request_id?: string };
  readonly detail?: readonly { readonly loc: readonly (string | number)[]; readonly msg: string }[];
}

const hasDetail = (error: unknown): error is Detailed =>
  typeof error === 'object' && error !== null && 'detail' in error;

/** Messages by their place in the body. The first part of `loc` is always `body`. */
function errorsOf(error: unknown): FieldErrors {
  const detail = hasDetail(error) ? (error.detail ?? []) : [];
  return new Map(detail.map(({ loc, msg }) => [loc.slice(1).join('.'), msg]));
}

function goToFirst(): void {
  const wrong = document.querySelector('.wrong');
  wrong?.closest('details')?.setAttribute('open', '');
  wrong?.scrollIntoView({ block: 'center' });
  wrong?.querySelector<HTMLElement>('input, select, textarea, button')?.focus({ preventScroll: true });
}

/** The fields show their own mistakes. This shows the number of mistakes, and a link to the first. */
function Refused({ error, sought }: { error: unknown; sought: boolean }) {
  const isInFields = hasDetail(error) && Boolean(error.detail?.length);
  useEffect(() => {
    if (sought && isInFields) goToFirst();
  }, [sought, isInFields]);
  if (!hasDetail(error) || !error.detail?.length) return <Problem error={error} sought={sought} />;
  const { length } = error.detail;
  return (
    <div className="problem" role="alert">
      <strong>
        {length === 1 ? 'One field is not right yet.' : `${length} fields are not right yet.`} Nothing was
        charged.
      </strong>
      <Button className="button small" onPress={goToFirst}>
        Go to {length === 1 ? 'it' : 'the first'}
      </Button>
    </div>
  );
}

const languages = ['curl', 'TypeScript', 'Python'] as const;

/** The order as a program, to copy. */
function Code({ workflow, body }: { workflow: string; body: OrderBody }) {
  const [language, choose] = useState<(typeof languages)[number]>('curl');
  const [copied, setCopied] = useState('');
  const code = snippets[language](location.origin, workflow, body);
  const copy = () => void navigator.clipboard.writeText(code).then(() => setCopied(code));
  return (
    <Section
      title="The same as a program"
      actions={
        <Button className="button small" onPress={copy}>
          {copied === code ? 'Copied' : 'Copy'}
        </Button>
      }
    >
      <RadioGroup
        className="choice"
        aria-label="Language"
        orientation="horizontal"
        value={language}
        // One of the list.
        onChange={(value) => choose(value as typeof language)}
      >
        {languages.map((each) => (
          <Radio key={each} value={each}>
            {each}
          </Radio>
        ))}
      </RadioGroup>
      {/* Long ones are scrolled by keyboard, too. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} aria-label={`The order in ${language}`}>
        {code}
      </pre>
    </Section>
  );
}
