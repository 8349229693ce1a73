// `npm run -s atelier -- …`: builds if needed, then runs the operator's command.
import './build-if-stale.mjs';
await import('../dist/capabilities/operate/main.js');
