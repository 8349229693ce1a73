// Draws the sample garment photographs in assets/samples: our own flat product shots, which the demo and the
// tests cut garments out of. Run with `node scripts/make-samples.mjs`; it gives the same bytes each time.
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const WIDTH = 1200;
const HEIGHT = 1600;
const target = fileURLToPath(new URL('../assets/samples/', import.meta.url));

/** Repeatable randomness (mulberry32). */
const randomFrom = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};

const mirror = (d) => `<g transform="translate(${WIDTH} 0) scale(-1 1)">${d}</g>`;

const fold = (d, width, opacity, colour = '#000', blur = 'b10') =>
  `<path d="${d}" fill="none" stroke="${colour}" stroke-opacity="${opacity}" stroke-width="${width}" stroke-linecap="round" filter="url(#${blur})"/>`;

const DEFS = `
  <filter id="b4"><feGaussianBlur stdDeviation="4"/></filter>
  <filter id="b10" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="9"/></filter>
  <filter id="b24" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="24"/></filter>
  <filter id="crumple" x="0" y="0" width="100%" height="100%" color-interpolation-filters="sRGB">
    <feTurbulence type="fractalNoise" baseFrequency="0.0035 0.0022" numOctaves="4" seed="11" result="n"/>
    <feDiffuseLighting in="n" surfaceScale="46" diffuseConstant="1.02" lighting-color="#fff"><feDistantLight azimuth="225" elevation="58"/></feDiffuseLighting>
  </filter>
  <filter id="paper" x="0" y="0" width="100%" height="100%" color-interpolation-filters="sRGB">
    <feTurbulence type="fractalNoise" baseFrequency="0.7" numOctaves="3" seed="4" result="n"/>
    <feDiffuseLighting in="n" surfaceScale="0.55" diffuseConstant="1.05" lighting-color="#fff"><feDistantLight azimuth="225" elevation="65"/></feDiffuseLighting>
  </filter>
  <filter id="weave" x="0" y="0" width="100%" height="100%" color-interpolation-filters="sRGB">
    <feTurbulence type="fractalNoise" baseFrequency="0.9 0.35" numOctaves="2" seed="8" result="n"/>
    <feDiffuseLighting in="n" surfaceScale="1.5" diffuseConstant="1.03" lighting-color="#fff"><feDistantLight azimuth="200" elevation="62"/></feDiffuseLighting>
  </filter>`;

