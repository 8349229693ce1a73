/** Where on a figure a garment goes. A figure has at most one garment for each slot and layer. */
export const GARMENT_SLOTS = [
  'top',
  'bottom',
  'one_piece',
  'outerwear',
  'footwear',
  'bag',
  'headwear',
  'accessory',
] as const;
export type GarmentSlot = (typeof GARMENT_SLOTS)[number];

/** From the skin outward. Shoes, bags and jewellery are not layered cloth and have `none`. */
export type GarmentLayer = 'base' | 'mid' | 'outer' | 'none';

export type Season = 'spring' | 'summer' | 'autumn' | 'winter';

export type Tradition = 'universal' | 'western' | 'south_asian' | 'middle_eastern' | 'east_asian';

/** Belts go at the `waist`. `toes` are separate because socks do not go with a toe post. */
export type BodyPart =
  | 'head'
  | 'eyes'
  | 'ears'
  | 'neck'
  | 'neckline'
  | 'shoulder'
  | 'torso'
  | 'upper_arms'
  | 'arms'
  | 'right_wrist'
  | 'left_wrist'
  | 'hand'
  | 'hands'
  | 'waist'
  | 'hips'
  | 'thighs'
  | 'legs'
  | 'calves'
  | 'feet'
  | 'toes';

/** 0 sport and home, 1 casual, 2 smart casual, 3 business and party, 4 ceremony. */
export type Formality = 0 | 1 | 2 | 3 | 4;

export interface GarmentCategory {
  /** A ULID that never changes: callers store it. */
  readonly publicId: string;
  /** Canonical, snake case. */
  readonly key: string;
  readonly displayLabel: string;
  readonly slot: GarmentSlot;
  readonly layer: GarmentLayer;
  /** The plainest and the most festive occasion for which it is worn. */
  readonly formality: readonly [from: Formality, to: Formality];
  readonly seasons: readonly Season[];
  /** 0 airy, 1 light, 2 warm, 3 made for frost. */
  readonly warmth: 0 | 1 | 2 | 3;
  readonly tradition: Tradition;
  /** Worn only in the manner of its tradition, like a saree; in contrast, a kurta also goes with jeans. */
  readonly traditional: boolean;
  readonly covers: readonly BodyPart[];
  /** Names the drawing; one for each category. */
  readonly silhouette: string;
}

const CLIMATES = {
  hot: { seasons: ['summer'], warmth: 0 },
  warm: { seasons: ['spring', 'summer'], warmth: 0 },
  any: { seasons: ['spring', 'summer', 'autumn', 'winter'], warmth: 1 },
  cool: { seasons: ['spring', 'autumn', 'winter'], warmth: 2 },
  cold: { seasons: ['autumn', 'winter'], warmth: 3 },
} as const satisfies Record<string, Pick<GarmentCategory, 'seasons' | 'warmth'>>;

type CategoryRow = readonly [
  publicId: string,
  key: string,
  displayLabel: string,
  layer: GarmentLayer,
  formality: readonly [Formality, Formality],
  climate: keyof typeof CLIMATES,
  /** With a star: `traditional`. */
  tradition: Tradition | `${Tradition}*`,
  covers: string,
  silhouette: string,
];

const rows = (slot: GarmentSlot, table: readonly CategoryRow[]): GarmentCategory[] =>
  table.map(([publicId, key, displayLabel, layer, formality, climate, tradition, covers, silhouette]) => ({
    publicId,
    key,
    displayLabel,
    slot,
    layer,
    formality,
    ...CLIMATES[climate],
    // Safe casts: the spec checks each word of the table against the list of body parts.
    tradition: tradition.replace('*', '') as Tradition,
    traditional: tradition.endsWith('*'),
    covers: covers.split(' ') as BodyPart[],
    silhouette,
  }));

