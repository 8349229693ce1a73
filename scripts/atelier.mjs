// `npm run -s atelier -- …`: builds when needed, then hands over to the operator's command.
import './build-if-stale.mjs';
await import('../dist/capabilities/operate/main.js');
