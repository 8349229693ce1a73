import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Link } from 'wouter';
import { Empty, Loaded, Page, Section } from '../shared/ui.js';
import { isTestKey, useAsked, useKey } from './api.js';
import { findWorkflow, type OrderBody } from './body-schema.js';
import { Wall } from './jobs.js';
import { garmentPhotographs, type Garment } from './samples.js';
import { snippets } from './snippets.js';

const orderWith = (garment: Garment) => `/order/product-to-model-direct?sample=${garment}`;

/** Sample pictures that are in place: each leads to a form that is filled in. */
function Samples() {
  return (
    <ul className="samples">
      {Object.entries(garmentPhotographs).map(([garment, url]) => (
        <li key={garment}>
          {/* The keys are those of the object. */}
          <Link href={orderWith(garment as Garment)}>
            <img src={url} alt="" />
            {garment}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The first example of openapi.json that needs no picture. */
const program = 'model-generator';
const [example] = Object.values<{ readonly value: OrderBody }>(findWorkflow(program)?.examples ?? {});

function CopyCurl() {
  const key = useKey() ?? '';
  const [copied, setCopied] = useState('');
  const order = snippets.curl(location.origin, program, example?.value ?? {});
  const copy = (text: string) => void navigator.clipboard.writeText(text).then(() => setCopied(text));
  const withKey = `export ATELIER_KEY=${key}\n${order}`;
  return (
    <>
      {/* Long ones are scrolled by keyboard, too. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} aria-label="An order in curl">
        {order}
      </pre>
      <div className="actions">
        <Button className="button small" onPress={() => copy(order)}>
          {copied === order ? 'Copied' : 'Copy'}
        </Button>
        {isTestKey(key) && (
          <Button className="button small" onPress={() => copy(withKey)}>
            {copied === withKey ? 'Copied' : 'Copy with the test key'}
          </Button>
        )}
      </div>
    </>
  );
}

function NextSteps() {
  return (
    <ol className="next">
      <li>
        <h3>Order a picture here</h3>
        <p className="soft">Choose a photograph: the form is then filled in, and Order makes the picture.</p>
        <Samples />
        <p>
          <Link href="/playground">All workflows</Link>
        </p>
      </li>
      <li>
        <h3>Order one from a terminal</h3>
        <p className="soft">The same call works from your program.</p>
        <CopyCurl />
      </li>
      <li>
        <h3>See how it works</h3>
        <p className="soft">Every credit and every step is kept and can be explained.</p>
        <ul className="ways">
          <li>
            <a href="/docs/guides/quick-start">The guide, step by step</a>
          </li>
          <li>
            <Link href="/credits">The ledger of your credits</Link>
          </li>
          <li>
            <Link href="/jobs">Your jobs, with their timelines</Link>
          </li>
        </ul>
      </li>
    </ol>
  );
}

/** The newest pictures, sample pictures, and the next three steps. */
export function StartPage() {
  const jobs = useAsked(
    ['jobs', 'start'],
    (atelier, signal) => atelier.get('/v1/jobs', { limit: 6, status: 'SUCCESS', signal }),
    { refetchInterval: 5_000 },
  );
  return (
    <Page title="Start" lead="Your newest pictures, and three things to do next">
      <Section title="Pictures" actions={<Link href="/pictures">All pictures</Link>}>
        <Loaded query={jobs} lines={3}>
          {({ jobs: rows }) =>
            rows.length === 0 ? (
              <Empty>
                <span>
                  No picture yet. <Link href={orderWith('dress')}>Order the first one</Link>: it takes some
                  seconds.
                </span>
              </Empty>
            ) : (
              <Wall jobs={rows} />
            )
          }
        </Loaded>
      </Section>
      <Section title="Next">
        <NextSteps />
      </Section>
    </Page>
  );
}