// One garment a line, so that columns can be compared. The formatter would turn this into a thousand lines.
// prettier-ignore
const TOPS = rows('top', [
  ['01JVYEPJ00T6S3RJBKZR9DHCE6', 't_shirt', 'T-shirt', 'base', [0, 2], 'any', 'universal', 'torso upper_arms', 'tee'],
  ['01JVYEPJZ85S89HHGRJENAHPD0', 'shirt', 'Shirt', 'base', [1, 4], 'any', 'universal', 'torso arms', 'shirt'],
  ['01JVYEPKYGE0CR68XFN8EWF50M', 'blouse', 'Blouse', 'base', [1, 4], 'any', 'universal', 'torso arms', 'blouse'],
  ['01JVYEPMXR1WDTMNTTV2WP3PR3', 'tank_top', 'Tank top', 'base', [0, 1], 'warm', 'universal', 'torso', 'tank'],
  ['01JVYEPNX0FDM45ZVBXPDFRFXZ', 'camisole', 'Camisole', 'base', [1, 3], 'any', 'universal', 'torso', 'camisole'],
  ['01JVYEPPW8R1EGM6DMT8DGFQ55', 'polo_shirt', 'Polo shirt', 'base', [0, 2], 'any', 'universal', 'torso upper_arms', 'polo'],
  ['01JVYEPQVG9H2GDXXXVZN2HFQZ', 'crop_top', 'Crop top', 'base', [0, 2], 'warm', 'universal', 'torso', 'crop_top'],
  ['01JVYEPRTRG08E5DQSVMC6FM6N', 'turtleneck', 'Turtleneck', 'base', [1, 3], 'cool', 'universal', 'torso arms neck', 'turtleneck'],
  ['01JVYEPST0R06DZMD71ZFFSSXZ', 'tunic', 'Tunic', 'base', [1, 2], 'any', 'universal', 'torso arms hips', 'tunic'],
  ['01JVYEPTS85H8PM9G2BZ5CS354', 'sweater', 'Sweater', 'mid', [0, 2], 'cool', 'universal', 'torso arms', 'sweater'],
  ['01JVYEPVRG7PXTFRSCH8NRHBBR', 'hoodie', 'Hoodie', 'mid', [0, 1], 'cool', 'western', 'torso arms', 'hoodie'],
  ['01JVYEPWQR95E6B353HKETJ5N5', 'sweatshirt', 'Sweatshirt', 'mid', [0, 1], 'cool', 'western', 'torso arms', 'sweatshirt'],
  ['01JVYEPXQ0FVD2Q260R191BZ4R', 'kurta', 'Kurta', 'base', [1, 3], 'any', 'south_asian', 'torso arms hips', 'kurta'],
  ['01JVYEPYP8B2VER8AH25R2P3R5', 'saree_blouse', 'Saree blouse', 'base', [1, 4], 'any', 'south_asian', 'torso upper_arms', 'choli'],
]);

