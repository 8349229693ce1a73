import type { BriefInput } from '@atelier/engine';
import { input, isKnown, metaOf, sentences, word, type Known, type KnownPicture } from './briefing.js';

/* The values of casting fields, each with its words. */

export const genders = { MALE: 'man', FEMALE: 'woman' } as const;

export const ethnicities = {
  indian: 'Indian',
  pakistani_bangladeshi: 'Pakistani or Bangladeshi',
  sri_lankan_nepali: 'Sri Lankan or Nepali',
  east_asian: 'East Asian',
  southeast_asian: 'Southeast Asian',
  middle_eastern: 'Middle Eastern',
  central_asian: 'Central Asian',
  north_african: 'North African',
  west_african: 'West African',
  east_african: 'East African',
  southern_african: 'Southern African',
  black_diaspora: 'Black African-diaspora',
  afro_caribbean: 'Afro-Caribbean',
  northern_european: 'Northern European',
  southern_european: 'Southern European',
  eastern_european: 'Eastern European',
  latin_american: 'Latin American',
  indigenous_american: 'Indigenous American',
  pacific_islander: 'Pacific Islander',
  mixed_heritage: 'mixed',
} as const;

/** A closer look at `indian`. */
export const heritages = {
  himalayan_north: 'Indian heritage, from the Himalayan north',
  punjabi_northwest: 'Indian heritage, from Punjab and the north-west',
  gangetic_central: 'Indian heritage, from the Gangetic plain',
  western_coastal: 'Indian heritage, from the western coast',
  eastern_bengali: 'Indian heritage, from Bengal and the east',
  south_indian: 'Indian heritage, from the south',
} as const;

export const bodyTypes = {
  slim: 'a slim build',
  athletic: 'an athletic, toned build',
  balanced: 'an average, balanced build',
  fuller: 'a fuller, plus-size build',
} as const;

export const ageRanges = {
  '18-22': 'aged 18 to 22',
  '22-26': 'aged 22 to 26',
  '26-30': 'aged 26 to 30',
  '30-34': 'aged 30 to 34',
  '34-40': 'aged 34 to 40',
} as const;

const tables = {
  gender: genders,
  ethnicity: ethnicities,
  heritage: heritages,
  body_type: bodyTypes,
  age_range: ageRanges,
} as const;

export const castingFields = Object.keys(tables);

type CastingProfile = { readonly [Field in keyof typeof tables]?: keyof (typeof tables)[Field] };

/**
 * The person of a casting profile:
 * `an adult woman, aged 22 to 26, of Indian heritage, from the south, with a slim build`.
 */
export function castingWords(casting: CastingProfile): string {
  const { gender, ethnicity, heritage, body_type: build, age_range: age } = casting;
  return [
    `an adult ${gender ? genders[gender] : 'person'}`,
    age && ageRanges[age],
    heritage ? `of ${heritages[heritage]}` : ethnicity && `of ${ethnicities[ethnicity]} heritage`,
    build && `with ${bodyTypes[build]}`,
  ]
    .filter((part) => part)
    .join(', ');
}

/** The person of a picture, in words from its `meta`; undefined if `meta` has no such facts. */
function personWords(meta: Known | undefined): string | undefined {
  const facts = isKnown(meta?.['person']) ? meta['person'] : meta;
  const known = Object.entries(tables).flatMap(([field, table]) => {
    const value = word(facts?.[field]);
    return value !== undefined && Object.hasOwn(table, value) ? [[field, value] as const] : [];
  });
  // The check above ensures that each value is a key of its field's own table.
  return known.length > 0 ? castingWords(Object.fromEntries(known)) : undefined;
}

/** A person among the inputs, with what the picture's `meta` says about them. */
export function personInput(pictures: readonly KnownPicture[], name: string, part: string): BriefInput {
  const person = personWords(metaOf(pictures, name));
  return input(name, 'person', sentences(part, person && `It shows ${person}.`));
}
