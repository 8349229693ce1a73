import type { ListRow } from '@atelier/client';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { useFilters } from '../shared/filters.js';
import { Id, Status, Time } from '../shared/format.js';
import { Empty, Facts, Loaded, Page, Section, Select, Table } from '../shared/ui.js';
import { limit, Turn } from './account.js';
import { useAsked } from './api.js';

type Product = ListRow<'/v1/products'>;

const states = [
  ['', 'any'],
  ['active', 'active'],
  ['archived', 'archived'],
] as const;

const roles = {
  primary: 'the picture of the product',
  gallery: 'an earlier picture',
  source_pdp: 'the page that it was extracted from',
} as const;

const none = (
  <>
    No product is here. <code>POST /v1/products</code> makes one from an <Link href="/uploads">upload</Link>;
    see the <a href="/docs">reference</a>.
  </>
);

export function ProductsPage() {
  const [offset, go] = useState(0);
  const { value, set } = useFilters(() => go(0));
  const status = states.map(([each]) => each).find((each) => each === value('status')) || undefined;
  const query = useAsked(['products', status, offset], (atelier) =>
    atelier.get('/v1/products', { limit, offset, ...(status && { status }) }),
  );
  return (
    <Page title="Products" lead="Your garments, which orders can name">
      <div className="filters">
        <Select label="State" value={value('status')} onChange={set('status')} options={states} />
      </div>
      <Loaded query={query} lines={12}>
        {({ items, total }) => (
          <>
            <Table
              label="Products"
              rows={items}
              keyOf={({ public_id }) => public_id}
              empty={status ? 'No product is in this state. Choose another one.' : none}
              columns={[
                { head: 'picture', cell: ({ images: [first] }) => first && <Thumb of={first} /> },
                {
                  head: 'product',
                  cell: ({ public_id: id, title }) => <Link href={`/products/${id}`}>{title}</Link>,
                },
                { head: 'reference', cell: ({ external_ref: name }) => name },
                { head: 'category', cell: ({ category }) => category?.display_label },
                { head: 'state', cell: ({ status: state }) => <Status of={state} /> },
                { head: 'made', cell: ({ created_at: at }) => <Time at={at} /> },
              ]}
            />
            <Turn {...{ offset, go, total, shown: items.length }} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Thumb({ of: { thumbnails } }: { of: Product['images'][number] }) {
  return <img className="thumb" src={thumbnails[256]} alt="" loading="lazy" />;
}

/** One product with its pictures. */
export function ProductPage() {
  const { id: public_id = '' } = useParams();
  const query = useAsked(['products', public_id], (atelier) =>
    atelier.get('/v1/products/{public_id}', { public_id }),
  );
  return (
    <Page title={query.data?.title ?? 'Product'} lead={<Id id={public_id} whole />}>
      <Loaded query={query} lines={8}>
        {(product) => (
          <>
            <Facts
              of={[
                ['State', <Status key="state" of={product.status} />],
                ['Your reference', product.external_ref],
                ['Category', product.category?.display_label],
                ['Persons', product.data_subjects?.join(', ')],
                ['Made', <Time key="made" at={product.created_at} whole />],
              ]}
            />
            {product.description !== undefined && <p>{product.description}</p>}
            <Section title="Pictures">
              <Pictures of={product} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Pictures({ of: { images, erased_images: erased = [] } }: { of: Product }) {
  if (images.length === 0)
    return (
      <Empty>
        Its pictures were erased. <code>PATCH /v1/products/…</code> gives it a new one.
      </Empty>
    );
  return (
    <>
      <ul className="pictures">
        {images.map(({ asset_public_id: id, role, image_url: url, thumbnails }) => (
          <li key={id}>
            <figure>
              <a href={url} target="_blank" rel="noreferrer">
                <img src={thumbnails[512]} alt={roles[role]} loading="lazy" />
              </a>
              <figcaption>
                {roles[role]}
                <br />
                <Id id={id} whole />
              </figcaption>
            </figure>
          </li>
        ))}
      </ul>
      {erased.map(({ asset_public_id: id, erased_at: at }) => (
        <p key={id} className="soft">
          <Id id={id} /> was erased on <Time at={at} whole />.
        </p>
      ))}
    </>
  );
}
