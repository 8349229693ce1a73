import { fromLab, shade, toHex } from '../../drawing/colour.js';
import { hashWords } from './hash.js';

/** The CSS names, which callers type first. */
const CSS = `aliceblue f0f8ff,antiquewhite faebd7,aqua 00ffff,aquamarine 7fffd4,azure f0ffff,beige f5f5dc,bisque ffe4c4,black 1b1a1c,
blanchedalmond ffebcd,blue 2a4fc4,blueviolet 8a2be2,brown 7a4b32,burlywood deb887,cadetblue 5f9ea0,chartreuse 9fd92b,chocolate 6b4230,
coral ff7f50,cornflowerblue 6495ed,cornsilk fff8dc,crimson c8193c,cyan 3fc4cc,darkblue 14205c,darkcyan 0f7c7c,darkgoldenrod b8860b,
darkgray 8c8c8c,darkgreen 1f4a2c,darkgrey 8c8c8c,darkkhaki bdb76b,darkmagenta 8b008b,darkolivegreen 556b2f,darkorange ff8c00,
darkorchid 9932cc,darkred 7c1418,darksalmon e9967a,darkseagreen 8fbc8f,darkslateblue 483d8b,darkslategray 2f4f4f,
darkslategrey 2f4f4f,darkturquoise 00ced1,darkviolet 9400d3,deeppink ff1493,deepskyblue 00bfff,dimgray 696969,dimgrey 696969,
dodgerblue 1e90ff,firebrick b22222,floralwhite fffaf0,forestgreen 2c6b3a,fuchsia d6249f,gainsboro dcdcdc,ghostwhite f8f8ff,
gold d9ae3c,goldenrod daa520,gray 8d8d8d,green 3f7d46,greenyellow adff2f,grey 8d8d8d,honeydew f0fff0,hotpink ff69b4,indianred cd5c5c,
indigo 2f3a72,ivory f6f1e1,khaki c3b284,lavender c6bedd,lavenderblush fff0f5,lawngreen 7cfc00,lemonchiffon fffacd,lightblue add8e6,
lightcoral f08080,lightcyan e0ffff,lightgoldenrodyellow fafad2,lightgray d3d3d3,lightgreen 90ee90,lightgrey d3d3d3,lightpink ffb6c1,
lightsalmon ffa07a,lightseagreen 20b2aa,lightskyblue 87cefa,lightslategray 778899,lightslategrey 778899,lightsteelblue b0c4de,
lightyellow ffffe0,lime 9ccc3c,limegreen 32cd32,linen efe6d8,magenta c92a8f,maroon 6e1f2b,mediumaquamarine 66cdaa,mediumblue 0000cd,
mediumorchid ba55d3,mediumpurple 9370db,mediumseagreen 3cb371,mediumslateblue 7b68ee,mediumspringgreen 00fa9a,
mediumturquoise 48d1cc,mediumvioletred c71585,midnightblue 191970,mintcream f5fffa,mistyrose ffe4e1,moccasin ffe4b5,navajowhite ffdead,
navy 1f2a4d,oldlace fdf5e6,olive 75753a,olivedrab 6b8e23,orange e58a2f,orangered ff4500,orchid da70d6,palegoldenrod eee8aa,
palegreen 98fb98,paleturquoise afeeee,palevioletred db7093,papayawhip ffefd5,peachpuff ffdab9,peru cd853f,pink e7a6b4,plum 7d4468,
powderblue b0e0e6,purple 6d3b80,rebeccapurple 663399,red c13434,rosybrown bc8f8f,royalblue 4169e1,saddlebrown 8b4513,salmon ee9480,
sandybrown f4a460,seagreen 2e8b57,seashell fff5ee,sienna a0522d,silver c0c0c0,skyblue 87ceeb,slateblue 6a5acd,slategray 708090,
slategrey 708090,snow fffafa,springgreen 00ff7f,steelblue 4682b4,tan d2b48c,teal 23767a,thistle d8bfd8,tomato ff6347,turquoise 4fbfb5,
violet 9a78c8,wheat f0dab0,white f7f5f0,whitesmoke f5f5f5,yellow eccb4a,yellowgreen 9acd32`;

