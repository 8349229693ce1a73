import type { Ground, LightPreset, Topology } from '../scene-spec.js';

type Rows<T> = readonly (readonly [T, RegExp])[];

const first = <T>(rows: Rows<T>, text: string): T | undefined => {
  const lower = text.toLowerCase();
  return rows.find(([, pattern]) => pattern.test(lower))?.[0];
};

const TOPOLOGY: Rows<Exclude<Topology, 'custom'>> = [
  [
    'street_path',
    /\b(streets?|alleys?|lanes?|boulevards?|urban|town|markets?|bazaars?|sidewalks?|pavement|downtown|city|souk)\b/,
  ],
  [
    'courtyard_veranda',
    /\b(courtyards?|verandas?|verandahs?|patios?|riads?|havelis?|cloisters?|terraces?|porch|arcades?|colonnades?|palaces?|forts?|temples?|villas?)\b/,
  ],
  [
    'textile_installation',
    /\b(curtains?|drapes?|draped|drapery|textiles?|fabrics?|silks?|cloths?|tents?|hangings?)\b/,
  ],
  [
    'open_location',
    /\b(beach(es)?|seas?|seaside|oceans?|coasts?|deserts?|dunes?|fields?|meadows?|gardens?|forests?|woods|parks?|mountains?|lakes?|rivers?|hills?|landscapes?|nature|countryside|vineyards?|jungle|orchards?|snow|valley|cliffs?|outdoors?|rooftops?|farm|prairie|salt flats?)\b/,
  ],
  [
    'rear_plane_room',
    /\b(rooms?|lofts?|living|bedrooms?|interiors?|galler(y|ies)|librar(y|ies)|cafes?|café|restaurants?|hotels?|lobby|salons?|apartments?|palazzo|indoors?|homes?|house|boutiques?|offices?|museums?|halls?|ateliers?|kitchen|workshop|warehouse)\b/,
  ],
  ['shallow_wall', /\b(walls?|plaster|bricks?|concrete|facades?|stucco)\b/],
  [
    'seamless_sweep',
    /\b(studio|seamless|plain|sweep|cyclorama|backdrop|infinity|minimal|white background)\b/,
  ],
];

/** Grounds that are finer than the presets. The text of a `custom` ground may name one. */
const FINE_GROUNDS = [
  'sand',
  'water',
  'snow',
  'gravel',
  'concrete',
  'terrazzo',
  'marble',
  'carpet',
  'moss',
  'strokes',
] as const;
export type FineGround = (typeof FINE_GROUNDS)[number];

const GROUND: Rows<Exclude<Ground, 'custom'> | FineGround> = [
  ['sand', /\b(sand|sandy|beach(es)?|deserts?|dunes?|seaside|coast)\b/],
  ['snow', /\b(snow|snowy|ice|icy|winter|salt flats?)\b/],
  ['water', /\b(water|wet|puddles?|flooded|lake|pool|sea|ocean|river)\b/],
  ['moss', /\b(moss|mossy|leaves|forest|woods|jungle)\b/],
  ['terrazzo', /\bterrazzo\b/],
  ['marble', /\b(marble|onyx|palazzo)\b/],
  ['carpet', /\b(carpets?|rugs?|felt|wool)\b/],
  ['gravel', /\b(gravel|pebbles?|shingle)\b/],
  ['concrete', /\b(concrete|cement|asphalt|screed|tarmac|warehouse)\b/],
  ['wood', /\b(wood|wooden|timber|boards?|planks?|parquet|oak|deck|decking|loft|library)\b/],
  [
    'earth_grass',
    /\b(earth|grass|soil|lawn|meadows?|fields?|gardens?|parks?|hills?|countryside|mud|dirt|clay court)\b/,
  ],
  ['plaster_tile', /\b(tiles?|tiled|plaster|zellige|checker(ed|board)?|chequer(ed)?|chess)\b/],
  [
    'stone_paving',
    /\b(stones?|paving|pavers?|cobbles?|cobblestones?|flagstones?|slate|brick|streets?|alleys?)\b/,
  ],
  ['seamless', /\b(seamless|paper|plain|studio|sweep|smooth)\b/],
];

const LIGHT: Rows<Exclude<LightPreset, 'custom'>> = [
  [
    'quiet_low_key',
    /\b(moody|dark|dramatic|nights?|low[- ]key|intimate|noir|candle(light|lit)?|evening|mysterious|moon(light|lit)?|dusk|blue hour|shadowy|nocturnal|sultry)\b/,
  ],
  [
    'warm_directional_sun',
    /\b(golden|sunset|sunrise|warm|sunny|sun|sunlit|sunlight|summer|mediterranean|hard light|noon|dappled|tropical|desert|vibrant|festive)\b/,
  ],
  [
    'overcast',
    /\b(overcast|cloudy|gr[ae]y|fog(gy)?|mist(y)?|rain(y)?|winter|cool|cold|nordic|melancholic|muted|stormy)\b/,
  ],
  [
    'soft_frontal',
    /\b(clean|minimal(ist)?|neutral|even|flat|commercial|crisp|frontal|high[- ]key|shadowless|softbox|modern)\b/,
  ],
  [
    'soft_side_daylight',
    /\b(airy|daylight|windows?|morning|fresh|calm|serene|soft|romantic|side|north light|dreamy|natural|elegant)\b/,
  ],
];

/** Textures of walls that the words of `surface_character` can call for. */
const SURFACES = [
  'limewash',
  'brick',
  'cracked',
  'panelled',
  'tiled',
  'striped',
  'blocks',
  'boards',
  'woven',
  'polished',
  'concrete',
] as const;
export type Surface = (typeof SURFACES)[number];

const SURFACE: Rows<Surface> = [
  ['brick', /\bbricks?\b/],
  [
    'cracked',
    /\b(cracks?|cracked|weathered|aged|peeling|worn|patina|distressed|crumbling|ruin|rustic|old)\b/,
  ],
  ['panelled', /\b(panel(l)?(ed|ing|s)?|mo(u)?ldings?|wainscot(ing)?|boiserie|parisian)\b/],
  ['tiled', /\b(tiles?|tiled|zellige|mosaic|ceramic|azulejos?)\b/],
  ['striped', /\b(strip(es?|ed)|wallpaper|ribbed|fluted|reeded|corrugated)\b/],
  ['blocks', /\b(stones?|stonework|blocks?|ashlar|masonry|sandstone|marble|rock|travertine|limestone)\b/],
  ['boards', /\b(wood|wooden|boards?|planks?|timber|shiplap|bamboo)\b/],
  ['woven', /\b(woven|linen|weave|textile|canvas|raffia|jute|fabric|rattan)\b/],
  ['polished', /\b(polished|glossy|smooth|lacquered|satin|silky|sleek|shiny)\b/],
  ['concrete', /\b(concrete|cement|industrial|raw|brutalist)\b/],
  [
    'limewash',
    /\b(lime ?wash(ed)?|plaster|chalky|matte|mottled|cloudy|stucco|clay|tadelakt|brushed|textured|rough)\b/,
  ],
];

export const topologyIn = (text: string): Exclude<Topology, 'custom'> | undefined => first(TOPOLOGY, text);
export const groundIn = (text: string): Exclude<Ground, 'custom'> | FineGround | undefined =>
  first(GROUND, text);
export const lightIn = (text: string): Exclude<LightPreset, 'custom'> | undefined => first(LIGHT, text);
export const surfaceIn = (text: string): Surface | undefined => first(SURFACE, text);
