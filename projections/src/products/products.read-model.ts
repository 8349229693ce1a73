import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { erasedFacts, personsOf } from '#domain/product/product.js';
import type { ProductFacts, ProductImage } from '#domain/product/product.events.js';
import type { ReadModel } from '#read-store/read-model.js';

/** A garment under a tenant's own name. */
@Entity('products')
@Index('products_by_tenant', ['tenant', 'status', 'createdAt', 'productId'])
@Index('products_by_data_subject', ['dataSubjects'], { type: 'gin', where: 'data_subjects IS NOT NULL' })
@Index('products_by_reference', ['tenant', 'externalRef'], { where: 'external_ref IS NOT NULL' })
export class ProductRow {
  @PrimaryColumn({ type: 'text' })
  productId: string;

  @Column({ type: 'text' })
  tenant: string;

  @Column({ type: 'text' })
  title: string;

  /** The tenant's own name for it. */
  @Column({ type: 'text', nullable: true })
  externalRef: string | null;

  @Column({ type: 'text', nullable: true })
  description: string | null;

  @Column({ type: 'text', nullable: true })
  garmentCategoryId: string | null;

  @Column({ type: 'text' })
  status: 'active' | 'archived' | 'erased';

  /** The primary one first. No URLs. */
  @Column({ type: 'jsonb' })
  images: ProductImage[];

  @Column({ type: 'timestamptz' })
  createdAt: Date;

  /** The persons whom it or its pictures are about, by the tenant's names. Null: none is named. */
  @Column({ type: 'jsonb', nullable: true })
  dataSubjects: string[] | null;
}

export const productsReadModel: ReadModel<ProductRow> = {
  name: 'products',
  version: 1,
  entity: ProductRow,
  categories: ['product'],
  // A reference's stream only names the product that has it.
  keysOf: (event) => (event.type === 'ExternalRefAssigned' ? [] : [[event.streamId]]),
  evolve: (row, event) => {
    if (event.type === 'ProductRegistered') {
      const { at, ...facts } = event.data;
      return { ...facts, ...subjectsOf(facts), status: 'active', createdAt: new Date(at) };
    }
    if (!row) throw new Error(`${event.type} came before ProductRegistered in ${event.stream}`);
    if (event.type === 'ProductArchived') return { ...row, status: 'archived' };
    if (event.type === 'ProductErased') {
      const { words } = event.data;
      return {
        ...row,
        ...erasedFacts(row, event.data),
        ...(words && { status: 'erased', dataSubjects: null }),
      };
    }
    if (event.type !== 'ProductRevised') throw new Error(`${event.type} does not belong in ${event.stream}`);
    const { at: _at, ...facts } = event.data;
    return { ...row, ...facts, ...subjectsOf(facts), status: 'active' };
  },
};

function subjectsOf(facts: ProductFacts): Pick<ProductRow, 'dataSubjects'> {
  const names = personsOf(facts);
  return { dataSubjects: names.length === 0 ? null : [...names] };
}