/** Draws a garment that lies on paper. `body` is drawn inside the outline, `seams` above it. */
function photograph({
  outline,
  fill,
  body,
  seams,
  back = '',
  defs = '',
  paper = '#f1eee8',
  cloth = 0.55,
  stretch = [1, 1],
}) {
  const [sx, sy] = stretch;
  const spread = `translate(${600 * (1 - sx)} ${800 * (1 - sy)}) scale(${sx} ${sy})`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">
  <defs>${DEFS}${defs}
    <clipPath id="shape"><path d="${outline}"/></clipPath>
    <linearGradient id="fall" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#fff" stop-opacity=".5"/><stop offset=".5" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-color="#3a3026" stop-opacity=".1"/></linearGradient>
  </defs>
  <rect width="100%" height="100%" fill="${paper}"/>
  <rect width="100%" height="100%" filter="url(#paper)" style="mix-blend-mode:multiply" opacity=".35"/>
  <rect width="100%" height="100%" fill="url(#fall)"/>
  <g transform="${spread}">
  <path d="${outline}" transform="translate(14 20)" fill="#4b4036" fill-opacity=".22" filter="url(#b24)"/>
  <path d="${outline}" transform="translate(4 6)" fill="#3a3028" fill-opacity=".34" filter="url(#b4)"/>
  ${back}
  <path d="${outline}" fill="${fill}"/>
  <g clip-path="url(#shape)">
    ${body}
    <rect width="100%" height="100%" filter="url(#weave)" style="mix-blend-mode:multiply" opacity=".5"/>
    <rect width="100%" height="100%" filter="url(#crumple)" style="mix-blend-mode:soft-light" opacity="${cloth}"/>
    <path d="${outline}" fill="none" stroke="#1c1210" stroke-opacity=".24" stroke-width="16" filter="url(#b10)"/>
  </g>
  ${seams}
  </g>
</svg>`;
}

// A sleeveless midi dress with a botanical print.
function dress() {
  const random = randomFrom(20);
  const outline =
    'M468 178 C474 168 500 166 508 176 C512 236 540 300 600 304 C660 300 688 236 692 176 C700 166 726 168 732 178 C736 236 744 300 792 352 C776 420 760 500 758 586 C756 606 758 620 762 640 C796 800 872 1080 918 1392 C862 1424 800 1432 742 1430 C690 1442 640 1446 592 1440 C520 1446 440 1440 392 1424 C340 1420 306 1408 282 1392 C328 1080 404 800 438 640 C442 620 444 606 442 586 C440 500 424 420 408 352 C456 300 464 236 468 178 Z';
  const leaf = (x, y, angle, scale, colour) =>
    `<g transform="translate(${x} ${y}) rotate(${angle}) scale(${scale})"><path d="M0 0 C10 -16 14 -40 0 -62 C-14 -40 -10 -16 0 0Z" fill="${colour}"/><path d="M0 2 L0 -54" stroke="#f3e4cf" stroke-opacity=".55" stroke-width="1.6"/></g>`;
  const flower = (x, y, scale, colour) =>
    `<g transform="translate(${x} ${y}) scale(${scale})">${[0, 72, 144, 216, 288]
      .map(
        (a) =>
          `<path d="M0 0 C16 -10 18 -30 0 -36 C-18 -30 -16 -10 0 0Z" transform="rotate(${a})" fill="${colour}"/>`,
      )
      .join('')}<circle r="7" fill="#d9a441"/></g>`;
  const print = [];
  for (let row = 0; row < 21; row++) {
    for (let column = 0; column < 13; column++) {
      const x = 230 + column * 66 + (row % 2) * 33 + (random() - 0.5) * 22;
      const y = 180 + row * 64 + (random() - 0.5) * 22;
      const turn = random() * 360;
      if (random() < 0.36)
        print.push(flower(x, y, 0.55 + random() * 0.3, random() < 0.6 ? '#e9d3bd' : '#d98c76'));
      else {
        const green = ['#7fa08a', '#a9bf9f', '#5f8a7c'][Math.floor(random() * 3)];
        print.push(
          leaf(x, y, turn, 0.6 + random() * 0.3, green),
          leaf(x, y, turn + 52, 0.45 + random() * 0.2, green),
        );
      }
    }
  }
  const skirt = [
    ['M470 650 C450 860 420 1120 372 1420', 34, 0.3],
    ['M520 650 C520 880 500 1140 474 1440', 26, 0.26],
    ['M604 660 C612 900 604 1160 596 1440', 30, 0.2],
    ['M680 650 C700 880 716 1140 726 1436', 30, 0.3],
    ['M734 650 C760 860 800 1120 838 1420', 36, 0.34],
  ];
  const lights = [
    ['M494 660 C484 880 456 1140 424 1420', 26, 0.22],
    ['M560 660 C562 880 552 1140 536 1430', 26, 0.2],
    ['M644 660 C660 880 662 1140 662 1430', 26, 0.2],
    ['M708 660 C730 860 760 1120 784 1420', 22, 0.18],
  ];
  return photograph({
    outline,
    fill: '#1f4a4c',
    back: '<path d="M500 176 C520 224 560 246 600 248 C640 246 680 224 700 176 L694 186 C688 246 660 304 600 308 C540 304 512 246 506 186Z" fill="#163637"/>',
    body: [
      `<g>${print.join('')}</g>`,
      ...skirt.map(([d, w, o]) => fold(d, w, o, '#05191a')),
      ...lights.map(([d, w, o]) => fold(d, w, o, '#e8fff6')),
      fold('M430 372 C480 450 520 470 560 440', 22, 0.26, '#05191a'),
      fold('M770 372 C720 450 690 470 650 440', 22, 0.3, '#05191a'),
      fold('M450 560 C520 590 560 580 600 590 C650 582 700 590 752 560', 16, 0.3, '#05191a'),
      fold('M700 300 C735 420 735 520 745 600', 46, 0.3, '#05191a', 'b24'),
      fold('M480 330 C490 400 500 470 490 540', 30, 0.25, '#f2fff9', 'b24'),
    ].join(''),
    seams: [
      '<path d="M440 600 C520 622 680 622 760 600" fill="none" stroke="#0d2a2b" stroke-width="3.4" stroke-opacity=".85"/>',
      '<path d="M441 632 C520 654 680 654 761 632" fill="none" stroke="#0d2a2b" stroke-width="3" stroke-opacity=".7"/>',
      '<path d="M508 180 C514 244 542 306 600 312 C658 306 686 244 692 180" fill="none" stroke="#0d2a2b" stroke-width="3.4" stroke-opacity=".8"/>',
      '<path d="M462 186 C462 240 452 300 416 352" fill="none" stroke="#0d2a2b" stroke-width="3" stroke-opacity=".6"/>',
      mirror(
        '<path d="M462 186 C462 240 452 300 416 352" fill="none" stroke="#0d2a2b" stroke-width="3" stroke-opacity=".6"/>',
      ),
    ].join(''),
  });
}

// A hand-knit jumper laid with its sleeves out.
function jumper() {
  const outline =
    'M470 300 C500 280 520 276 540 282 C560 310 640 310 660 282 C680 276 700 280 730 300 C790 318 836 340 868 384 C920 520 982 720 1046 960 C1052 984 1030 1004 1000 1014 C980 1022 950 1024 938 1010 C890 860 850 740 806 610 C800 760 806 960 812 1130 C814 1160 806 1172 780 1176 C670 1190 530 1190 420 1176 C394 1172 386 1160 388 1130 C394 960 400 760 394 610 C350 740 310 860 262 1010 C250 1024 220 1022 200 1014 C170 1004 148 984 154 960 C218 720 280 520 332 384 C364 340 410 318 470 300 Z';
  const stitches = [];
  for (let y = 270; y < 1200; y += 17) {
    for (let x = 140; x < 1060; x += 15) stitches.push(`M${x} ${y}q5 9 7.5 13q2.5 -4 7.5 -13`);
  }
  const cable = (x) => {
    const parts = [];
    for (let y = 330; y < 1090; y += 62) {
      parts.push(
        fold(
          `M${x - 22} ${y} C${x - 22} ${y + 30} ${x + 22} ${y + 32} ${x + 22} ${y + 62}`,
          17,
          0.55,
          '#fff3df',
          'b4',
        ),
      );
      parts.push(
        fold(
          `M${x + 22} ${y} C${x + 22} ${y + 30} ${x - 22} ${y + 32} ${x - 22} ${y + 62}`,
          17,
          0.3,
          '#5c2613',
          'b4',
        ),
      );
    }
    return (
      parts.join('') +
      fold(`M${x - 36} 320 L${x - 36} 1090`, 9, 0.4, '#4b1d0e', 'b4') +
      fold(`M${x + 36} 320 L${x + 36} 1090`, 9, 0.4, '#4b1d0e', 'b4')
    );
  };
  const ribs = (x0, y0, x1, y1, dx, dy, count) =>
    Array.from({ length: count }, (_, i) => {
      const [x, y] = [x0 + ((x1 - x0) * i) / (count - 1), y0 + ((y1 - y0) * i) / (count - 1)];
      return `<path d="M${x} ${y} l${dx} ${dy}" stroke="#4b1d0e" stroke-opacity=".5" stroke-width="4" stroke-linecap="round"/>`;
    }).join('');
  const cuff =
    ribs(168, 958, 262, 996, -22, 54, 9) + fold('M160 946 C200 962 240 980 276 990', 8, 0.5, '#4b1d0e', 'b4');
  return photograph({
    outline,
    fill: '#b5583a',
    cloth: 0.7,
    stretch: [1.14, 0.92],
    back: '<path d="M520 284 C560 262 640 262 680 284 L664 300 C640 318 560 318 536 300Z" fill="#7d3821"/>',
    body: [
      `<path d="${stitches.join('')}" fill="none" stroke="#5c2613" stroke-opacity=".38" stroke-width="2.4"/>`,
      cable(600),
      cable(490),
      cable(710),
      fold('M394 620 C420 560 420 480 400 420', 30, 0.4, '#3d1509'),
      fold('M806 620 C780 560 780 480 800 420', 30, 0.45, '#3d1509'),
      fold('M352 430 C310 560 260 720 214 900', 34, 0.2, '#fff0dc', 'b24'),
      fold('M860 430 C900 560 940 720 1000 920', 40, 0.3, '#3d1509', 'b24'),
      fold('M780 660 C790 800 790 960 790 1120', 44, 0.3, '#3d1509', 'b24'),
      fold('M420 660 C410 800 414 960 420 1100', 40, 0.16, '#fff0dc', 'b24'),
      ribs(398, 1108, 802, 1108, 0, 66, 34),
      fold('M390 1098 C530 1112 670 1112 810 1098', 10, 0.5, '#4b1d0e', 'b4'),
      cuff,
      mirror(cuff),
    ].join(''),
    seams: [
      '<path d="M520 290 C560 336 640 336 680 290" fill="none" stroke="#8a4027" stroke-width="24"/>',
      '<path d="M506 292 C552 358 648 358 694 292" fill="none" stroke="#4b1d0e" stroke-opacity=".55" stroke-width="4"/>',
      ...Array.from({ length: 19 }, (_, i) => {
        const t = (i + 0.5) / 19;
        const [x, y] = [512 + 176 * t, 290 + 4 * 44 * t * (1 - t)];
        return `<path d="M${x} ${y - 12} l${(t - 0.5) * -8} 22" stroke="#4b1d0e" stroke-opacity=".5" stroke-width="3"/>`;
      }),
    ].join(''),
  });
}

// Wide trousers in pale wool with a pressed crease.
function trousers() {
  const outline =
    'M436 170 C540 182 660 182 764 170 C772 210 778 250 782 290 C812 420 826 620 836 800 C846 1020 852 1240 858 1440 C800 1456 720 1456 664 1446 C650 1180 632 900 606 560 C602 548 598 548 594 560 C568 900 550 1180 536 1446 C480 1456 400 1456 342 1440 C348 1240 354 1020 364 800 C374 620 388 420 418 290 C422 250 428 210 436 170 Z';
  const crease = 'M498 300 C478 640 456 1040 442 1450';
  return photograph({
    outline,
    fill: '#5b6478',
    cloth: 0.6,
    paper: '#f3f0ea',
    body: [
      fold('M520 320 C500 640 492 1040 486 1440', 60, 0.26, '#0e1220', 'b24'),
      fold('M452 340 C428 660 404 1040 390 1440', 46, 0.16, '#ffffff', 'b24'),
      mirror(fold('M520 320 C500 640 492 1040 486 1440', 60, 0.2, '#0e1220', 'b24')),
      fold('M806 420 C828 700 838 1040 846 1440', 50, 0.34, '#0e1220', 'b24'),
      fold('M600 470 C560 480 520 500 480 490', 18, 0.3, '#0e1220'),
      fold('M600 480 C640 490 690 500 726 486', 18, 0.34, '#0e1220'),
      fold('M596 540 C570 560 540 570 510 572', 14, 0.26, '#0e1220'),
      fold('M606 540 C630 560 660 570 690 572', 14, 0.3, '#0e1220'),
      fold('M600 190 C600 300 602 420 600 540', 12, 0.34, '#0e1220', 'b4'),
    ].join(''),
    seams: [
      `<path d="${crease}" fill="none" stroke="#dfe4f0" stroke-opacity=".34" stroke-width="3"/>`,
      mirror(`<path d="${crease}" fill="none" stroke="#dfe4f0" stroke-opacity=".3" stroke-width="3"/>`),
      '<path d="M430 226 C540 240 660 240 770 226" fill="none" stroke="#262c3c" stroke-opacity=".8" stroke-width="3.2"/>',
      '<path d="M600 236 L600 430 C600 452 590 462 574 468" fill="none" stroke="#262c3c" stroke-opacity=".7" stroke-width="3"/>',
      '<path d="M428 262 C452 300 470 340 472 384" fill="none" stroke="#262c3c" stroke-opacity=".65" stroke-width="3"/>',
      mirror(
        '<path d="M428 262 C452 300 470 340 472 384" fill="none" stroke="#262c3c" stroke-opacity=".65" stroke-width="3"/>',
      ),
      ...[470, 540, 660, 730].map(
        (x) =>
          `<rect x="${x - 7}" y="172" width="14" height="64" rx="3" fill="#525b6f" stroke="#262c3c" stroke-width="2"/>`,
      ),
      '<circle cx="612" cy="206" r="10" fill="#2b3040" stroke="#10131c" stroke-width="2"/>',
    ].join(''),
  });
}

// A tailored jacket, single-breasted, laid with its sleeves beside it.
function jacket() {
  const outline =
    'M486 236 C520 214 560 208 600 214 C640 208 680 214 714 236 C782 256 836 270 862 318 C892 460 924 720 950 1000 C952 1024 940 1034 916 1038 C884 1044 858 1042 850 1022 C832 880 812 740 788 610 C786 780 800 960 822 1108 C826 1138 816 1148 790 1152 C740 1160 680 1158 634 1146 C616 1090 606 1040 600 1000 C594 1040 584 1090 566 1146 C520 1158 460 1160 410 1152 C384 1148 374 1138 378 1108 C400 960 414 780 412 610 C388 740 368 880 350 1022 C342 1042 316 1044 284 1038 C260 1034 248 1024 250 1000 C276 720 308 460 338 318 C364 270 418 256 486 236 Z';
  const lapel =
    '<path d="M520 226 C500 300 520 360 500 420 L540 436 C560 520 584 600 600 640 C596 520 560 360 540 226Z" fill="#e4d8c3" stroke="#8d7f68" stroke-width="3"/>';
  const pocket =
    '<path d="M420 850 C460 862 500 866 540 864 L536 908 C496 910 456 906 414 894Z" fill="#ded1bb" stroke="#8d7f68" stroke-width="3"/>';
  return photograph({
    outline,
    fill: '#e2d6c2',
    cloth: 0.6,
    stretch: [1.22, 0.94],
    paper: '#eceff1',
    back: '<path d="M520 222 C560 200 640 200 680 222 L620 330 L580 330Z" fill="#b9ab94"/>',
    body: [
      '<path d="M540 214 C560 360 590 520 600 620 C610 520 640 360 660 214Z" fill="#f5f2ec"/>',
      '<path d="M548 214 C566 300 590 330 600 340 C610 330 634 300 652 214Z" fill="#c9bda8"/>',
      fold('M412 620 C430 540 430 440 410 360', 30, 0.3, '#4a3d28'),
      fold('M788 620 C770 540 770 440 790 360', 30, 0.34, '#4a3d28'),
      fold('M770 660 C780 800 790 960 800 1120', 50, 0.26, '#4a3d28', 'b24'),
      fold('M880 420 C900 600 920 800 926 1010', 40, 0.3, '#4a3d28', 'b24'),
      fold('M330 420 C306 600 290 800 280 1000', 30, 0.3, '#ffffff', 'b24'),
      fold('M600 660 C640 690 690 700 740 690', 16, 0.22, '#4a3d28'),
      fold('M600 660 C560 690 510 700 460 690', 16, 0.2, '#4a3d28'),
    ].join(''),
    seams: [
      lapel,
      mirror(lapel),
      pocket,
      mirror(pocket),
      '<path d="M600 640 C604 760 602 880 600 1000" fill="none" stroke="#8d7f68" stroke-width="4"/>',
      '<path d="M412 610 C420 520 400 400 372 300" fill="none" stroke="#8d7f68" stroke-opacity=".8" stroke-width="3"/>',
      mirror(
        '<path d="M412 610 C420 520 400 400 372 300" fill="none" stroke="#8d7f68" stroke-opacity=".8" stroke-width="3"/>',
      ),
      '<circle cx="612" cy="690" r="13" fill="#4d4030" stroke="#2c2419" stroke-width="3"/><circle cx="612" cy="810" r="13" fill="#4d4030" stroke="#2c2419" stroke-width="3"/>',
    ].join(''),
  });
}

await mkdir(target, { recursive: true });
const pictures = { 'garment-photograph': dress(), jumper: jumper(), trousers: trousers(), jacket: jacket() };
for (const [name, svg] of Object.entries(pictures)) {
  await sharp(Buffer.from(svg))
    .flatten({ background: '#fff' })
    .jpeg({ quality: 88, mozjpeg: true })
    .toFile(`${target}${name}.jpg`);
}
console.log(`Wrote ${Object.keys(pictures).length} photographs to ${target}`);