// prettier-ignore
const BOTTOMS = rows('bottom', [
  ['01JVYEPZNGEN8YPTADMTYGY5Z4', 'trousers', 'Trousers', 'mid', [1, 4], 'any', 'universal', 'hips legs', 'trousers'],
  ['01JVYEQ0MRQYB4EJPN9P8GYPKE', 'jeans', 'Jeans', 'mid', [0, 2], 'any', 'western', 'hips legs', 'jeans'],
  ['01JVYEQ1M0HBPE92JP9ZQD4ANJ', 'chinos', 'Chinos', 'mid', [1, 2], 'any', 'universal', 'hips legs', 'chinos'],
  ['01JVYEQ2K8TT1ATMQF1X68DHEH', 'wide_leg_trousers', 'Wide-leg trousers', 'mid', [1, 4], 'any', 'universal', 'hips legs', 'wide_trousers'],
  ['01JVYEQ3JGXJ9QPJ7EFXMF35AK', 'joggers', 'Joggers', 'mid', [0, 1], 'any', 'western', 'hips legs', 'joggers'],
  ['01JVYEQ4HRGWQWDKQWH97X0RKV', 'cargo_trousers', 'Cargo trousers', 'mid', [0, 1], 'any', 'western', 'hips legs', 'cargo'],
  ['01JVYEQ5H0BP62TFK9QGMH70X8', 'shorts', 'Shorts', 'mid', [0, 1], 'warm', 'universal', 'hips thighs', 'shorts'],
  ['01JVYEQ6G8W99YBN46YB96AWHX', 'leggings', 'Leggings', 'base', [0, 1], 'any', 'universal', 'hips legs', 'leggings'],
  ['01JVYEQ7FG9XT5WKYB0TQEAW8F', 'skirt', 'Skirt', 'mid', [1, 4], 'any', 'universal', 'hips thighs', 'skirt'],
  ['01JVYEQ8ERSHYAF9CR9BRP692H', 'mini_skirt', 'Mini skirt', 'mid', [0, 3], 'any', 'western', 'hips thighs', 'mini_skirt'],
  ['01JVYEQ9E0BXR6NGH6686HKHWS', 'pleated_skirt', 'Pleated skirt', 'mid', [1, 3], 'any', 'universal', 'hips thighs', 'pleated_skirt'],
  ['01JVYEQAD8DSMEG48V7Q1VB8YX', 'pencil_skirt', 'Pencil skirt', 'mid', [2, 4], 'any', 'western', 'hips thighs', 'pencil_skirt'],
  ['01JVYEQBCGW1YJX30G56MBWYDC', 'maxi_skirt', 'Maxi skirt', 'mid', [1, 3], 'any', 'universal', 'hips legs', 'maxi_skirt'],
  ['01JVYEQCBRAV2JQFA6FT7WPVAP', 'salwar', 'Salwar', 'base', [1, 3], 'any', 'south_asian', 'hips legs', 'salwar'],
  ['01JVYEQDB0JJ0EZAMER6SDQCX1', 'churidar', 'Churidar', 'base', [1, 4], 'any', 'south_asian', 'hips legs', 'churidar'],
  ['01JVYEQEA8R4EB27RPE1FWP7D7', 'lehenga', 'Lehenga', 'mid', [3, 4], 'any', 'south_asian*', 'hips legs', 'lehenga'],
  ['01JVYEQF9GRT2RSPDZR79MW5NZ', 'dhoti', 'Dhoti', 'mid', [1, 4], 'any', 'south_asian*', 'hips legs', 'dhoti'],
]);

// prettier-ignore
const ONE_PIECES = rows('one_piece', [
  ['01JVYEQG8RRYF998JR01SQ8QTC', 'dress', 'Dress', 'base', [1, 4], 'any', 'universal', 'torso hips thighs', 'dress'],
  ['01JVYEQH80KCFH93EVZY05FPAY', 'sundress', 'Sundress', 'base', [0, 2], 'warm', 'western', 'torso hips thighs', 'sundress'],
  ['01JVYEQJ78NF4E1252PV4ZX8HF', 'shirt_dress', 'Shirt dress', 'base', [1, 3], 'any', 'western', 'torso arms hips thighs', 'shirt_dress'],
  ['01JVYEQK6GEKYHN8XYJSJ7VAMJ', 'maxi_dress', 'Maxi dress', 'base', [1, 3], 'any', 'universal', 'torso hips legs', 'maxi_dress'],
  ['01JVYEQM5RKB1HSSFT6TXEK5NA', 'evening_gown', 'Evening gown', 'base', [4, 4], 'any', 'western*', 'torso hips legs', 'gown'],
  ['01JVYEQN5023ACSPTQN9A88XJ6', 'jumpsuit', 'Jumpsuit', 'base', [1, 3], 'any', 'western', 'torso hips legs', 'jumpsuit'],
  ['01JVYEQP488ZQWQ6P3XDFHMQK0', 'dungarees', 'Dungarees', 'mid', [0, 1], 'any', 'western', 'torso hips legs', 'dungarees'],
  ['01JVYEQQ3G6D6PTHRZ1FJ9HN6V', 'swimsuit', 'Swimsuit', 'base', [0, 0], 'hot', 'universal', 'torso hips', 'swimsuit'],
  ['01JVYEQR2R0SPRP0XXWS7KM7HC', 'saree', 'Saree', 'mid', [1, 4], 'any', 'south_asian*', 'torso hips legs', 'saree'],
  ['01JVYEQS20FQEYD27E2X79R02M', 'anarkali', 'Anarkali', 'base', [2, 4], 'any', 'south_asian', 'torso arms hips legs', 'anarkali'],
  ['01JVYEQT18YVJNYM7DV5G1A8FS', 'kaftan', 'Kaftan', 'base', [0, 3], 'warm', 'middle_eastern', 'torso arms hips legs', 'kaftan'],
  ['01JVYEQV0GWME1DQQMNXDVJZ96', 'abaya', 'Abaya', 'mid', [1, 4], 'any', 'middle_eastern', 'torso arms hips legs', 'abaya'],
  ['01JVYEQVZRY0AC62FM3WW5R5D7', 'kimono', 'Kimono', 'mid', [2, 4], 'any', 'east_asian*', 'torso arms hips legs', 'kimono'],
  ['01JVYEQWZ02WEYPT97RDAD5TX2', 'qipao', 'Qipao', 'base', [2, 4], 'any', 'east_asian', 'torso hips legs', 'qipao'],
]);

