/** The pieces of the drawing library of places, with the words for them. The first match from the top wins. */
const WORDS = [
  ['palm', /\b(palms?|date tree|coconut tree)\b/],
  ['olive', /\bolives?( trees?)?\b/],
  ['cypress', /\b(cypress(es)?|pines?|conifers?|poplars?)\b/],
  ['cactus', /\b(cact(us|i)|agaves?|succulents?|aloe)\b/],
  ['vine', /\b(vines?|ivy|bougainvilleas?|creepers?|jasmine|wisteria|climbers?)\b/],
  ['pampas', /\b(pampas|reeds?|dried grass(es)?|wheat|tall grass(es)?)\b/],
  ['flowers', /\b(flowers?|blossoms?|bouquets?|blooms?|roses?|marigolds?)\b/],
  ['hedge', /\b(hedges?|bush(es)?|shrubs?|topiary)\b/],
  ['tree', /\b(trees?|banyan|willows?|oaks?|orchard|forest|woods?land)\b/],
  ['mirror', /\bmirrors?\b/],
  ['niche', /\b(niches?|alcoves?|recess(es)?)\b/],
  ['lattice', /\b(jaal?is?|lattices?|screens?|mashrabiyas?|trellis(es)?|breeze blocks?|partitions?)\b/],
  ['arch', /\b(arch(es|way|ways)?|vaults?|portals?|arcades?)\b/],
  ['door', /\b(doors?|doorways?|gates?|entrance)\b/],
  ['window', /\b(windows?|shutters?|skylights?|panes?)\b/],
  ['column', /\b(columns?|pillars?|colonnades?|posts?|obelisks?)\b/],
  ['stairs', /\b(stairs?|staircases?|steps?|stairways?|ghat)\b/],
  ['fountain', /\bfountains?\b/],
  ['chandelier', /\b(chandeliers?|pendants?|pendant lamps?|festoon|string lights?|bulbs?)\b/],
  ['candle', /\b(candles?|candelabras?|diyas?)\b/],
  ['lantern', /\blanterns?\b/],
  ['streetlamp', /\b(street ?lamps?|lamp ?posts?|street ?lights?)\b/],
  ['lamp', /\b(lamps?|floor lamps?|softbox(es)?|spotlights?)\b/],
  [
    'curtain',
    /\b(curtains?|drapes?|drapery|draped|fabric|cloths?|textiles?|linens?|silks?|sheets?|veils?|tapestr(y|ies))\b/,
  ],
  ['rug', /\b(rugs?|carpets?|dhurries?|kilims?|mats?|runner)\b/],
  ['cushion', /\b(cushions?|pillows?|poufs?|ottomans?)\b/],
  ['sofa', /\b(sofas?|couch(es)?|settees?|divans?|chaise( longue)?|daybeds?|charpoys?|beds?|armchairs?)\b/],
  ['bench', /\b(bench(es)?|pews?)\b/],
  ['stool', /\bstools?\b/],
  ['chair', /\b(chairs?|thrones?|seats?)\b/],
  ['table', /\b(tables?|desks?|consoles?|sideboards?|credenzas?)\b/],
  ['shelf', /\b(shel(f|ves)|bookcases?|bookshel(f|ves)|books?|librar(y|ies))\b/],
  ['ladder', /\bladders?\b/],
  ['plinth', /\b(plinths?|pedestals?|podiums?|cubes?|blocks?|platforms?)\b/],
  ['sculpture', /\b(sculptures?|statues?|busts?|spheres?|orbs?)\b/],
  ['basket', /\b(baskets?|wicker|crates?)\b/],
  ['vase', /\b(vases?|bottles?|carafes?)\b/],
  ['urn', /\b(urns?|amphoras?|amphorae|pots?|jars?|planters?|vessels?|ceramics?|pottery|matkas?)\b/],
  ['painting', /\b(paintings?|picture frames?|frames?|artworks?|posters?|canvas(es)?|murals?)\b/],
  ['clock', /\bclocks?\b/],
  ['fireplace', /\b(fireplaces?|hearths?|mantels?|mantelpieces?|stoves?)\b/],
  ['fence', /\b(fences?|railings?|balustrades?|pickets?|banisters?)\b/],
  ['bicycle', /\b(bicycles?|bikes?|scooters?|vespas?)\b/],
  ['parasol', /\b(parasols?|umbrellas?|awnings?|canop(y|ies))\b/],
  ['boat', /\b(boats?|ships?|canoes?|sails?|sailboats?|dhows?)\b/],
  [
    'sea',
    /\b(seas?|oceans?|water|lakes?|rivers?|lagoons?|pools?|ponds?|beach(es)?|coast|shore|waves?|canals?)\b/,
  ],
  ['dune', /\b(dunes?|deserts?)\b/],
  ['mountain', /\b(mountains?|hills?|peaks?|cliffs?|ridges?|volcano(es)?|himalayas?|alps)\b/],
  [
    'skyline',
    /\b(skylines?|buildings?|city|towers?|rooftops?|skyscrapers?|domes?|minarets?|temples?|palaces?)\b/,
  ],
  ['sun', /\b(sun|moon|sunset|sunrise|sun ?disc)\b/],
  ['cloud', /\bclouds?\b/],
  ['wall', /\b((low|brick|stone|garden|dry stone) walls?|parapets?)\b/],
  ['rock', /\b(rocks?|boulders?|stones?|pebbles?)\b/],
  ['plant', /\b(plants?|ferns?|monsteras?|leaves|foliage|greenery|banana|ficus|botanicals?|garden)\b/],
] as const satisfies readonly (readonly [string, RegExp])[];

export type AnchorName = (typeof WORDS)[number][0] | 'object';

/** The piece for these words; `object` if the library does not know them. */
export function anchorOf(said: string): AnchorName {
  const text = said.toLowerCase();
  return WORDS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'object';
}

/** Every anchor that a text mentions, in the order of the text. */
export function anchorsIn(text: string): AnchorName[] {
  const lower = text.toLowerCase();
  return WORDS.map(([name, pattern]) => ({ name, at: lower.search(pattern) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);
}