/** The names that designers and stylists use. */
const FASHION = `terracotta c4694a,sage a3b096,ecru e3d8c0,ochre c8922f,ocher c8922f,blush e8c4b8,sand d9c4a0,charcoal 3b3c40,
taupe 9b8a7c,greige c2b7a6,oatmeal ddd0b9,oat ddd0b9,camel bd8d58,cognac 99532c,tobacco 7a5636,rust b0522f,brick a14a38,clay b9785b,
cinnamon a5643c,caramel b9783f,toffee 95602f,mocha 7d5b48,coffee 5c4336,espresso 41302a,umber 6b4c34,sepia 6f5238,mushroom b3a598,
stone bcb2a3,pebble a9a49a,limestone d4cab6,sandstone d0b48c,travertine d8c9b0,plaster e4dace,chalk f0ece3,bone e8dfcd,alabaster f0e8dc,
eggshell eee6d4,cream f2e8d0,offwhite f2eee5,pearl e9e4dc,porcelain eeeeea,milk f6f0e6,vanilla f1e3bf,butter f0dc9c,buttermilk f3e6bd,
champagne e6d2ae,honey d9a348,amber d08a2c,saffron e5a330,turmeric d99a2b,mustard c9992f,marigold e3a02f,apricot efb688,peach f0bfa0,
melon f0a98c,shrimp e89a86,rose d78f92,dustyrose c49490,oldrose bd8489,mauve ab8c9e,lilac bfa6cb,heather a69ab0,wisteria a695c7,
amethyst 8c6bb1,aubergine 4a2b42,eggplant 4a2b42,burgundy 6b2134,bordeaux 64202f,wine 6f2538,oxblood 5b1f23,cherry a8243a,raspberry b02f56,
cranberry 9c2b3f,ruby a1203f,scarlet c4302b,vermilion d2492f,poppy d64a36,cayenne a83d2b,paprika b4492a,henna 8b4a2f,copper b36f47,
bronze 8e6b3e,brass b5964f,gilt c9a44e,rosegold c99a86,petrol 1f5560,peacock 1c6670,lagoon 3f8f96,aegean 38688c,cobalt 2d54a3,ultramarine 2f42a0,
lapis 2c4d93,denim 4f6a8e,chambray 8199b5,cerulean 3f88b0,azul 3f7db0,sky a9c8dc,ice d9e6ea,powder c3d3dc,duckegg b9d0cc,celadon a9c3ac,
eucalyptus 8aa394,mint b5d8c2,pistachio b7c592,matcha a0ad6b,moss 6f7845,fern 5f8051,forest 2f4f3a,bottle 21493a,emerald 2a7f5c,jade 4c9a7c,
juniper 4a645a,pine 2f5045,cypress 46583f,laurel 6f7f55,artichoke 8a9271,khadi e6dcc6,jute b89a6b,hemp bda981,straw d9c27d,hay cdb573,
flax d8c79a,parchment eadfc4,papyrus dccfa9,ash b6b3ac,smoke a7a6a4,fog cfcfcb,mist d3d8d6,dove b8b5b0,pewter 85868a,graphite 4a4c50,
slate 5f6b75,gunmetal 43494e,ink 232938,onyx 232326,ebony 2c2523,midnight 1d2440,noir 1f1d20,jet 202024,concrete a8a5a0,cement aaa69f,
marble e5e1da,chalkblue aebfca,gulabi e39aa8,haldi dca32f,neel 2f4a8a,geru a9552f,mehendi 6c7239,rani c42a72,kesari e98a2c,walnut 6d4d38,
oak b48c5c,teak 9a6b40,mahogany 6b3426,birch dcc9a6,bamboo c8b277,rattan c39b66,cane c9a872,sunset e08a5b,dusk 8b7f9e,dawn e9c3b0,dune d3b98e,
desert cfa775,earth 8a6547,soil 5e4735,coconut efe7da,lemon efd964,citrus e8c33c,watermelon e2676b,fig 6a4256,date 6a4630,
olivegreen 75753a,seafoam a9d3c0,sea 5c97a6,ocean 2f6d8a,marine 24506e,nude dfb99c,skin d9a988,flamingo ec9a94,bubblegum eea2bf,candy e88aa6`;

/** Colours by their names: letters only, lower case. */
const NAMED = new Map(
  `${CSS},${FASHION}`.split(',').map((entry) => {
    const [name = '', hex = ''] = entry.trim().split(' ');
    return [name, `#${hex}`] as const;
  }),
);

/** An adjective's effect on a colour: steps of lightness, factor of chroma. */
const ADJECTIVES: Readonly<Record<string, readonly [steps: number, chroma: number]>> = {
  light: [14, 0.85],
  pale: [18, 0.65],
  soft: [8, 0.75],
  pastel: [16, 0.7],
  washed: [12, 0.6],
  faded: [9, 0.6],
  dusty: [2, 0.6],
  muted: [0, 0.6],
  smoky: [-6, 0.5],
  warm: [1, 1.05],
  cool: [1, 0.95],
  bright: [6, 1.3],
  vivid: [2, 1.4],
  rich: [-6, 1.2],
  deep: [-14, 1.1],
  dark: [-18, 0.95],
  burnt: [-10, 1.05],
  raw: [-3, 0.9],
};

const hex6 = (digits: string): string =>
  `#${digits.length === 3 ? [...digits].map((d) => d + d).join('') : digits}`.toLowerCase();

/** The longest run of words at the end that names a colour: in "dusty old rose" it is "old rose". */
function nameIn(words: readonly string[]): { colour: string; rest: readonly string[] } | undefined {
  for (let length = Math.min(3, words.length); length >= 1; length--) {
    for (let from = words.length - length; from >= 0; from--) {
      const colour = NAMED.get(words.slice(from, from + length).join(''));
      if (colour) return { colour, rest: words.filter((_, i) => i < from || i >= from + length) };
    }
  }
  return undefined;
}

/**
 * A colour from a hex code or from words: CSS names, stylists' names, and adjectives before them ("dusty rose",
 * "deep teal"). Words that name no colour get a quiet colour, and the same words always get the same one.
 */
export function colourOf(said: string): string {
  const code = /#?\b([0-9a-f]{6}|[0-9a-f]{3})\b/i.exec(said.trim());
  if (code?.[1] && (said.includes('#') || /\d/.test(code[1]))) return hex6(code[1]);
  const words = said
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, ' ')
    .trim()
    .split(' ');
  const found = nameIn(words);
  if (!found) {
    const hash = hashWords(words.join(' '));
    const hue = ((hash % 360) * Math.PI) / 180;
    const lightness = 52 + ((hash >>> 9) % 28);
    return toHex(fromLab([lightness, 22 * Math.cos(hue), 26 * Math.sin(hue)]));
  }
  return found.rest.reduce((colour, word) => {
    const change = Object.hasOwn(ADJECTIVES, word) ? ADJECTIVES[word] : undefined;
    return change ? shade(colour, change[0], change[1]) : colour;
  }, found.colour);
}