// prettier-ignore
const OUTERWEAR = rows('outerwear', [
  ['01JVYEQXY86B1TFW2V0KXKFTE1', 'blazer', 'Blazer', 'mid', [1, 4], 'any', 'western', 'torso arms', 'blazer'],
  ['01JVYEQYXG47YG0G60MQYQTVHR', 'tuxedo_jacket', 'Tuxedo jacket', 'mid', [4, 4], 'any', 'western*', 'torso arms', 'tuxedo'],
  ['01JVYEQZWRV6BWY8WCD69YYX6P', 'waistcoat', 'Waistcoat', 'mid', [2, 4], 'any', 'universal', 'torso', 'waistcoat'],
  ['01JVYER0W04Z19ESAEWF7BER2C', 'cardigan', 'Cardigan', 'mid', [0, 2], 'cool', 'universal', 'torso arms', 'cardigan'],
  ['01JVYER1V8F5SFZHFSGCKA736K', 'denim_jacket', 'Denim jacket', 'mid', [0, 1], 'cool', 'western', 'torso arms', 'denim_jacket'],
  ['01JVYER2TGX8Q2AV9YBQZQ5P31', 'leather_jacket', 'Leather jacket', 'mid', [0, 2], 'cool', 'western', 'torso arms', 'biker'],
  ['01JVYER3SRMNTE8S313MGQA5KP', 'bomber_jacket', 'Bomber jacket', 'mid', [0, 1], 'cool', 'western', 'torso arms', 'bomber'],
  ['01JVYER4S07MNX372SNDMCARKF', 'coat', 'Coat', 'outer', [1, 4], 'cold', 'universal', 'torso arms hips thighs', 'coat'],
  ['01JVYER5R8S7J3ASXS2HVE4XHZ', 'trench_coat', 'Trench coat', 'outer', [1, 4], 'cool', 'universal', 'torso arms hips thighs', 'trench'],
  ['01JVYER6QGPATQ4Z3C0WTMT2ZR', 'puffer_jacket', 'Puffer jacket', 'outer', [0, 1], 'cold', 'universal', 'torso arms', 'puffer'],
  ['01JVYER7PR7NG6SYV6AQD65TKC', 'parka', 'Parka', 'outer', [0, 1], 'cold', 'universal', 'torso arms hips', 'parka'],
  ['01JVYER8P0GSM1Q3TFAXHWVD8B', 'cape', 'Cape', 'outer', [2, 4], 'cool', 'universal', 'torso arms', 'cape'],
  ['01JVYER9N8R44N79TJPNNQ475V', 'nehru_jacket', 'Nehru jacket', 'mid', [2, 4], 'any', 'south_asian', 'torso', 'nehru'],
  ['01JVYERAMGF8MPV43B9SXNXD2T', 'sherwani', 'Sherwani', 'outer', [3, 4], 'any', 'south_asian*', 'torso arms hips thighs', 'sherwani'],
]);

