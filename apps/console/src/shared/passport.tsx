import type { ReactNode } from 'react';
import { Id, Time } from './format.js';

interface Credentials {
  readonly valid: boolean;
  readonly problems: readonly string[];
  readonly signed_by: { readonly subject: string; readonly fingerprint: string } | null;
  readonly time_stamp: {
    readonly status: string;
    readonly time: string | null;
    readonly authority: string | null;
  } | null;
}

interface ProvenFile {
  readonly asset_id: string;
  readonly sha256: string | null;
  readonly available: boolean;
  readonly erased_at: string | null;
  readonly credentials: Credentials | null;
}

/** As both APIs give it. */
export interface PassportData {
  readonly public_id: string;
  readonly engine: string;
  readonly model: string;
  readonly ordered_at: string;
  readonly finished_at: string;
  readonly order: {
    readonly stream: string;
    readonly revision: number;
    readonly position: string;
    readonly seal: { readonly number: number; readonly root: string; readonly key: string } | null;
  };
  readonly inputs: readonly (ProvenFile & { readonly name: string })[];
  readonly pictures: readonly (ProvenFile & { readonly kind: string })[];
}

const inWords = (name: string) => name.replaceAll('_', ' ');

/** The chain from the inputs of a job to its pictures, and how to check each link without this service. */
export function Passport({ of }: { of: PassportData }) {
  const { order, inputs, pictures, engine, model } = of;
  return (
    <>
      <ol className="timeline">
        {inputs.map((input) => (
          <ChainLink key={input.asset_id} kind="Input" file={input}>
            <strong>{inWords(input.name)}</strong>
            {input.credentials && (
              <span>It arrived with Content Credentials: {held(input.credentials)}.</span>
            )}
          </ChainLink>
        ))}
        <ChainLink kind="Order">
          <span>
            <strong>Event {order.position} of the log</strong>, <Time at={of.ordered_at} whole />
          </span>
          <span className="id soft">
            {order.stream}, revision {order.revision}
          </span>
          {order.seal ? (
            <span>
              Under seal {order.seal.number}, with the root <Id id={order.seal.root} />
            </span>
          ) : (
            <span className="warn">No seal covers it yet. The next one will.</span>
          )}
        </ChainLink>
        <ChainLink kind="Made">
          <span>
            <strong>{model}</strong>, by {engine}, <Time at={of.finished_at} whole />
          </span>
        </ChainLink>
        {pictures.map((picture) => (
          <ChainLink key={picture.asset_id} kind="Picture" file={picture} good>
            <strong>{inWords(picture.kind)}</strong>
            {picture.credentials && <span>{signature(picture.credentials)}</span>}
            {picture.credentials?.time_stamp && <span>{stamp(picture.credentials.time_stamp)}</span>}
            {picture.credentials === null && picture.available && <span>It has no Content Credentials.</span>}
          </ChainLink>
        ))}
      </ol>
      <CheckIt of={of} />
    </>
  );
}

interface ChainLinkParts {
  readonly kind: string;
  readonly file?: ProvenFile;
  readonly good?: boolean;
  readonly children: ReactNode;
}

function ChainLink({ kind, file, good = false, children }: ChainLinkParts) {
  return (
    <li className={good && file?.available ? 'good' : ''}>
      <span className="when">{kind}</span>
      <div className="what">
        {children}
        {file && <Hash of={file} />}
      </div>
    </li>
  );
}

function Hash({ of: { sha256, available, erased_at: erasedAt } }: { of: ProvenFile }) {
  return (
    <span className="soft">
      {sha256 === null ? (
        'The hash was erased with the words of the job'
      ) : (
        <>
          SHA-256 <Id id={sha256} />
        </>
      )}
      {erasedAt !== null && (
        <>
          . Erased <Time at={erasedAt} whole />
        </>
      )}
      {erasedAt === null && !available && <span className="bad">. Its bytes are not in the storage</span>}
    </span>
  );
}

const held = ({ valid, problems }: Credentials) =>
  valid ? 'they hold' : `not valid, ${problems.join(', ')}`;

function signature(credentials: Credentials): string {
  const { valid, problems, signed_by: signer } = credentials;
  if (!valid) return `Its Content Credentials do not hold: ${problems.join(', ')}.`;
  return `Its Content Credentials hold. Signed by ${signer?.subject ?? 'an unknown certificate'}.`;
}

function stamp({ status, time, authority }: NonNullable<Credentials['time_stamp']>): string {
  if (status === 'timeStamp.trusted') return `${authority} confirms that it was signed on ${time}.`;
  if (status === 'timeStamp.untrusted') return `Time-stamp ${time} by ${authority}, who is not trusted here.`;
  return `Its time-stamp confirms nothing: ${status}.`;
}

/** The commands need neither this service nor a network. */
function CheckIt({ of: { public_id: job, order, pictures } }: { of: PassportData }) {
  const certificate = pictures.find(({ credentials }) => credentials?.signed_by)?.credentials?.signed_by;
  return (
    <details>
      <summary>Check it yourself</summary>
      <ol className="steps">
        <li>
          Download the picture, and compare its hash.
          <Command>sha256sum FILE</Command>
          {pictures.map(({ asset_id: id, sha256 }) => sha256 !== null && <Whole key={id} value={sha256} />)}
        </li>
        <li>
          Check that it is what was signed. Other programs for C2PA can do that, too.
          <Command>atelier provenance verify FILE</Command>
          {certificate && (
            <>
              The certificate that signed has this SHA-256:
              <Whole value={certificate.fingerprint} />
            </>
          )}
        </li>
        {order.seal && (
          <li>
            Check the seal over the order. Its public key must be the one that the operator publishes, which
            <code> atelier seal key</code> prints.
            <Whole value={order.seal.key} />
            <Command>atelier ledger prove-order --job {job} &gt; proof.json</Command>
            <Command>atelier provenance verify FILE --seal-key {order.seal.key} --proof proof.json</Command>
            Only the operator can make the proof. Without it, the picture only claims the seal.
          </li>
        )}
      </ol>
    </details>
  );
}

const Whole = ({ value }: { value: string }) => (
  <div>
    <Id id={value} whole />
  </div>
);

const Command = ({ children }: { children: ReactNode }) => <pre tabIndex={0}>{children}</pre>;
