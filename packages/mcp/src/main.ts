#!/usr/bin/env node
import { randomUUID } from 'node:crypto';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { passOn } from './pass-on.js';

const { ATELIER_URL: url = '', ATELIER_KEY: key = '' } = process.env;

if (!URL.canParse(url) || key === '') {
  process.stderr.write(
    'Set ATELIER_URL to the address of your Atelier, for example https://atelier.example, and ATELIER_KEY to an API key. ' +
      'With a key of the test environment (sk_test_…), agents spend no real credits.\n',
  );
  process.exit(2);
}

const session = randomUUID();

// Standard output carries the protocol, so problems go to standard error.
serveStdio((context) => passOn({ url, key, session }, context), {
  onerror: ({ message }) => void process.stderr.write(`${message}\n`),
});