// prettier-ignore
const FOOTWEAR = rows('footwear', [
  ['01JVYERBKRGSA9DG824ABNZ8FB', 'sneakers', 'Sneakers', 'none', [0, 2], 'any', 'universal', 'feet', 'sneaker'],
  ['01JVYERCK0DAE2J2B4RVX0T49Q', 'loafers', 'Loafers', 'none', [1, 3], 'any', 'universal', 'feet', 'loafer'],
  ['01JVYERDJ8H7J5N1Q258SK11BW', 'oxford_shoes', 'Oxford shoes', 'none', [2, 4], 'any', 'western', 'feet', 'oxford'],
  ['01JVYEREHGJN411XQ598JFGVX1', 'ballet_flats', 'Ballet flats', 'none', [1, 3], 'any', 'universal', 'feet', 'ballet_flat'],
  ['01JVYERFGR7M7BGAT0MT9KCT6E', 'pumps', 'Pumps', 'none', [2, 4], 'any', 'universal', 'feet', 'pump'],
  ['01JVYERGG0R30RA96GZN32YWKE', 'heeled_sandals', 'Heeled sandals', 'none', [1, 4], 'any', 'universal', 'feet', 'heeled_sandal'],
  ['01JVYERHF8MFXMJEQGVWANBM94', 'sandals', 'Sandals', 'none', [0, 2], 'warm', 'universal', 'feet', 'sandal'],
  ['01JVYERJEGNAC9D2VAKYG8WNCY', 'flip_flops', 'Flip-flops', 'none', [0, 0], 'hot', 'universal', 'feet toes', 'flip_flop'],
  ['01JVYERKDR31B13K170AKVDMJY', 'ankle_boots', 'Ankle boots', 'none', [1, 3], 'cool', 'universal', 'feet', 'ankle_boot'],
  ['01JVYERMD0EVGQSJ59495ZKCVM', 'knee_boots', 'Knee boots', 'none', [1, 3], 'cool', 'western', 'feet calves', 'knee_boot'],
  ['01JVYERNC8X9ZAT81GWTX805M2', 'juttis', 'Juttis', 'none', [1, 4], 'any', 'south_asian', 'feet', 'jutti'],
]);

// prettier-ignore
const BAGS = rows('bag', [
  ['01JVYERPBGS1ZNKWBK0J9GRATG', 'handbag', 'Handbag', 'none', [1, 4], 'any', 'universal', 'hand', 'handbag'],
  ['01JVYERQARAZNH0QMG0VHAE5DM', 'tote_bag', 'Tote bag', 'none', [0, 2], 'any', 'universal', 'hand', 'tote'],
  ['01JVYERRA0JXEAMF90S6KJGYZW', 'crossbody_bag', 'Crossbody bag', 'none', [0, 2], 'any', 'universal', 'shoulder', 'crossbody'],
  ['01JVYERS98HSNRA64DDSBQ2FAV', 'clutch', 'Clutch', 'none', [2, 4], 'any', 'universal', 'hand', 'clutch'],
  ['01JVYERT8G34MB9ZP5RTTQ5GCC', 'backpack', 'Backpack', 'none', [0, 1], 'any', 'universal', 'shoulder', 'backpack'],
  ['01JVYERV7R0DBFRPV729G70ZYM', 'potli_bag', 'Potli bag', 'none', [2, 4], 'any', 'south_asian', 'hand', 'potli'],
]);

// prettier-ignore
const HEADWEAR = rows('headwear', [
  ['01JVYERW70H1C3ZMYGZK37281Q', 'baseball_cap', 'Baseball cap', 'none', [0, 1], 'any', 'western', 'head', 'cap'],
  ['01JVYERX6868YSQDGXC7THMB07', 'beanie', 'Beanie', 'none', [0, 1], 'cold', 'universal', 'head', 'beanie'],
  ['01JVYERY5GC36QZ5ACEG6YM7VX', 'brimmed_hat', 'Brimmed hat', 'none', [1, 3], 'any', 'universal', 'head', 'brim_hat'],
  ['01JVYERZ4RGJQXB9GV4GHR1DSD', 'sun_hat', 'Sun hat', 'none', [0, 2], 'warm', 'universal', 'head', 'sun_hat'],
  ['01JVYES040872C75D3CSWY90KS', 'turban', 'Turban', 'none', [1, 4], 'any', 'south_asian', 'head', 'turban'],
  ['01JVYES138GVT4NN9X5035DVYS', 'headscarf', 'Headscarf', 'none', [0, 4], 'any', 'universal', 'head', 'headscarf'],
]);

// prettier-ignore
const ACCESSORIES = rows('accessory', [
  ['01JVYES22GTYMV5VDMGRDS1YKG', 'scarf', 'Scarf', 'outer', [0, 3], 'cold', 'universal', 'neck', 'scarf'],
  ['01JVYES31RBNP6R81TPW2TNKM9', 'silk_scarf', 'Silk scarf', 'mid', [1, 4], 'any', 'universal', 'neck', 'silk_scarf'],
  ['01JVYES4103VPSV6EX6DMM497Q', 'dupatta', 'Dupatta', 'outer', [1, 4], 'any', 'south_asian', 'shoulder', 'dupatta'],
  ['01JVYES508P2R83XZRBF7BZ4WA', 'shawl', 'Shawl', 'outer', [1, 4], 'cool', 'universal', 'shoulder', 'shawl'],
  ['01JVYES5ZGPDAVEP59WV1Q6F8H', 'belt', 'Belt', 'outer', [0, 4], 'any', 'universal', 'waist', 'belt'],
  ['01JVYES6YR25XBAY0P4K7F8H88', 'necktie', 'Necktie', 'base', [2, 4], 'any', 'western', 'neck', 'necktie'],
  ['01JVYES7Y0B20N0S02SZECC2WB', 'bow_tie', 'Bow tie', 'base', [3, 4], 'any', 'western', 'neck', 'bow_tie'],
  ['01JVYES8X8B5J7MNJ8C9MYBWZ1', 'necklace', 'Necklace', 'none', [0, 4], 'any', 'universal', 'neckline', 'necklace'],
  ['01JVYES9WGX793H4JRWGBZ9QWB', 'earrings', 'Earrings', 'none', [0, 4], 'any', 'universal', 'ears', 'earrings'],
  ['01JVYESAVRJ5R2JEYQ00X3P9YR', 'bangles', 'Bangles', 'none', [1, 4], 'any', 'south_asian', 'right_wrist', 'bangles'],
  ['01JVYESBV002SWNMKM259FDQZZ', 'bracelet', 'Bracelet', 'none', [0, 4], 'any', 'universal', 'right_wrist', 'bracelet'],
  ['01JVYESCT87XCA99T9VH4499VG', 'watch', 'Watch', 'none', [0, 4], 'any', 'universal', 'left_wrist', 'watch'],
  ['01JVYESDSGXMHZ6JK7K9A97EX4', 'sunglasses', 'Sunglasses', 'none', [0, 3], 'any', 'universal', 'eyes', 'sunglasses'],
  ['01JVYESERRD36VD555DQDECHK4', 'gloves', 'Gloves', 'outer', [0, 4], 'cold', 'universal', 'hands', 'gloves'],
  ['01JVYESFR08A91F305P116FYM6', 'tights', 'Tights', 'base', [1, 4], 'cool', 'universal', 'legs toes', 'tights'],
  ['01JVYESGQ8BCQAH60S7K223RW6', 'socks', 'Socks', 'base', [0, 4], 'any', 'universal', 'toes', 'socks'],
]);
/**
 * The whole taxonomy, slot by slot. Rows are added and never removed: products and artifacts name their
 * category by its id.
 */
export const garmentCategories: readonly GarmentCategory[] = [
  ...TOPS,
  ...BOTTOMS,
  ...ONE_PIECES,
  ...OUTERWEAR,
  ...FOOTWEAR,
  ...BAGS,
  ...HEADWEAR,
  ...ACCESSORIES,
];

const byId = new Map(garmentCategories.map((category) => [category.publicId, category]));
const byKey = new Map(garmentCategories.map((category) => [category.key, category]));

export const categoryById = (publicId: string): GarmentCategory | undefined => byId.get(publicId);

export const categoryByKey = (key: string): GarmentCategory | undefined => byKey.get(key);
